/** The server's upkeep of installed hooks, on real files (design 8; bugs.md C4, C8, C26 kinds). */

import assert from "node:assert/strict";
import { findProvider } from "../../src/core/registry.ts";
import type { InstallContext } from "../../src/installers/context.ts";
import { readConflicts } from "../../src/installers/conflicts.ts";
import { MAX_WRITES } from "../../src/installers/drift.ts";
import { type Keeper, keepReconciled } from "../../src/installers/keep_reconciled.ts";
import { readRecords } from "../../src/installers/records.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  withHome,
} from "../helpers/install_home.ts";
import { writeExecutable } from "../helpers/executable.ts";

const claude = findProvider("claude-code")!;
const codex = findProvider("codex")!;

type Kept = { readonly keeper: Keeper; readonly lines: string[] };

async function withKeeper(
  context: InstallContext,
  task: (kept: Kept) => Promise<void>,
  lookEveryMs = 100,
): Promise<void> {
  const lines: string[] = [];
  const keeper = keepReconciled({ context, log: (text) => lines.push(text), lookEveryMs });
  try {
    await task({ keeper, lines });
  } finally {
    await keeper.stop();
  }
}

async function until(test: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const limit = performance.now() + 10_000;
  while (!await test()) {
    assert.ok(performance.now() < limit, `Timed out: ${what}`);
    await pause(20);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function text(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

function hasOurs(path: string): boolean {
  return text(path).includes("mytty-hook claude-code --event Stop");
}

Deno.test("what the user takes out is put back, and another key of theirs stays", () =>
  withHome(async (home) => {
    putProgram(home, "claude");
    const context = installContextFor(home);
    const path = `${home}/.claude/settings.json`;
    putFile(path, '{\n  "model": "opus"\n}\n');
    await runInstall([claude], context);
    await withKeeper(context, async ({ lines }) => {
      // No look comes in the meantime: the watch alone sees it.
      await pause(300);
      putFile(path, '{\n  "model": "sonnet"\n}\n');
      await until(() => hasOurs(path), "repaired");
      assert.equal(JSON.parse(text(path)).model, "sonnet");
      await until(() => lines.length > 0, "said");
      assert.match(lines.join("\n"), /Claude Code.*installed|repaired/);
      const before = text(path);
      Deno.writeTextFileSync(path, before.replace('"sonnet"', '"haiku"'));
      await pause(900);
      assert.equal(text(path), before.replace('"sonnet"', '"haiku"'));
      const { installedAt } = (await readRecords(context.stateFolder)).providers["claude-code"]!;
      assert.equal(installedAt, 1_000, "upkeep is no new install");
    }, 60_000);
    await runInstall([claude], context, { uninstalls: true });
    assert.equal(text(path), '{\n  "model": "haiku"\n}\n');
  }));

Deno.test("a removed file, a removed launcher and a removed folder come back", () =>
  withHome(async (home) => {
    putProgram(home, "codex");
    const context = installContextFor(home);
    await runInstall([codex], context);
    const [hooks, launcher] = [`${home}/.codex/hooks.json`, `${home}/state/hooks/mytty-hook`];
    await withKeeper(context, async () => {
      await pause(300);
      Deno.removeSync(hooks);
      await until(() => text(hooks).includes("mytty-hook"), "file");
      Deno.removeSync(launcher);
      await until(() => text(launcher) !== "", "launcher");
      Deno.removeSync(`${home}/.codex`, { recursive: true });
      await until(() => text(hooks).includes("mytty-hook"), "folder");
    });
  }));

Deno.test("a wrong mode of a file of ours, and a changed launcher, are put right", () =>
  withHome(async (home) => {
    putProgram(home, "cline");
    const context = installContextFor(home);
    await runInstall([findProvider("cline")!], context);
    const [hook, launcher] = [`${home}/.cline/hooks/TaskStart`, `${home}/state/hooks/mytty-hook`];
    const staged = text(launcher);
    await withKeeper(context, async () => {
      await pause(300);
      Deno.removeSync(hook);
      await until(() => text(hook) !== "", "file");
      // Its content is what the server itself has just written.
      await until(() => (Deno.statSync(hook).mode! & 0o777) === 0o700, "mode");
      Deno.chmodSync(hook, 0o600);
      await until(() => (Deno.statSync(hook).mode! & 0o777) === 0o700, "mode again");
      Deno.writeTextFileSync(launcher, "#!/bin/sh\nexit 0\n");
      await until(() => text(launcher) === staged, "launcher");
    });
  }));

Deno.test("another manager that insists: six writes, then a conflict that names the file", () =>
  withHome(async (home) => {
    putProgram(home, "claude");
    const context = installContextFor(home);
    const path = `${home}/.claude/settings.json`;
    const theirs = '{"managed": "by another"}\n';
    putFile(path, theirs);
    await runInstall([claude], context);
    let writes = 0;
    await withKeeper(context, async ({ lines }) => {
      await pause(200);
      const conflict = async () =>
        (await readConflicts(context.stateFolder))["claude-code"]?.[0] ?? "";
      while (await conflict() === "") {
        assert.ok(writes <= MAX_WRITES, "more than six");
        Deno.writeTextFileSync(path, theirs);
        await until(async () => hasOurs(path) || await conflict() !== "", `round ${writes}`);
        if (hasOurs(path)) writes++;
      }
      assert.equal(writes, MAX_WRITES);
      assert.ok((await conflict()).includes(path));
      await until(() => lines.some((line) => line.includes(path) && /6 times/.test(line)), "said");
      await pause(700);
      assert.equal(text(path), theirs, "no further write");
      // A person asks for it: the count begins anew.
      await runInstall([claude], context, { now: 2_000 });
      await until(async () => await conflict() === "", "settled");
      Deno.writeTextFileSync(path, theirs);
      await until(() => hasOurs(path), "kept again");
    });
  }));

Deno.test("a program that appears later, and one that changes its version, are reconciled", () =>
  withHome(async (home) => {
    const context = installContextFor(home);
    const path = `${home}/.claude/settings.json`;
    putProgram(home, "claude", "1.0.0");
    await runInstall([claude], context);
    const old = Object.keys(JSON.parse(text(path)).hooks);
    Deno.removeSync(`${home}/bin/claude`);
    Deno.removeSync(path);
    await withKeeper(context, async () => {
      await pause(700);
      assert.equal(text(path), "", "nothing is written for a program that is not there");
      putProgram(home, "claude", "1.0.0");
      await until(() => hasOurs(path), "appeared");
      assert.deepEqual(Object.keys(JSON.parse(text(path)).hooks), old);
      Deno.removeSync(`${home}/bin/claude`);
      putProgram(home, "claude", "999.0.0");
      await until(() => Object.keys(JSON.parse(text(path)).hooks).length > old.length, "newer");
      const version = async () =>
        (await readRecords(context.stateFolder)).providers["claude-code"]?.version;
      await until(async () => await version() === "999.0.0", "recorded");
      // One that does not tell is no other version: events that need one stay.
      const all = text(path);
      writeExecutable(`${home}/bin/claude`, "#!/bin/sh\nexit 1\n");
      await pause(700);
      assert.equal(text(path), all);
    });
  }));

Deno.test("only what the user has installed is kept, and where they installed it", () =>
  withHome(async (home) => {
    putProgram(home, "claude");
    putProgram(home, "codex");
    const env = { CLAUDE_CONFIG_DIR: `${home}/elsewhere` };
    await runInstall([claude], installContextFor(home, { env: { PATH: `${home}/bin`, ...env } }));
    const path = `${home}/elsewhere/settings.json`;
    const context = installContextFor(home);
    await withKeeper(context, async () => {
      await pause(300);
      Deno.writeTextFileSync(path, "{}\n");
      await until(() => hasOurs(path), "repaired elsewhere");
      assert.equal(text(`${home}/.claude/settings.json`), "");
      assert.equal(text(`${home}/.codex/hooks.json`), "");
      // What the user uninstalls stays so.
      const there = installContextFor(home, { env: { PATH: `${home}/bin`, ...env } });
      await runInstall([claude], there, { uninstalls: true });
      await pause(800);
      assert.ok(!hasOurs(path));
    });
  }));

Deno.test("a config behind a symbolic link is watched where it leads", () =>
  withHome(async (home) => {
    putProgram(home, "claude");
    const context = installContextFor(home);
    const real = `${home}/dotfiles/claude.json`;
    putFile(real, "{}\n");
    Deno.mkdirSync(`${home}/.claude`);
    Deno.symlinkSync(real, `${home}/.claude/settings.json`);
    await runInstall([claude], context);
    await withKeeper(context, async () => {
      await pause(300);
      Deno.writeTextFileSync(real, "{}\n");
      await until(() => hasOurs(real), "repaired");
      assert.ok(Deno.lstatSync(`${home}/.claude/settings.json`).isSymlink);
    }, 60_000);
  }));

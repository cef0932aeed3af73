/** Codex knows approved hooks by their position: what we take out must not move the user's. */

import assert from "node:assert/strict";
import { findProvider } from "../../src/core/registry.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  withHome,
} from "../helpers/install_home.ts";

const codex = findProvider("codex")!;
const USERS = { hooks: [{ type: "command", command: "say done" }] };
const EMPTY = { hooks: [] };

type Hooks = Record<string, unknown[]>;

function withCodex(task: (path: string, run: (uninstalls: boolean) => Promise<string>) => unknown) {
  return withHome(async (home) => {
    putProgram(home, "codex");
    const run = async (uninstalls: boolean) =>
      (await runInstall([codex], installContextFor(home), { uninstalls }))[0]!.status;
    await task(`${home}/.codex/hooks.json`, run);
  });
}

function hooksOf(path: string): Hooks {
  return JSON.parse(Deno.readTextFileSync(path)).hooks;
}

function change(path: string, edit: (hooks: Hooks) => void): void {
  const hooks = hooksOf(path);
  edit(hooks);
  Deno.writeTextFileSync(path, JSON.stringify({ hooks }, null, 2));
}

Deno.test("a hook behind ours keeps its position through uninstall and install", () =>
  withCodex(async (path, run) => {
    await run(false);
    const ours = hooksOf(path).Stop![0];
    change(path, (hooks) => hooks.Stop!.push(USERS));
    assert.equal(await run(true), "uninstalled");
    assert.deepEqual(hooksOf(path), { Stop: [EMPTY, USERS] });
    assert.equal(await run(true), "unchanged");
    // Ours take their own place again.
    await run(false);
    assert.deepEqual(hooksOf(path).Stop, [ours, USERS]);
    assert.equal(await run(false), "unchanged");
    await run(true);
    assert.deepEqual(hooksOf(path), { Stop: [EMPTY, USERS] });
  }));

Deno.test("a placeholder that nobody needs any more goes", () =>
  withCodex(async (path, run) => {
    await run(false);
    change(path, (hooks) => hooks.Stop!.push(USERS));
    await run(true);
    change(path, (hooks) => hooks.Stop!.pop());
    await run(true);
    assert.ok(!Deno.readTextFileSync(path).includes('hooks": []'), Deno.readTextFileSync(path));
    await run(false);
    assert.equal(hooksOf(path).Stop!.length, 1);
  }));

Deno.test("in front of ours, and without us, nothing of the user's changes", () =>
  withCodex(async (path, run) => {
    const before = `{"hooks": {"Stop": [${JSON.stringify(USERS)}, ${JSON.stringify(EMPTY)}]}}\n`;
    putFile(path, before);
    await run(false);
    await run(true);
    assert.equal(Deno.readTextFileSync(path), before);
    assert.equal(await run(true), "unchanged");
    assert.equal(Deno.readTextFileSync(path), before);
  }));

Deno.test("a stale entry that has no heir leaves the place of the user's alone", () =>
  withHome(async (home) => {
    putProgram(home, "codex");
    const path = `${home}/.codex/hooks.json`;
    await runInstall([codex], installContextFor(home));
    change(path, (hooks) => hooks.Interrupt!.push(USERS));
    putProgram(home, "codex", "0.140.0");
    const [report] = await runInstall([codex], installContextFor(home));
    assert.equal(report!.status, "repaired");
    assert.deepEqual(hooksOf(path).Interrupt, [EMPTY, USERS]);
    assert.equal((await runInstall([codex], installContextFor(home)))[0]!.status, "unchanged");
  }));

/** Where an agent was installed counts, not what this shell's variables say; every place counts. */

import assert from "node:assert/strict";
import { findProvider } from "../../src/core/registry.ts";
import { observePrograms } from "../../src/installers/observe.ts";
import { observeHealth } from "../../src/installers/health.ts";
import { readRecords } from "../../src/installers/records.ts";
import {
  installContextFor,
  putFile,
  putProgram,
  runInstall,
  snapshot,
  withHome,
} from "../helpers/install_home.ts";
import { withProgram } from "../helpers/program_home.ts";

const claude = findProvider("claude-code")!;
const USERS = '{\n  "model": "opus"\n}\n';

function contextIn(home: string, folder: string | null) {
  const env = folder === null ? {} : { CLAUDE_CONFIG_DIR: `${home}/${folder}` };
  return installContextFor(home, { env: { PATH: `${home}/bin`, ...env } });
}

async function stateOf(home: string, folder: string | null): Promise<string> {
  const context = contextIn(home, folder);
  const records = await readRecords(context.stateFolder);
  const program = (await observePrograms([claude], context)).get(claude.id) ?? null;
  const heard = { lastEventAt: null, sessions: [] };
  return (await observeHealth(claude, { context, records, program, heard, now: 5 })).state;
}

Deno.test("an uninstall goes to where it was installed, whatever the variables are now", () =>
  withHome(async (home) => {
    const agents = [claude, findProvider("codex")!];
    for (const name of ["claude", "codex"]) putProgram(home, name);
    putFile(`${home}/a/settings.json`, USERS);
    putFile(`${home}/c/hooks.json`, "{}");
    const before = snapshot(home, ["state", "bin"]);
    const env = { CLAUDE_CONFIG_DIR: `${home}/a`, CODEX_HOME: `${home}/c` };
    await runInstall(agents, installContextFor(home, { env: { PATH: `${home}/bin`, ...env } }));
    assert.match(Deno.readTextFileSync(`${home}/c/hooks.json`), /mytty-hook/);
    const reports = await runInstall(agents, installContextFor(home), { uninstalls: true });
    assert.deepEqual(reports.map(({ status }) => status), ["uninstalled", "uninstalled"]);
    assert.deepEqual(snapshot(home, ["state", "bin"]), before);
    assert.deepEqual((await readRecords(`${home}/state`)).files, {});
  }));

Deno.test("of two folders both are looked at, repaired and taken out of", () =>
  withHome(async (home) => {
    putProgram(home, "claude");
    const [a, b] = [`${home}/a/settings.json`, `${home}/b/settings.json`];
    putFile(a, USERS);
    putFile(b, "{}");
    await runInstall([claude], contextIn(home, "a"));
    await runInstall([claude], contextIn(home, "b"));
    const written = Deno.readTextFileSync(a);
    for (const folder of [null, "a", "b"]) {
      assert.equal(await stateOf(home, folder), "installed", folder ?? "none");
    }
    Deno.writeTextFileSync(a, USERS);
    assert.equal(await stateOf(home, null), "needs-repair");
    await runInstall([claude], contextIn(home, "b"));
    assert.equal(Deno.readTextFileSync(a), written);
    await runInstall([claude], contextIn(home, null), { uninstalls: true });
    assert.deepEqual([a, b].map((path) => Deno.readTextFileSync(path)), [USERS, "{}"]);
  }));

Deno.test("a folder that the user took away is not made anew", () =>
  withHome(async (home) => {
    putProgram(home, "claude");
    await runInstall([claude], contextIn(home, "a"));
    await runInstall([claude], contextIn(home, "b"));
    Deno.removeSync(`${home}/a`, { recursive: true });
    const [report] = await runInstall([claude], contextIn(home, "b"));
    assert.equal(report!.status, "unchanged");
    assert.throws(() => Deno.statSync(`${home}/a`), Deno.errors.NotFound);
    assert.equal(await stateOf(home, null), "installed");
  }));

Deno.test("uninstall --all, status and test from another shell than the install", () =>
  withProgram(async (run, home, env) => {
    putProgram(home, "claude");
    putFile(`${home}/a/settings.json`, USERS);
    env.CLAUDE_CONFIG_DIR = `${home}/a`;
    assert.equal((await run("install", "claude")).code, 0);
    delete env.CLAUDE_CONFIG_DIR;
    assert.equal((await run("status", "claude", "--check")).code, 0);
    // The config link holds: only the server is missing.
    assert.match((await run("test", "claude")).stderr, /breaks at server/);
    assert.equal((await run("uninstall", "--all")).code, 0);
    assert.equal(Deno.readTextFileSync(`${home}/a/settings.json`), USERS);
    assert.throws(() => Deno.statSync(`${home}/state/hooks`), Deno.errors.NotFound);
  }));

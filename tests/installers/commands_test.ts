/** install, uninstall, status and test as a person runs them, in a home of their own. */

import assert from "node:assert/strict";
import { spawnProgram, startServe } from "../helpers/program.ts";
import { putFile, putProgram } from "../helpers/install_home.ts";
import { withProgram } from "../helpers/program_home.ts";

Deno.test("C27: an empty home: nothing installed, and a check that fails", () =>
  withProgram(async (run) => {
    const status = await run("status", "--json");
    assert.equal(status.code, 0);
    const { server, providers } = JSON.parse(status.stdout);
    assert.equal(server, null);
    assert.ok(providers.length > 5);
    for (const { state } of providers) assert.equal(state, "not-installed");
    assert.equal((await run("status", "--check")).code, 1);
    assert.equal((await run("install", "--check")).code, 1);
    assert.match((await run("install")).stdout, /No known agent/);
    assert.match((await run("status")).stdout, /not running/);
  }));

Deno.test("C23: from install over test and status to uninstall", () =>
  withProgram(async (run, home, env) => {
    putProgram(home, "claude");
    const path = `${home}/.claude/settings.json`;
    putFile(path, '{\n  "model": "opus"\n}\n');
    const dry = await run("install", "--dry-run");
    assert.match(dry.stdout, /^\+.*mytty-hook claude-code --event Stop/m);
    assert.equal(Deno.readTextFileSync(path), '{\n  "model": "opus"\n}\n');
    const installed = await run("install", "--json");
    assert.equal(installed.code, 0, installed.stderr);
    assert.equal(JSON.parse(installed.stdout).providers[0].status, "installed");
    assert.equal((await run("install", "--check", "claude")).code, 0);

    const down = await run("test", "claude");
    assert.equal(down.code, 1);
    assert.match(down.stderr, /breaks at server: no server/);
    const serve = await startServe(env);
    try {
      const up = await run("test", "claude", "--json");
      assert.equal(up.code, 0, up.stdout);
      assert.deepEqual(
        JSON.parse(up.stdout).links.map(({ link }: { link: string }) => link),
        ["config", "launcher", "server"],
      );
      const status = JSON.parse((await run("status", "claude", "--json")).stdout);
      assert.equal(status.providers[0].state, "installed");
      assert.notEqual(status.server, null);
    } finally {
      await serve.end("SIGTERM");
    }
    Deno.removeSync(`${home}/state/hooks/mytty-hook`);
    assert.match((await run("test", "claude")).stderr, /breaks at launcher/);
    assert.equal((await run("status", "--check")).code, 1);
    assert.equal((await run("uninstall", "--all")).code, 0);
    assert.equal(Deno.readTextFileSync(path), '{\n  "model": "opus"\n}\n');
    assert.match((await run("test", "claude")).stderr, /breaks at config/);
  }));

async function served(flags: string[], env: Record<string, string>, task: () => Promise<void>) {
  const child = spawnProgram(["serve", "--no-estimate", ...flags], env);
  await child.stdin.close();
  const reader = child.stdout.getReader();
  try {
    await reader.read();
    await task();
  } finally {
    child.kill("SIGTERM");
    await Promise.all([child.status, reader.cancel(), child.stderr.cancel()]);
  }
}

Deno.test("a server puts back what was taken out, and with --no-watch leaves it", () =>
  withProgram(async (run, home, env) => {
    putProgram(home, "claude");
    const path = `${home}/.claude/settings.json`;
    assert.equal((await run("install")).code, 0);
    putFile(path, "{}\n");
    await served(["--no-watch"], env, () => new Promise((end) => setTimeout(end, 1_500)));
    assert.equal(Deno.readTextFileSync(path), "{}\n");
    await served([], env, async () => {
      const limit = performance.now() + 15_000;
      while (!Deno.readTextFileSync(path).includes("mytty-hook")) {
        assert.ok(performance.now() < limit, "not put back");
        await new Promise((end) => setTimeout(end, 50));
      }
    });
  }));

Deno.test("C22: a read-only config ends with 1, says so and prints the snippet", () =>
  withProgram(async (run, home) => {
    putProgram(home, "claude");
    putFile(`${home}/.claude/settings.json`, "{}", 0o444);
    const { code, stdout, stderr } = await run("install");
    assert.equal(code, 1);
    assert.match(stdout + stderr, /read-only/);
    assert.match(stdout, /To do it by hand, add:\n\{/);
    assert.equal((await run("status", "--check")).code, 1);
  }));

Deno.test("words that are no provider are a usage error", () =>
  withProgram(async (run) => {
    for (const args of [["install", "nope"], ["uninstall"], ["test"], ["status", "nope"]]) {
      assert.equal((await run(...args)).code, 2, args.join(" "));
    }
  }));

/** `mytty test` is green only when the server has heard every hook that is written. */

import assert from "node:assert/strict";
import { writeExecutable } from "../helpers/executable.ts";
import { putFile, putProgram } from "../helpers/install_home.ts";
import { startServe } from "../helpers/program.ts";
import { type Run, withProgram } from "../helpers/program_home.ts";

type Link = { readonly link: string; readonly ok: boolean; readonly detail: string };

/** Installed, with a server that repairs nothing by itself. */
function withServed(agents: readonly string[], task: (run: Run, home: string) => Promise<void>) {
  return withProgram(async (run, home, env) => {
    for (const agent of agents) putProgram(home, agent);
    const installed = await run("install");
    assert.equal(installed.code, 0, installed.stderr);
    const serve = await startServe(env);
    try {
      await task(run, home);
    } finally {
      await serve.end("SIGTERM");
    }
  });
}

/** The link that does not hold, or null. */
async function brokenLink(run: Run, provider: string): Promise<Link | null> {
  const { code, stdout } = await run("test", provider, "--json");
  const { ok, links } = JSON.parse(stdout) as { ok: boolean; links: Link[] };
  const broken = links.find((link) => !link.ok) ?? null;
  assert.equal(ok, broken === null);
  assert.equal(code, broken === null ? 0 : 1);
  return broken;
}

Deno.test("a launcher that is not what was staged is no good link, and no healthy status", () =>
  withServed(["claude"], async (run, home) => {
    assert.equal(await brokenLink(run, "claude"), null);
    const launcher = `${home}/state/hooks/mytty-hook`;
    const text = Deno.readTextFileSync(launcher);
    for (const other of ["", "#!/bin/sh\nexit 0\n", text.replace("exec 3>&2", "exit 0")]) {
      Deno.writeTextFileSync(launcher, other);
      assert.equal((await brokenLink(run, "claude"))?.link, "launcher", other.slice(0, 20));
      assert.equal((await run("status", "claude", "--check")).code, 1, other.slice(0, 20));
    }
    assert.equal((await run("install", "claude")).code, 0);
    assert.equal(Deno.readTextFileSync(launcher), text);
    assert.equal((await run("status", "claude", "--check")).code, 0);
  }));

Deno.test("every written command is run, and one that the server does not hear is named", () =>
  withServed(["claude"], async (run, home) => {
    const path = `${home}/.claude/settings.json`;
    const text = Deno.readTextFileSync(path);
    // What does not tell its version is not compared with what would be written: only running tells.
    writeExecutable(`${home}/bin/claude`, "#!/bin/sh\nexit 1\n");
    const launcher = `${home}/state/hooks/mytty-hook`;
    const stop = `${launcher} claude-code --event Stop;`;
    const fake = `${home}/fake/mytty-hook`;
    Deno.mkdirSync(`${home}/fake`);
    const withFake = text.replace(`[ -x ${launcher} ] && exec ${stop}`, `${fake} claude-code;`);
    assert.notEqual(withFake, text);
    for (
      const [script, link, detail] of [
        ["", "launcher", /no such program/],
        ["#!/bin/sh\nexit 0\n", "command", /heard nothing of the .* hook/],
        ["#!/bin/sh\nsleep 60\n", "launcher", /did not end within/],
      ] as const
    ) {
      putFile(path, withFake);
      if (script !== "") writeExecutable(fake, script);
      const broken = await brokenLink(run, "claude");
      assert.equal(broken?.link, link, broken?.detail);
      assert.match(broken!.detail, detail);
    }
  }));

Deno.test("a file of ours that cannot be run, or that nothing names, breaks the config link", () =>
  withServed(["cline", "xal"], async (run, home) => {
    assert.equal(await brokenLink(run, "cline"), null);
    assert.equal(await brokenLink(run, "xal"), null);
    Deno.chmodSync(`${home}/.cline/hooks/TaskStart`, 0o600);
    assert.match((await brokenLink(run, "cline"))?.detail ?? "", /mode 600 instead of 700/);
    putFile(`${home}/.xal/config.json`, "{}");
    assert.match((await brokenLink(run, "xal"))?.detail ?? "", /config\.json: missing: plugins/);
  }));

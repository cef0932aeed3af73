import assert from "node:assert/strict";
import { askProgram } from "../../src/installers/ask_program.ts";
import { withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { writeExecutable } from "../helpers/executable.ts";

function withProgram(script: string, task: (path: string) => Promise<void>): Promise<void> {
  return withFolder((folder) => {
    writeExecutable(`${folder}/agent`, `#!/bin/sh\n${script}\n`);
    return task(`${folder}/agent`);
  });
}

/** An ended process whose parent has not asked for it is a zombie: not alive. */
function isAlive(pid: number): boolean {
  const { success, stdout } = new Deno.Command("ps", {
    args: ["-o", "stat=", "-p", String(pid)],
  }).outputSync();
  return success && !new TextDecoder().decode(stdout).startsWith("Z");
}

Deno.test("both streams and the exit status of a program that is asked", () =>
  withProgram("echo one; echo two >&2; exit 3", async (path) => {
    const answer = await askProgram(path, []);
    assert.deepEqual(answer, { stdout: "one\n", stderr: "two\n", code: 3, issue: null });
  }));

Deno.test("a program that is not there is an answer that says so", async () => {
  const { code, issue } = await askProgram("/nowhere/agent", []);
  assert.equal(code, null);
  assert.match(issue!, /^Cannot run \/nowhere\/agent: /);
});

Deno.test("a wrapper that hangs is ended with the program it wraps; what it said is kept", () =>
  withProgram('echo 1.2.3; sleep 60 & echo "$!"; wait', async (path) => {
    const { code, stdout, issue } = await askProgram(path, [], { timeoutMs: 2_000 });
    const [version, pid] = stdout.split("\n");
    assert.deepEqual([version, code], ["1.2.3", null]);
    assert.match(issue!, /did not answer within 2 s$/);
    await eventually(() => !isAlive(Number(pid)));
  }));

Deno.test("a child that keeps the pipes open does not keep the answer", () =>
  withProgram("sleep 60 & echo $!", async (path) => {
    const { code, stdout } = await askProgram(path, [], { timeoutMs: 30_000 });
    assert.equal(code, 0);
    assert.ok(isAlive(Number(stdout)), "a child left behind is not ours to end");
    Deno.kill(Number(stdout), "SIGKILL");
  }));

Deno.test("a flood is cut, and its program ended", () =>
  withProgram("exec yes", async (path) => {
    const { stdout } = await askProgram(path, [], { timeoutMs: 30_000 });
    assert.equal(stdout.length, 65_536);
  }));

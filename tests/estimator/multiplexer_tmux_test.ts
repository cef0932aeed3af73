/** Real tmux servers on private sockets; each is ended by its own pid. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import type { ProcessTable } from "../../src/core/process/process.ts";
import { isDescendant, terminalHost } from "../../src/core/process/process.ts";
import { PANE_VARIABLES, paneKey } from "../../src/core/placement/pane_key.ts";
import { listPanes, parsePanes } from "../../src/estimator/multiplexer_tmux.ts";
import { createProcesses } from "../../src/estimator/processes.ts";
import { Scene, until } from "../fixtures/processes/real.ts";

const SLOW = { timeoutMs: 20_000 };
const processes = createProcesses();

function hasTmux(): boolean {
  try {
    execFileSync("tmux", ["-V"]);
    return true;
  } catch {
    return false;
  }
}

class Tmux {
  readonly pid: number;
  constructor(readonly socket: string) {
    this.ask("-f", "/dev/null", "new-session", "-d", "-s", "a b", "-x", "80", "-y", "24", "cat");
    this.ask("split-window", "-t", "a b", "cat");
    this.pid = Number(this.ask("display-message", "-p", "#{pid}"));
  }

  ask(...args: string[]): string {
    return execFileSync("tmux", ["-S", this.socket, ...args], {
      env: { ...process.env, TMUX: "" },
      encoding: "utf8",
    }).trim();
  }

  async end(): Promise<void> {
    process.kill(this.pid, "SIGKILL");
    await until("the server's end", async () => (await processes.readProcess(this.pid)) === null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if ((await processes.readProcess(this.pid)) !== null) await this.end();
  }
}

async function known(socket: string) {
  const result = await listPanes(socket, SLOW);
  if (result.state !== "known") throw new Error(result.reason);
  return result;
}

async function keyOf(pid: number, table: ProcessTable): Promise<string | null> {
  const env = await until("the pane's environment", async () => {
    const found = await processes.readEnv(pid, PANE_VARIABLES);
    return found?.["TMUX_PANE"] !== undefined && found;
  });
  const host = terminalHost(table, pid);
  return paneKey(env, { startOf: (server) => table.get(server)?.startTime, host });
}

async function keysOf(server: Tmux): Promise<(string | null)[]> {
  const { panes } = await known(server.socket);
  const table = await processes.readTable();
  return await Promise.all(panes.map(({ pid }) => keyOf(pid, table)));
}

Deno.test({
  name: "panes of two servers, and of a restarted one, never share a key",
  ignore: !hasTmux(),
}, async () => {
  await using scene = new Scene();
  await using first = new Tmux(scene.path("one,1.sock"));
  await using second = new Tmux(scene.path("two.sock"));
  const before = [...await keysOf(first), ...await keysOf(second)];
  assert.ok(before.every((key) => key?.startsWith("tmux:") === true));
  assert.equal(new Set(before).size, 4);
  assert.deepEqual(await keysOf(first), before.slice(0, 2));
  await first.end();
  await using again = new Tmux(first.socket);
  const after = await keysOf(again);
  assert.equal(new Set([...before, ...after]).size, 6);
});

Deno.test(
  { name: "panes are listed with their processes and terminals", ignore: !hasTmux() },
  async () => {
    await using scene = new Scene();
    await using server = new Tmux(scene.path("s.sock"));
    const { panes, serverPid } = await known(server.socket);
    assert.equal(serverPid, server.pid);
    assert.deepEqual(panes.map(({ pane }) => pane), ["%0", "%1"]);
    assert.deepEqual(panes.map(({ isVisible }) => isVisible), [false, true]);
    assert.ok(panes.every(({ session, isDead }) => session === "a b" && !isDead));
    const table = await processes.readTable();
    for (const { pid, tty } of panes) {
      assert.equal(table.get(pid)?.tty, tty);
      assert.equal(terminalHost(table, pid)?.pid, server.pid);
      assert.equal(isDescendant(table, pid, server.pid), true);
    }
  },
);

Deno.test({ name: "no server is unknown, and none is started", ignore: !hasTmux() }, async () => {
  await using scene = new Scene();
  const socket = scene.path("none.sock");
  assert.equal((await listPanes(socket, SLOW)).state, "unknown");
  assert.throws(() => Deno.statSync(socket));
});

Deno.test("a tmux that fails, hangs, floods, babbles or is missing is unknown", async () => {
  await using scene = new Scene();
  for (const body of ["exit 1", "exec sleep 600", "exec yes", "echo 1 %0 x", "exit 0"]) {
    const tmux = scene.script("tmux", `#!/bin/sh\n${body}\n`);
    const result = await listPanes("/s", { tmux, timeoutMs: 500 });
    assert.equal(result.state, "unknown", body);
  }
  assert.equal((await listPanes("/s", { tmux: "/nonexistent/tmux" })).state, "unknown");
});

Deno.test("one line that is not understood makes the whole answer unknown", () => {
  const line = "9 %0 10 0 11 /dev/pts/1 a b c\n";
  assert.deepEqual(parsePanes(line), {
    state: "known",
    serverPid: 9,
    panes: [{
      pane: "%0",
      pid: 10,
      tty: "/dev/pts/1",
      isDead: false,
      isVisible: true,
      session: "a b c",
    }],
  });
  assert.equal(parsePanes(`${line}half\n`).state, "unknown");
  assert.equal(parsePanes("").state, "unknown");
});

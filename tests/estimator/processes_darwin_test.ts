/** The macOS reader with stand-in tools, and, where this system has them, with real `ps`/`lsof`. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createDarwinProcesses } from "../../src/estimator/processes_darwin.ts";
import { Scene, until } from "../fixtures/processes/real.ts";

const TABLE = fileURLToPath(new URL("../fixtures/processes/darwin-table.txt", import.meta.url));
const LSOF = fileURLToPath(new URL("../fixtures/processes/darwin-lsof.txt", import.meta.url));
const isMac = Deno.build.os === "darwin";
const hasTools = existsSync("/usr/bin/lsof") && existsSync("/usr/bin/ps");
/** Procps pads names to 15 letters, macOS to 16. */
const REAL = isMac ? {} : { ps: "/usr/bin/ps", lsof: "/usr/bin/lsof", nameWidth: 15 };
const SLOW = { tableMs: 20_000, singleMs: 20_000 };

function stub(scene: Scene, name: string, body: string): string {
  return scene.script(name, `#!/bin/sh\necho "$@" >> '${scene.folder}/calls'\n${body}\n`);
}

function calls(scene: Scene): string[] {
  return Deno.readTextFileSync(`${scene.folder}/calls`).trim().split("\n");
}

Deno.test("a pass is one ps, shared by callers that come meanwhile, in a fixed time zone", async () => {
  await using scene = new Scene();
  const ps = stub(scene, "ps", `echo "$TZ $LC_ALL" >> '${scene.folder}/env'\ncat '${TABLE}'`);
  const processes = createDarwinProcesses({ ps, ...SLOW });
  const [table, other] = await Promise.all([processes.readTable(), processes.readTable()]);
  assert.equal(table.size, 15);
  assert.equal(table, other);
  assert.equal(calls(scene).length, 1);
  assert.match(calls(scene)[0]!, /^-axww -o pid=,/);
  assert.equal(Deno.readTextFileSync(`${scene.folder}/env`), "UTC0 C\n");
  assert.deepEqual([...(await processes.readChain(811)).keys()], [811, 810, 801, 800, 512, 1]);
});

Deno.test("one process costs ps and lsof about that process only", async () => {
  await using scene = new Scene();
  const ps = stub(
    scene,
    "ps",
    `case "$*" in
*" comm="*) echo "/opt/my codex/codex";;
*-Eww*) echo "codex -m gpt TMUX=/tmp/t,1,0 A=b";;
*command=*) echo "codex -m gpt";;
*) grep '^  811' '${TABLE}';;
esac`,
  );
  const lsof = stub(scene, "lsof", `cat '${LSOF}'`);
  const processes = createDarwinProcesses({ ps, lsof, ...SLOW });
  const row = await processes.readProcess(811);
  assert.deepEqual([row?.exe, row?.cwd], ["/opt/my codex/codex", "/Users/me/work here"]);
  assert.deepEqual(await processes.readEnv(811, ["TMUX"]), { TMUX: "/tmp/t,1,0" });
  assert.deepEqual(await processes.openFiles(811), [
    "/Users/me/.codex/sessions/2026/12/01/rollout-x.jsonl",
  ]);
  assert.equal(await processes.isAlive(row!), true);
  assert.equal(await processes.isAlive({ pid: 811, startTime: "earlier" }), false);
  assert.ok(calls(scene).every((line) => line.includes("811")));
});

Deno.test("a ps that fails or hangs is no empty table, and ends nothing", async () => {
  await using scene = new Scene();
  const bodies = ["exit 1", "exec sleep 600", "echo garbage", "exit 127"];
  for (const body of bodies) {
    const ps = stub(scene, "ps", body);
    const processes = createDarwinProcesses({ ps, lsof: ps, tableMs: 300, singleMs: 300 });
    await assert.rejects(processes.readTable(), /^Error: Read the process table: /, body);
    assert.equal(await processes.openFiles(5), null);
  }
  for (const body of ["exec sleep 600", "exit 127"]) {
    const processes = createDarwinProcesses({ ps: stub(scene, "ps", body), singleMs: 300 });
    assert.equal(await processes.isAlive({ pid: 5, startTime: "x" }), true, body);
    await assert.rejects(processes.readProcess(5));
    assert.equal(await processes.readEnv(5, ["A"]), null);
  }
});

Deno.test("status 1 without a line means the pid is free", async () => {
  await using scene = new Scene();
  const processes = createDarwinProcesses({ ps: stub(scene, "ps", "exit 1"), ...SLOW });
  assert.equal(await processes.isAlive({ pid: 5, startTime: "x" }), false);
  assert.equal(await processes.readProcess(5), null);
});

Deno.test(
  { name: "the real tools answer about real processes", ignore: !isMac && !hasTools },
  async () => {
    await using scene = new Scene();
    const processes = createDarwinProcesses({ ...REAL, ...SLOW });
    const file = scene.script("rollout.jsonl", "");
    const pid = await scene.start(["/bin/bash", "-c", `exec 7>>'${file}'; read line`]);
    const row = await until("the row", async () => {
      const row = (await processes.readTable()).get(pid);
      return row?.argv?.[1] === "-c" && row;
    });
    assert.deepEqual([row.ppid, row.comm, row.uid], [Deno.pid, "bash", Deno.uid()!]);
    assert.ok((await processes.readChain(pid)).has(Deno.pid));
    const real = await Deno.realPath(scene.folder);
    await until(
      "the open file",
      async () => (await processes.openFiles(pid))?.includes(`${real}/rollout.jsonl`),
    );
    assert.equal((await processes.readProcess(pid))?.cwd, real);
    assert.equal(await processes.isAlive(row), true);
    await scene.end(pid);
    assert.equal(await processes.isAlive(row), false);
    assert.equal(await processes.readProcess(pid), null);
  },
);

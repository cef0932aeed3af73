/** A process that cannot be read for a moment has not ended: only knowledge ends a run. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createLinuxProcesses } from "../../src/estimator/processes_linux.ts";
import { Scene } from "../fixtures/processes/real.ts";

function stat(pid: number, state: string): string {
  return `${pid} (claude) ${state} 1 ${pid} ${pid} 34816 ${pid} ${"0 ".repeat(11)}0 1 0 77 ${
    "0 ".repeat(30)
  }\n`;
}

Deno.test("a known process whose files cannot be opened stays in the table; a dead one and a gone one do not", async () => {
  await using proc = new Scene();
  const path = proc.path("7/stat");
  writeFileSync(path, stat(7, "S"));
  writeFileSync(proc.path("7/cmdline"), "claude\0");
  const processes = createLinuxProcesses({ root: proc.folder });
  const [known] = [...(await processes.readTable()).values()];
  assert.equal(known?.pid, 7);
  // What cannot be opened, whoever asks: a folder stands in for a process without descriptors.
  rmSync(path);
  mkdirSync(path);
  assert.deepEqual([...(await processes.readTable({ track: [7] })).values()], [known]);
  rmSync(path, { recursive: true });
  writeFileSync(path, stat(7, "Z"));
  assert.equal((await processes.readTable({ track: [7] })).size, 0, "a dead one");
  writeFileSync(path, stat(7, "S"));
  assert.equal((await processes.readTable({ track: [7] })).size, 1);
  rmSync(`${proc.folder}/7`, { recursive: true });
  assert.equal((await processes.readTable({ track: [7] })).size, 0, "a gone one");
});

import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Processes } from "../../src/core/process/process.ts";
import { createLinuxProcesses } from "../../src/estimator/processes_linux.ts";
import { Scene } from "../fixtures/processes/real.ts";

interface Fake {
  readonly pid: number;
  readonly comm?: string;
  readonly start?: number;
  readonly ppid?: number;
  readonly tty?: number;
  readonly image?: number;
  readonly state?: string;
  readonly argv?: string;
}

/** A `/proc` of files: what the kernel does not do on demand (reuse a pid) is written here. */
class FakeProc extends Scene {
  put(fake: Fake): void {
    const { pid, comm = "sh", start = pid, ppid = 1, tty = 0, image = 1, state = "S" } = fake;
    const tail = Array.from({ length: 30 }, (_, at) => at === 3 ? image : 0).join(" ");
    const numbers = `${ppid} ${pid} ${pid} ${tty} ${tty === 0 ? -1 : pid} 0`;
    writeFileSync(
      this.path(`${pid}/stat`),
      `${pid} (${comm}) ${state} ${numbers} ${"0 ".repeat(7)}20 0 1 0 0 ${start} ${tail}\n`
        .replace("20 0 1 0 0 ", "0 0 0 1 0 "),
    );
    writeFileSync(this.path(`${pid}/cmdline`), fake.argv ?? `${comm}\0`);
  }

  drop(pid: number): void {
    rmSync(`${this.folder}/${pid}`, { recursive: true });
  }

  open(): Processes {
    return createLinuxProcesses({ root: this.folder });
  }
}

async function passes(processes: Processes, count: number) {
  for (let at = 1; at < count; at++) await processes.readTable();
  return await processes.readTable();
}

const PTS = 136 << 8;

Deno.test("a fake table reads as written", async () => {
  await using proc = new FakeProc();
  proc.put({ pid: 5, comm: "a) (b", ppid: 4, tty: PTS, start: 77, argv: "node\0x.js\0" });
  proc.put({ pid: 6, state: "Z" });
  writeFileSync(proc.path("7/stat"), "7 (torn");
  mkdirSync(`${proc.folder}/8`);
  writeFileSync(proc.path("self"), "");
  const table = await proc.open().readTable();
  assert.deepEqual([...table.keys()], [5]);
  assert.deepEqual(table.get(5), {
    pid: 5,
    ppid: 4,
    pgid: 5,
    sid: 5,
    tty: "/dev/pts/0",
    foregroundPgid: 5,
    startTime: "77",
    comm: "a) (b",
    argv: ["node", "x.js"],
    exe: null,
  });
});

Deno.test("a reused pid is seen as a new process with its own arguments", async () => {
  await using proc = new FakeProc();
  proc.put({ pid: 9, start: 100, tty: PTS, argv: "claude\0" });
  const processes = proc.open();
  const old = (await passes(processes, 6)).get(9)!;
  assert.equal(await processes.isAlive(old), true);
  proc.put({ pid: 9, start: 900, tty: PTS, argv: "vim\0" });
  assert.equal(await processes.isAlive(old), false);
  const row = (await processes.readTable()).get(9)!;
  assert.deepEqual([row.startTime, row.argv], ["900", ["vim"]]);
  proc.drop(9);
  assert.equal(await processes.isAlive(row), false);
  assert.equal((await processes.readTable()).size, 0);
});

Deno.test("an unchanged row keeps its identity, an exec replaces it", async () => {
  await using proc = new FakeProc();
  proc.put({ pid: 9, tty: PTS, argv: "bash\0" });
  const processes = proc.open();
  const before = (await passes(processes, 5)).get(9);
  assert.equal((await processes.readTable()).get(9), before);
  proc.put({ pid: 9, tty: PTS, argv: "codex\0", image: 2 });
  assert.deepEqual((await processes.readTable()).get(9)?.argv, ["codex"]);
});

Deno.test("the table is the same while no process is another, and never an old one", async () => {
  await using proc = new FakeProc();
  for (const pid of [4, 5, 6]) proc.put({ pid, tty: PTS });
  const processes = proc.open();
  const first = await passes(processes, 6);
  assert.equal(await processes.readTable(), first);
  proc.put({ pid: 7, state: "Z" });
  assert.equal(await processes.readTable(), first, "a zombie is no news");
  const changes: [() => void, number[]][] = [
    [() => proc.put({ pid: 7 }), [4, 5, 6, 7]],
    [() => proc.drop(5), [4, 6, 7]],
    [() => proc.put({ pid: 4, tty: PTS, ppid: 6 }), [4, 6, 7]],
    [() => proc.put({ pid: 6, tty: PTS, start: 999 }), [4, 6, 7]],
  ];
  let before = first;
  for (const [change, pids] of changes) {
    change();
    const table = await processes.readTable();
    assert.notEqual(table, before);
    assert.deepEqual([...table.keys()].sort(), pids);
    before = table;
  }
  assert.deepEqual([...first.keys()].sort(), [4, 5, 6], "what was handed out stays as it was");
});

Deno.test("a young process is read again: a fork shows its parent's name before its exec", async () => {
  await using proc = new FakeProc();
  proc.put({ pid: 9, argv: "sh\0" });
  const processes = proc.open();
  await processes.readTable();
  proc.put({ pid: 9, argv: "claude\0" });
  assert.deepEqual((await processes.readTable()).get(9)?.argv, ["claude"]);
});

Deno.test("words that were read before stay when a process is about to end, not after an exec", async () => {
  await using proc = new FakeProc();
  const typed = { pid: 9, comm: "claude", tty: PTS, argv: "claude\0mcp\0list\0" };
  proc.put(typed);
  const processes = proc.open();
  const argv = async () => (await processes.readTable()).get(9)?.argv;
  await passes(processes, 5);
  proc.put({ ...typed, argv: "", image: 0 });
  assert.deepEqual(await argv(), ["claude", "mcp", "list"]);
  proc.put({ ...typed, argv: "vim\0", image: 3 });
  assert.deepEqual(await argv(), ["vim"]);
});

Deno.test("without a terminal a process is read again when tracked, or within thirty passes", async () => {
  await using proc = new FakeProc();
  for (const pid of [100, 101]) proc.put({ pid });
  const processes = proc.open();
  await passes(processes, 30);
  for (const pid of [100, 101]) proc.put({ pid, comm: "late", image: 5 });
  const comms = [(await processes.readTable({ track: [100] })).get(100)?.comm];
  comms.push((await passes(processes, 30)).get(101)?.comm);
  assert.deepEqual(comms, ["late", "late"]);
});

Deno.test("a process that cannot be read is unknown: alive, without environment and files", async () => {
  await using proc = new FakeProc();
  mkdirSync(`${proc.folder}/12`);
  const processes = proc.open();
  assert.equal(await processes.isAlive({ pid: 12, startTime: "1" }), true);
  assert.equal(await processes.isAlive({ pid: 13, startTime: "1" }), false);
  assert.equal(await processes.readEnv(12, ["A"]), null);
  assert.equal(await processes.openFiles(12), null);
  assert.equal(await processes.readProcess(12), null);
});

Deno.test("open files leave out sockets, pipes and devices, and are bounded", async () => {
  await using proc = new FakeProc();
  mkdirSync(`${proc.folder}/12/fd`, { recursive: true });
  const targets = ["/dev/null", "socket:[1]", "pipe:[2]", "anon_inode:[x]", "/h/a b.jsonl", "/h/x"];
  targets.forEach((target, at) => symlinkSync(target, `${proc.folder}/12/fd/${at}`));
  symlinkSync("/h/x (deleted)", `${proc.folder}/12/fd/90`);
  assert.deepEqual((await proc.open().openFiles(12))?.toSorted(), ["/h/a b.jsonl", "/h/x"]);
  for (let at = 100; at < 4110; at++) symlinkSync(`/h/${at}`, `${proc.folder}/12/fd/${at}`);
  assert.ok((await proc.open().openFiles(12))!.length <= 4096);
});

Deno.test("a root that cannot be listed is an error and no empty table", async () => {
  const processes = createLinuxProcesses({ root: "/nonexistent/proc" });
  await assert.rejects(processes.readTable());
  await assert.rejects(processes.readTable());
});

Deno.test("a chain ends at a cycle", async () => {
  await using proc = new FakeProc();
  proc.put({ pid: 20, ppid: 21 });
  proc.put({ pid: 21, ppid: 20 });
  assert.deepEqual([...(await proc.open().readChain(20)).keys()], [20, 21]);
});

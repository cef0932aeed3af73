import assert from "node:assert/strict";
import {
  ancestors,
  children,
  findProcess,
  foregroundOf,
  isDescendant,
  isSameProcess,
  MAX_ANCESTORS,
  processID,
  terminalHost,
} from "../../src/core/process/process.ts";
import { commandOf, isBareShell } from "../../src/core/process/process_command.ts";
import { fakeRow, fakeTable } from "../fixtures/processes/rows.ts";

function pids(rows: readonly { readonly pid: number }[]): number[] {
  return rows.map((row) => row.pid);
}

Deno.test("ancestors are nearest first and stop at a missing parent", () => {
  const table = fakeTable(
    fakeRow({ pid: 4, ppid: 3 }),
    fakeRow({ pid: 3, ppid: 2 }),
    fakeRow({ pid: 2, ppid: 99 }),
  );
  assert.deepEqual(pids(ancestors(table, 4)), [3, 2]);
  assert.deepEqual(pids(ancestors(table, 1000)), []);
  assert.equal(isDescendant(table, 4, 2), true);
  assert.equal(isDescendant(table, 2, 4), false);
  assert.equal(isDescendant(table, 4, 4), false);
});

Deno.test("ancestors survive cycles and end at the limit", () => {
  const cycle = fakeTable(fakeRow({ pid: 5, ppid: 6 }), fakeRow({ pid: 6, ppid: 5 }));
  assert.deepEqual(pids(ancestors(cycle, 5)), [6]);
  const own = fakeTable(fakeRow({ pid: 7, ppid: 7 }));
  assert.deepEqual(pids(ancestors(own, 7)), []);
  assert.deepEqual(pids(children(own, 7)), []);
  const deep = fakeTable(
    ...Array.from({ length: 200 }, (_, at) => fakeRow({ pid: at + 1, ppid: at })),
  );
  assert.equal(ancestors(deep, 200).length, MAX_ANCESTORS);
});

Deno.test("a reused pid is another process", () => {
  const before = fakeRow({ pid: 40, startTime: "100" });
  const id = processID(before);
  assert.equal(findProcess(fakeTable(before), id), before);
  const after = fakeTable(fakeRow({ pid: 40, startTime: "900" }));
  assert.equal(findProcess(after, id), undefined);
  assert.equal(isSameProcess(id, { pid: 40, startTime: "900" }), false);
});

Deno.test("the foreground group of a terminal begins with its leader", () => {
  const table = fakeTable(
    fakeRow({ pid: 21, pgid: 30, ppid: 30 }),
    fakeRow({ pid: 30, pgid: 30, ppid: 20 }),
    fakeRow({ pid: 20, pgid: 20, foregroundPgid: 30 }),
    fakeRow({ pid: 50, pgid: 30, tty: "/dev/pts/2" }),
    fakeRow({ pid: 60, pgid: 60, tty: "/dev/pts/1", sid: 77 }),
  );
  assert.deepEqual(pids(foregroundOf(table, "/dev/pts/1", { sid: 10 })), [30, 21]);
  assert.deepEqual(pids(foregroundOf(table, "/dev/pts/1")), [30, 60, 21]);
  assert.deepEqual(foregroundOf(table, "/dev/pts/9"), []);
});

Deno.test("the terminal's host is the nearest ancestor on another terminal", () => {
  const table = fakeTable(
    fakeRow({ pid: 2, ppid: 1, tty: null }),
    fakeRow({ pid: 20, ppid: 2 }),
    fakeRow({ pid: 21, ppid: 20 }),
  );
  assert.equal(terminalHost(table, 21)?.pid, 2);
  assert.equal(terminalHost(table, 2), null);
  assert.equal(terminalHost(fakeTable(fakeRow({ pid: 21, ppid: 20 })), 21), null);
});

Deno.test("a command is read by position", () => {
  const cases: [string[], string | null, string | null, string[]][] = [
    [["node", "/a/cli.js", "x"], "/a/cli.js", null, ["x"]],
    [
      ["/usr/bin/node", "--max-old-space-size=9", "-r", "/p.js", "/a/cli.js"],
      "/a/cli.js",
      null,
      [],
    ],
    [["node", "-e", "claude", "x"], null, null, ["-e", "claude", "x"]],
    [["node"], null, null, []],
    [["bun", "run", "/a/tui.js", "run"], "/a/tui.js", null, ["run"]],
    [["deno", "run", "-A", "/a/x.ts"], "/a/x.ts", null, []],
    [["python3.12", "-m", "aider", "--x"], null, "aider", ["--x"]],
    [["python", "-Im", "aider"], null, "aider", []],
    [["python3", "-W", "ignore", "/usr/bin/aider"], "/usr/bin/aider", null, []],
    [["python3", "-c", "import x", "/usr/bin/aider"], null, null, [
      "-c",
      "import x",
      "/usr/bin/aider",
    ]],
    [["/bin/sh", "/home/me/bin/claude", "--x"], "/home/me/bin/claude", null, ["--x"]],
    [["bash", "-lc", "claude"], null, null, ["-lc", "claude"]],
    [["vim", "claude.md"], null, null, ["claude.md"]],
  ];
  for (const [argv, script, module, args] of cases) {
    const { programs: _, ...command } = commandOf(fakeRow({ pid: 1, argv }));
    assert.deepEqual(command, { script, module, args }, argv.join(" "));
  }
});

Deno.test("a bare shell runs no script", () => {
  const isBare = (...argv: string[]) => isBareShell(fakeRow({ pid: 1, argv }));
  assert.equal(isBare("-zsh"), true);
  assert.equal(isBare("/bin/bash", "-lc", "ls"), true);
  assert.equal(isBare("bash", "/x/agent"), false);
  assert.equal(isBare("ssh", "host"), false);
  assert.equal(isBareShell(fakeRow({ pid: 1, comm: "fish" })), true);
});

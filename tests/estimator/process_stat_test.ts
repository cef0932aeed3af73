import assert from "node:assert/strict";
import { parseStat, parseWords, pickEnv, ttyName } from "../../src/estimator/process_stat.ts";

function rest(state: string, threads = 1, flags = 4194560): string {
  return `${state} 20 30 10 34819 30 ${flags} 0 0 0 0 0 0 0 0 20 0 ${threads} 0 87930 1 2 3 11 12 13 0 0 ` +
    "0 0 0 0 0 0 0 17 1 0 0 0 0 0 14 15 16 17 18 19 20 0";
}

Deno.test("a stat line gives the row, whatever the name holds", () => {
  for (const comm of ["node", "a b", ":-) (x)", ") R 1 1 1", "two\nlines", "", "ü\u{fffd}"]) {
    const stat = parseStat(`31 (${comm}) ${rest("S")}\n`);
    assert.deepEqual(stat?.row, {
      pid: 31,
      ppid: 20,
      pgid: 30,
      sid: 10,
      tty: "/dev/pts/3",
      foregroundPgid: 30,
      startTime: "87930",
      comm,
    });
    assert.equal(stat?.image, "11 13 17 18");
  }
});

Deno.test("dead processes and kernel threads are told apart", () => {
  const read = (...fields: Parameters<typeof rest>) => parseStat(`1 (x) ${rest(...fields)}`);
  assert.equal(read("Z")?.isDead, true);
  assert.equal(read("X")?.isDead, true);
  assert.equal(read("Z", 3)?.isDead, false);
  assert.equal(read("T")?.isDead, false);
  assert.equal(read("S")?.isKernelThread, false);
  assert.equal(read("I", 1, 0x00200040)?.isKernelThread, true);
});

Deno.test("what is no stat line reads as null", () => {
  for (const text of ["", "x", "1 (", "1 )(", "(x) S 1", "x (y) S 1", "1 (x) S 1 2", "-1 (x) S"]) {
    assert.equal(parseStat(text), null, text);
  }
});

Deno.test("terminal numbers become device paths", () => {
  const device = (major: number, minor: number) =>
    (major << 8) | (minor & 0xff) | ((minor & ~0xff) << 12);
  assert.equal(ttyName(0), null);
  assert.equal(ttyName(NaN), null);
  assert.equal(ttyName(device(136, 0)), "/dev/pts/0");
  assert.equal(ttyName(device(136, 5)), "/dev/pts/5");
  assert.equal(ttyName(device(136, 300)), "/dev/pts/300");
  assert.equal(ttyName(device(136, 0xfffff)), "/dev/pts/1048575");
  assert.equal(ttyName(device(137, 4)), "/dev/pts/260");
  assert.equal(ttyName(device(4, 1)), "/dev/tty1");
  assert.equal(ttyName(device(4, 65)), "/dev/ttyS1");
  assert.equal(ttyName(device(5, 1)), "/dev/console");
  assert.equal(ttyName(device(229, 0)), "/dev/char/229:0");
});

Deno.test("argument blocks keep inner empty words and lose padding", () => {
  assert.deepEqual(parseWords("node\0/a b/c.js\0\0x\0"), ["node", "/a b/c.js", "", "x"]);
  assert.deepEqual(parseWords("pi\0\0\0\0\0"), ["pi"]);
  assert.deepEqual(parseWords("nginx: master"), ["nginx: master"]);
  assert.deepEqual(parseWords(""), []);
  assert.deepEqual(parseWords("\0\0"), []);
});

Deno.test("the named variables are picked, the first setting counts", () => {
  const block = "TMUX=/tmp/a,1,0\0EMPTY=\0NOT\0TMUX=second\0A=b=c\0=x\0";
  assert.deepEqual(pickEnv(block, ["TMUX", "EMPTY", "A", "__proto__", "NOT", ""]), {
    TMUX: "/tmp/a,1,0",
    EMPTY: "",
    A: "b=c",
  });
});

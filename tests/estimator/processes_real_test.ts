/** The Linux reader and the signatures against real processes in the shapes agents have. */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import type { ProcessRow } from "../../src/core/process/process.ts";
import { matchProcess } from "../../src/core/process/signature.ts";
import { PROVIDERS as RECORDS } from "../../src/core/registry.ts";
import { createProcesses } from "../../src/estimator/processes.ts";
import { PROVIDERS } from "../fixtures/processes/providers.ts";
import { Scene, until } from "../fixtures/processes/real.ts";

const ignore = Deno.build.os !== "linux";
const WAIT = ["-c", "read line"];
const processes = createProcesses();

/** The row once `is` holds: a new process is its parent's image until it has exec'd. */
function rowWhen(pid: number, is: (row: ProcessRow) => boolean): Promise<ProcessRow> {
  return until(`process ${pid}`, async () => {
    const row = (await processes.readTable()).get(pid);
    return row !== undefined && is(row) && row;
  });
}

Deno.test({ name: "our own row is complete", ignore }, async () => {
  const row = await processes.readProcess(Deno.pid);
  assert.equal(row?.pid, Deno.pid);
  assert.equal(row?.ppid, Deno.ppid);
  assert.equal(row?.cwd, Deno.cwd());
  assert.equal(row?.uid, Deno.uid());
  assert.equal(row?.exe, Deno.execPath());
  assert.deepEqual((await processes.readChain(Deno.pid)).get(Deno.ppid)?.pid, Deno.ppid);
  assert.equal((await processes.readTable()).get(Deno.pid)?.startTime, row?.startTime);
});

Deno.test(
  { name: "Claude's shapes: link, version file, renamed, wrapped, as rg", ignore },
  async () => {
    await using scene = new Scene();
    const real = scene.program("share/claude/versions/2.1.185");
    const shapes: [string[], string | undefined][] = [
      [[scene.link("bin/claude", real)], "claude-code"],
      [[real], "claude-code"],
      [[scene.link("bin/cc", real)], "claude-code"],
      [[scene.program("lib/claude-code/bin/claude.exe")], "claude-code"],
      [[scene.program("nix/.claude-unwrapped")], "claude-code"],
      [[scene.program("bin/claude-watch")], undefined],
      [["/bin/bash", "-c", `exec -a rg ${real} "$@"`, "x"], undefined],
    ];
    for (const [argv, provider] of shapes) {
      const pid = await scene.start([...argv, ...WAIT]);
      const row = await rowWhen(
        pid,
        (row) => row.argv?.[1] === "-c" && row.argv[2] === "read line",
      );
      assert.equal(matchProcess(row, PROVIDERS)?.provider, provider, argv.join(" "));
      await scene.end(pid);
    }
  },
);

Deno.test(
  { name: "a running program that was replaced is still known by its path", ignore },
  async () => {
    await using scene = new Scene();
    const real = scene.program("share/claude/versions/2.1.185");
    const pid = await scene.start([scene.link("bin/x", real), ...WAIT]);
    await rowWhen(pid, (row) => row.exe === real);
    rmSync(real);
    assert.equal((await processes.readProcess(pid))?.exe, real);
  },
);

Deno.test(
  { name: "a node script with a changed thread name is known by its argv", ignore },
  async () => {
    await using scene = new Scene();
    const script = scene.script(
      "node_modules/@github/copilot/npm-loader.js",
      `require("fs").writeFileSync("/proc/self/comm", "MainThread"); process.stdin.resume();`,
    );
    const row = await rowWhen(
      await scene.start(["node", script]),
      (row) => row.comm === "MainThread" && row.argv?.[1] === script,
    );
    assert.equal(matchProcess(row, PROVIDERS)?.provider, "copilot");
  },
);

Deno.test(
  { name: "a title that was overwritten before the first look is one word", ignore },
  async () => {
    await using scene = new Scene();
    const script = scene.script("cli.js", `process.title = "pi"; process.stdin.resume();`);
    const pid = await scene.start(["node", script, "a", "b"]);
    const row = await until("its title", async () => {
      const row = await processes.readProcess(pid);
      return row?.comm === "pi" && row.argv?.[0] === "pi" && row;
    });
    assert.deepEqual(row.argv, ["pi"]);
    assert.equal(matchProcess(row, PROVIDERS)?.provider, "pi");
  },
);

Deno.test({ name: "a title that is overwritten later hides no command", ignore }, async () => {
  await using scene = new Scene();
  const script = scene.script(
    ".bin/pi",
    `process.stdin.once("data", () => { process.title = "pi"; process.stdin.resume(); });`,
  );
  const pid = await scene.start(["node", script, "list"]);
  const before = await rowWhen(pid, ({ argv }) => argv?.[2] === "list");
  assert.equal(matchProcess(before, RECORDS), null);
  scene.say(pid, "now\n");
  const row = await rowWhen(pid, ({ comm }) => comm === "pi");
  assert.deepEqual(row.argv?.slice(1), [script, "list"]);
  assert.equal(matchProcess(row, RECORDS), null);
});

Deno.test({ name: "names with parentheses, blanks and newlines are read", ignore }, async () => {
  await using scene = new Scene();
  const name = ") R 1 (\n x";
  const script = scene.script(
    "x.js",
    `require("fs").writeFileSync("/proc/self/comm", ${
      JSON.stringify(name)
    }); process.stdin.resume();`,
  );
  const pid = await scene.start(["node", script]);
  const row = await rowWhen(pid, (row) => row.comm === name);
  assert.deepEqual([row.ppid, row.pid], [Deno.pid, pid]);
});

Deno.test({ name: "environment, open files and life of a real process", ignore }, async () => {
  await using scene = new Scene();
  const file = scene.script("rollout é.jsonl", "");
  const pid = await scene.start(["/bin/bash", "-c", `exec 7>>'${file}'; read line`], {
    env: { MYTTY_TEST_A: "x=y z", MYTTY_TEST_EMPTY: "" },
  });
  await until("the open file", async () => (await processes.openFiles(pid))?.includes(file));
  const names = ["MYTTY_TEST_A", "MYTTY_TEST_EMPTY", "MYTTY_TEST_NONE"];
  assert.deepEqual(await processes.readEnv(pid, names), {
    MYTTY_TEST_A: "x=y z",
    MYTTY_TEST_EMPTY: "",
  });
  const row = await processes.readProcess(pid);
  assert.equal(row?.cwd, await Deno.realPath(scene.folder));
  assert.equal(await processes.isAlive(row!), true);
  assert.equal(await processes.isAlive({ pid, startTime: "1" }), false);
  await scene.end(pid);
  assert.equal(await processes.isAlive(row!), false);
  assert.equal(await processes.readProcess(pid), null);
  assert.equal(await processes.openFiles(pid), null);
  assert.equal((await processes.readChain(pid)).size, 0);
});

Deno.test({ name: "reading survives processes that come and go meanwhile", ignore }, async () => {
  await using scene = new Scene();
  await scene.start(["/bin/bash", "-c", "while :; do /bin/true; done"]);
  for (let at = 0; at < 20; at++) {
    const table = await processes.readTable();
    assert.ok(table.has(Deno.pid));
  }
});

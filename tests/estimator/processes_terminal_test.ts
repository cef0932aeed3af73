/** Codex's two shapes as real processes: under a launcher on a terminal, and as a daemon. */

import assert from "node:assert/strict";
import type { ProcessRow, ProcessTable } from "../../src/core/process/process.ts";
import { isDescendant, terminalHost } from "../../src/core/process/process.ts";
import { matchProcess } from "../../src/core/process/signature.ts";
import { agentProcess, foregroundAgent } from "../../src/core/process/signature_agent.ts";
import { createProcesses } from "../../src/estimator/processes.ts";
import { CODEX, PROVIDERS } from "../fixtures/processes/providers.ts";
import { Scene, until } from "../fixtures/processes/real.ts";

const ignore = Deno.build.os !== "linux";
const processes = createProcesses();

/** The row once `is` holds: a new process is its parent's image until it has exec'd. */
function rowWhen(pid: number, is: (row: ProcessRow) => boolean): Promise<ProcessRow> {
  return until(`process ${pid}`, async () => {
    const row = (await processes.readTable()).get(pid);
    return row !== undefined && is(row) && row;
  });
}

function tableWhen(is: (table: ProcessTable) => unknown): Promise<ProcessTable> {
  return until("the table", async () => {
    const table = await processes.readTable();
    return is(table) ? table : null;
  });
}

function underFolder(table: ProcessTable, folder: string): ProcessRow[] {
  return [...table.values()].filter((row) => row.argv?.some((word) => word.includes(folder)));
}

/** The npm package of Codex: a linked node script that starts the native program below it. */
function installCodex(scene: Scene): string {
  const native = scene.program("lib/vendor/x86_64-unknown-linux-musl/bin/codex");
  const launcher = scene.script(
    "lib/@openai/codex/bin/codex.js",
    `#!/usr/bin/env node
const child = require("child_process").spawn(${
      JSON.stringify(native)
    }, process.argv.slice(2), { stdio: "inherit" });
child.on("exit", (code) => process.exit(code ?? 1));\n`,
  );
  return scene.link("bin/codex", launcher);
}

Deno.test(
  { name: "Codex on a real terminal: node leads, the native child is the agent", ignore },
  async () => {
    await using scene = new Scene();
    const codex = installCodex(scene);
    const line = `bash --norc -i -c '${codex} -c "read line; true"; true'`;
    const host = await scene.start(["script", "-qec", line, "/dev/null"]);
    const isNative = (row: ProcessRow) => row.comm === "codex" && row.argv?.[1] === "-c";
    const table = await tableWhen((table) => underFolder(table, scene.folder).some(isNative));
    const native = underFolder(table, scene.folder).find(isNative)!;
    assert.match(native.tty ?? "", /^\/dev\/pts\/\d+$/);
    assert.equal(isDescendant(table, native.pid, host), true);
    assert.equal(terminalHost(table, native.pid)?.pid, host);
    const pane = foregroundAgent(table, native.tty!, { providers: PROVIDERS });
    assert.deepEqual([pane?.row.pid, pane?.interactive], [native.pid, true]);
    assert.deepEqual([pane?.leader.comm, pane?.leader.pid], ["node", native.ppid]);
    assert.equal(agentProcess(table, native.pid, { provider: CODEX })?.leader.pid, native.ppid);
    const shell = table.get(pane!.leader.ppid)!;
    assert.equal(shell.comm, "bash");
    assert.notEqual(shell.pgid, shell.foregroundPgid);
  },
);

Deno.test(
  { name: "a daemon in its own session is shared and on no terminal", ignore },
  async () => {
    await using scene = new Scene();
    const native = scene.program("releases/1/bin/codex");
    scene.script("app-server", "read line\n");
    const argv = ["setsid", native, "app-server", "--listen", "unix://", "--managed-daemon"];
    const pid = await scene.start(argv);
    const row = await rowWhen(pid, (row) => row.comm === "codex" && row.sid === pid);
    assert.equal(row.tty, null);
    assert.deepEqual(matchProcess(row, PROVIDERS), {
      provider: "codex",
      interactive: false,
      shared: true,
    });
  },
);

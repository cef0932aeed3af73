/**
 * The process table of macOS: one bounded `ps` per pass, never one per pid; `lsof` only when a
 * caller asks for one process's files or folder.
 */

import {
  ancestors,
  isSameProcess,
  type Processes,
  type ProcessID,
  type ProcessRow,
  type ProcessTable,
} from "../core/process/process.ts";
import { parseLsof, parsePs, pickPsEnv, PS_COLUMNS, type PsOptions } from "./process_ps.ts";
import { darwinStart } from "./process_start.ts";
import { runTool } from "./process_tool.ts";

export interface DarwinProcessesOptions extends PsOptions {
  readonly ps?: string;
  readonly lsof?: string;
  /** Deadline of the whole table. */
  readonly tableMs?: number;
  /** Deadline of a question about one process. */
  readonly singleMs?: number;
}

interface Tools extends Required<Omit<DarwinProcessesOptions, keyof PsOptions>> {
  readonly layout: PsOptions;
}

/** Start times are printed in local time and language: fixed, or they change with the clock. */
const PLAIN_ENV = { LC_ALL: "C", TZ: "UTC0" };
const MAX_TABLE_BYTES = 16 * 1024 * 1024;
const MAX_SINGLE_BYTES = 2 * 1024 * 1024;

export function createDarwinProcesses(options: DarwinProcessesOptions = {}): Processes {
  const { ps = "/bin/ps", lsof = "/usr/sbin/lsof", tableMs = 3000, singleMs = 1000 } = options;
  const { nameWidth } = options;
  const layout = nameWidth === undefined ? {} : { nameWidth };
  const tools: Tools = { ps, lsof, tableMs, singleMs, layout };
  let running: Promise<ProcessTable> | undefined;
  /** Calls that come while `ps` runs share its answer: a slow host must not collect processes. */
  function readShared(): Promise<ProcessTable> {
    running ??= readTable(tools).finally(() => {
      running = undefined;
    });
    return running;
  }
  return {
    readTable: readShared,
    readProcess: (pid) => readWhole(tools, pid),
    async readChain(pid) {
      // A table begun before the question may be older than the process asked for.
      const table = await readTable(tools);
      const own = table.get(pid);
      const rows = own === undefined ? [] : [own, ...ancestors(table, pid)];
      return new Map(rows.map((row) => [row.pid, row]));
    },
    readEnv: (pid, names) => readEnv(tools, pid, names),
    openFiles: async (pid) => (await readOpen(tools, pid))?.files ?? null,
    isAlive: (id) => isAlive(tools, id),
    startedAt: darwinStart,
  };
}

async function readTable(tools: Tools): Promise<ProcessTable> {
  const result = await runTool(tools.ps, ["-axww", "-o", PS_COLUMNS], {
    timeoutMs: tools.tableMs,
    maxBytes: MAX_TABLE_BYTES,
    env: PLAIN_ENV,
  });
  if (!result.ok) throw new Error(`Read the process table: ${result.reason}`);
  const rows = parsePs(result.stdout, tools.layout);
  // At least `ps` itself is there: an empty answer is a failure, not an empty system.
  if (rows.length === 0) throw new Error(`Read the process table: no rows, status ${result.code}`);
  return new Map(rows.map((row) => [row.pid, row]));
}

/** `ps` about one process; undefined when it gave no answer, "" when the pid is free. */
async function askPs(tools: Tools, args: readonly string[]): Promise<string | undefined> {
  const result = await runTool(tools.ps, args, {
    timeoutMs: tools.singleMs,
    maxBytes: MAX_SINGLE_BYTES,
    env: PLAIN_ENV,
  });
  if (!result.ok) return undefined;
  // Status 1 without a line is how `ps` says "no such process"; with one, the line counts.
  return result.code > 1 ? undefined : result.stdout;
}

async function readRow(tools: Tools, pid: number): Promise<ProcessRow | null | undefined> {
  const text = await askPs(tools, ["-ww", "-p", String(pid), "-o", PS_COLUMNS]);
  if (text === undefined) return undefined;
  return parsePs(text, tools.layout).find((row) => row.pid === pid) ?? null;
}

async function readWhole(tools: Tools, pid: number): Promise<ProcessRow | null> {
  const row = await readRow(tools, pid);
  if (row === undefined) throw new Error(`Read process ${pid}: "${tools.ps}" gave no answer`);
  if (row === null) return null;
  const [path, open] = await Promise.all([
    askPs(tools, ["-ww", "-p", String(pid), "-o", "comm="]),
    readOpen(tools, pid, "cwd"),
  ]);
  const exe = path?.trim() ?? "";
  return { ...row, exe: exe.startsWith("/") ? exe : null, cwd: open?.cwd ?? null };
}

async function readEnv(
  tools: Tools,
  pid: number,
  names: readonly string[],
): Promise<Readonly<Record<string, string>> | null> {
  const [plain, full] = await Promise.all([
    askPs(tools, ["-ww", "-p", String(pid), "-o", "command="]),
    askPs(tools, ["-Eww", "-p", String(pid), "-o", "command="]),
  ]);
  const [command, line] = [plain?.trimEnd() ?? "", full?.trimEnd() ?? ""];
  // Without an environment behind the command it is hidden (another user, a protected program).
  if (command === "" || line.length <= command.length) return null;
  return pickPsEnv(line, names, command);
}

async function readOpen(tools: Tools, pid: number, descriptors = "0-4095,cwd") {
  const args = ["-n", "-P", "-w", "-a", "-p", String(pid), "-d", descriptors, "-F", "ftn"];
  const result = await runTool(tools.lsof, args, {
    timeoutMs: tools.singleMs,
    maxBytes: MAX_SINGLE_BYTES,
    env: PLAIN_ENV,
  });
  if (!result.ok || !/^p\d+$/m.test(result.stdout)) return null;
  return parseLsof(result.stdout);
}

async function isAlive(tools: Tools, id: ProcessID): Promise<boolean> {
  const row = await readRow(tools, id.pid);
  if (row === undefined) return true;
  return row !== null && isSameProcess(row, id);
}

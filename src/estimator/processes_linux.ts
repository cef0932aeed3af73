/**
 * The process table of Linux, from `/proc`.
 *
 * One pass lists the pids and reads only what can have changed: new and young processes, those
 * with a terminal, those tracked, and a slice of the rest in turn. Rows that did not change keep
 * their identity between passes, and so does the table when none did: callers can cache by both.
 * Deno guards `/proc/<pid>` files
 * as sensitive: they need `--allow-all`.
 */

import {
  isSameProcess,
  MAX_ANCESTORS,
  type Processes,
  type ProcessID,
  type ProcessRow,
  type ProcessTable,
} from "../core/process/process.ts";
import { createPidListing } from "./process_listing.ts";
import { createProcFiles, type ProcFiles } from "./process_proc_files.ts";
import { linuxStart } from "./process_start.ts";
import { keptWords, parseStat, parseWords, pickEnv, type ProcessStat } from "./process_stat.ts";

export interface LinuxProcessesOptions {
  /** Another root than `/proc`, for tests. */
  readonly root?: string;
}

interface Entry {
  readonly row: ProcessRow;
  readonly image: string;
  readonly isKernelThread: boolean;
  /** Passes that have read it. */
  readonly reads: number;
}

/** A fork that is about to exec looks like its parent: read it again for a few passes. */
const YOUNG_READS = 3;
/** Every process without a terminal is read again within this many passes. */
const SLICES = 30;
/** Other work gets its turn after this many reads (some milliseconds). */
const READS_PER_TURN = 64;
const MAX_ARGV_BYTES = 16 * 1024;
const MAX_ENV_BYTES = 2 * 1024 * 1024;

export function createLinuxProcesses(options: LinuxProcessesOptions = {}): Processes {
  const files = createProcFiles(options.root ?? "/proc");
  const reader = createTableReader(files);
  return {
    readTable: reader.readTable,
    readProcess: (pid) => Promise.resolve(readWhole(files, pid)),
    readChain: (pid) => Promise.resolve(readChain(files, pid)),
    readEnv(pid, names) {
      const block = files.read(pid, { name: "environ", limit: MAX_ENV_BYTES });
      return Promise.resolve(block === null ? null : pickEnv(block, names));
    },
    openFiles: (pid) => Promise.resolve(files.openFiles(pid)),
    isAlive: (id) => Promise.resolve(isAlive(files, id)),
    startedAt: (id) => linuxStart(id, { uptime: files.uptime() ?? "", now: Date.now() }),
  };
}

function createTableReader(files: ProcFiles): Pick<Processes, "readTable"> {
  const listPids = createPidListing(files);
  const entries = new Map<number, Entry>();
  let table: ProcessTable = new Map();
  let pass = 0;
  let running: Promise<unknown> = Promise.resolve();

  async function readOnce(track: ReadonlySet<number>): Promise<ProcessTable> {
    pass++;
    const pids = listPids(entries);
    let [reads, present, isSame] = [0, 0, true];
    for (const pid of pids) {
      const known = entries.get(pid);
      if (known !== undefined && !isDue(known, { pass, track })) {
        present++;
        continue;
      }
      if (++reads % READS_PER_TURN === 0) await nextTurn();
      const entry = readEntry(files, pid, known);
      if (entry?.row !== known?.row) isSame = false;
      if (entry === null) entries.delete(pid);
      else {
        present++;
        entries.set(pid, entry);
      }
    }
    if (present < entries.size) {
      keepOnly(entries, new Set(pids));
      isSame = false;
    }
    // The same table for the same processes: what was found in it need not be looked for again.
    if (!isSame) table = rowsOf(entries);
    return table;
  }

  return {
    readTable({ track = [] } = {}) {
      const wanted = new Set(track);
      const result = running.then(() => readOnce(wanted));
      running = result.catch(() => undefined);
      return result;
    },
  };
}

function keepOnly(entries: Map<number, Entry>, pids: ReadonlySet<number>): void {
  for (const pid of entries.keys()) if (!pids.has(pid)) entries.delete(pid);
}

function rowsOf(entries: ReadonlyMap<number, Entry>): ProcessTable {
  const table = new Map<number, ProcessRow>();
  for (const [pid, { row }] of entries) table.set(pid, row);
  return table;
}

function isDue(
  { row, reads }: Entry,
  context: { readonly pass: number; readonly track: ReadonlySet<number> },
): boolean {
  return row.tty !== null || reads < YOUNG_READS || context.track.has(row.pid) ||
    (row.pid + context.pass) % SLICES === 0;
}

function readStat(files: ProcFiles, pid: number): ProcessStat | null {
  const text = files.read(pid, { name: "stat" });
  const stat = text === null ? null : parseStat(text);
  if (stat === null || stat.isDead) return null;
  // Ticks begin again with every boot, and the log outlives it.
  const startTime = `${stat.row.startTime}${files.bootTag}`;
  return { ...stat, row: { ...stat.row, startTime } };
}

function readEntry(files: ProcFiles, pid: number, known: Entry | undefined): Entry | null {
  const stat = readStat(files, pid);
  if (stat === null) {
    // Out of descriptors, say: unreadable is not gone, as long as it is listed.
    const isGone = !files.exists(pid) || files.read(pid, { name: "stat" }) !== null;
    return isGone ? null : known ?? null;
  }
  const same = known !== undefined && isSameProcess(known.row, stat.row) ? known : undefined;
  const reads = (same?.reads ?? 0) + 1;
  const { image, isKernelThread } = stat;
  const isSettled = same !== undefined && reads > YOUNG_READS && same.image === image &&
    same.row.comm === stat.row.comm;
  const details = isSettled
    ? { argv: same.row.argv, exe: same.row.exe }
    : keptWords(readDetails(files, pid, isKernelThread), { same, image });
  const row = { ...stat.row, ...details };
  return {
    row: same !== undefined && isEqualRow(same.row, row) ? same.row : row,
    image,
    isKernelThread,
    reads,
  };
}

function readDetails(files: ProcFiles, pid: number, isKernelThread: boolean) {
  if (isKernelThread) return { argv: [], exe: null };
  const block = files.read(pid, { name: "cmdline", limit: MAX_ARGV_BYTES });
  return { argv: block === null ? undefined : parseWords(block), exe: files.link(pid, "exe") };
}

function isEqualRow(left: ProcessRow, right: ProcessRow): boolean {
  return left.ppid === right.ppid && left.pgid === right.pgid && left.sid === right.sid &&
    left.tty === right.tty && left.foregroundPgid === right.foregroundPgid &&
    left.comm === right.comm && left.exe === right.exe &&
    isEqualArgv(left.argv, right.argv);
}

/** A settled row keeps its list: programs that overwrite their title leave thousands of words. */
function isEqualArgv(left: ProcessRow["argv"], right: ProcessRow["argv"]): boolean {
  return left === right ||
    left?.length === right?.length && (left ?? []).every((word, at) => word === right?.[at]);
}

function readWhole(files: ProcFiles, pid: number): ProcessRow | null {
  const stat = readStat(files, pid);
  if (stat === null) return null;
  return {
    ...stat.row,
    ...readDetails(files, pid, stat.isKernelThread),
    cwd: stat.isKernelThread ? null : files.link(pid, "cwd"),
    uid: files.owner(pid),
  };
}

function readChain(files: ProcFiles, pid: number): ProcessTable {
  const table = new Map<number, ProcessRow>();
  for (let at = pid; at > 0 && table.size <= MAX_ANCESTORS && !table.has(at);) {
    const row = readWhole(files, at);
    if (row === null) break;
    table.set(at, row);
    at = row.ppid;
  }
  return table;
}

function isAlive(files: ProcFiles, id: ProcessID): boolean {
  const text = files.read(id.pid, { name: "stat" });
  const stat = text === null ? null : parseStat(text);
  // Listed but unreadable says nothing about who it is: only knowledge ends a run.
  if (stat === null) return files.exists(id.pid);
  const startTime = `${stat.row.startTime}${files.bootTag}`;
  return !stat.isDead && isSameProcess({ ...stat.row, startTime }, id);
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Processes as the estimator and the placement see them: rows, tables and walks over them.
 *
 * Pure: a table is plain data that an edge read; nothing here looks at the system. A process is
 * known by pid AND start time, since the system hands pids out again.
 */

/** One process. A field that may be `undefined` was not read; `null` means it has none or hides it. */
export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** 0 where the system does not tell (macOS). */
  readonly sid: number;
  /** For example "/dev/pts/3"; null without a controlling terminal. */
  readonly tty: string | null;
  /** Process group in the foreground of `tty`; -1 without one. */
  readonly foregroundPgid: number;
  /** Opaque; together with `pid` it names one process for ever. */
  readonly startTime: string;
  readonly comm: string;
  readonly argv?: readonly string[] | undefined;
  readonly exe?: string | null | undefined;
  readonly cwd?: string | null | undefined;
  readonly uid?: number | undefined;
}

export interface ProcessID {
  readonly pid: number;
  readonly startTime: string;
}

export type ProcessTable = ReadonlyMap<number, ProcessRow>;

/** What an edge must be able to do; `src/estimator/processes.ts` chooses the variant. */
export interface Processes {
  /**
   * Every visible process, one pass. Rejects when the system did not answer, so that a failed
   * reading is never taken for "all gone". Processes of `track` are read anew although they have
   * no terminal.
   */
  readTable(options?: { readonly track?: Iterable<number> }): Promise<ProcessTable>;
  /** One process with all fields, read now; null when it is gone. */
  readProcess(pid: number): Promise<ProcessRow | null>;
  /** The process and its ancestors, read now: what a hook's placement needs. */
  readChain(pid: number): Promise<ProcessTable>;
  /** Values of the named variables at exec time; null when they cannot be read. */
  readEnv(pid: number, names: readonly string[]): Promise<Readonly<Record<string, string>> | null>;
  /** Paths of open files; null when they cannot be read. */
  openFiles(pid: number): Promise<readonly string[] | null>;
  /** False only when this very process is known to be gone. */
  isAlive(id: ProcessID): Promise<boolean>;
  /** When the process began, in milliseconds since the epoch; null where it cannot be told. */
  startedAt?(id: ProcessID): number | null;
}

/** Deeper trees than this are damage, not ancestry. */
export const MAX_ANCESTORS = 64;

export function processID(row: ProcessRow): ProcessID {
  return { pid: row.pid, startTime: row.startTime };
}

/** One text for one process, for maps. */
export function processKey({ pid, startTime }: ProcessID): string {
  return `${pid} ${startTime}`;
}

export function isSameProcess(left: ProcessID, right: ProcessID): boolean {
  return left.pid === right.pid && left.startTime === right.startTime;
}

/** The row of exactly this process, or undefined when its pid is free or another process has it. */
export function findProcess(table: ProcessTable, id: ProcessID): ProcessRow | undefined {
  const row = table.get(id.pid);
  return row !== undefined && isSameProcess(row, id) ? row : undefined;
}

/** Ancestors, nearest first, at most 64; a cycle (a torn reading) ends the walk. */
export function ancestors(table: ProcessTable, pid: number): ProcessRow[] {
  const found: ProcessRow[] = [];
  const seen = new Set([pid]);
  let row = table.get(pid);
  while (row !== undefined && found.length < MAX_ANCESTORS && !seen.has(row.ppid)) {
    seen.add(row.ppid);
    row = table.get(row.ppid);
    if (row !== undefined) found.push(row);
  }
  return found;
}

export function isDescendant(table: ProcessTable, pid: number, ancestor: number): boolean {
  return ancestors(table, pid).some((row) => row.pid === ancestor);
}

/** By pid. */
export function children(table: ProcessTable, pid: number): readonly ProcessRow[] {
  let index = CHILDREN.get(table);
  if (index === undefined) CHILDREN.set(table, index = childIndex(table));
  return index.get(pid) ?? [];
}

/** A table never changes, and is asked about each of its agents. */
const CHILDREN = new WeakMap<ProcessTable, ReadonlyMap<number, readonly ProcessRow[]>>();

function childIndex(table: ProcessTable): ReadonlyMap<number, readonly ProcessRow[]> {
  const index = new Map<number, ProcessRow[]>();
  for (const row of table.values()) {
    if (row.pid === row.ppid) continue;
    const siblings = index.get(row.ppid);
    if (siblings === undefined) index.set(row.ppid, [row]);
    else siblings.push(row);
  }
  for (const siblings of index.values()) siblings.sort(byPid);
  return index;
}

/**
 * Members of the foreground group of a terminal, the group's leader first.
 * `sid` narrows to one session: containers number their terminals alike ("/dev/pts/0").
 */
export function foregroundOf(
  table: ProcessTable,
  tty: string,
  options: { readonly sid?: number } = {},
): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const row of table.values()) {
    if (row.tty !== tty || row.pgid !== row.foregroundPgid) continue;
    if (options.sid === undefined || row.sid === options.sid) rows.push(row);
  }
  return rows.sort((left, right) => leaderRank(left) - leaderRank(right) || byPid(left, right));
}

/**
 * The process that owns the terminal a process runs in (multiplexer server, terminal window):
 * its nearest ancestor on another terminal or on none. Null where the tree does not show it.
 */
export function terminalHost(table: ProcessTable, pid: number): ProcessRow | null {
  const row = table.get(pid);
  if (row === undefined || row.tty === null) return null;
  return ancestors(table, pid).find((candidate) => candidate.tty !== row.tty) ?? null;
}

function leaderRank(row: ProcessRow): number {
  return row.pid === row.pgid ? 0 : 1;
}

function byPid(left: ProcessRow, right: ProcessRow): number {
  return left.pid - right.pid;
}

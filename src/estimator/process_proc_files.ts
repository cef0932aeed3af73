/**
 * Files under `/proc/<pid>`, read without ever failing: a process may end between any two reads,
 * and another user's process hides most of its files. Both read as null.
 */

export interface ProcFiles {
  /** Tells this boot from another; empty where the system does not say. */
  readonly bootTag: string;
  /**
   * A text that changes whenever a process was made or reaped; null where there is none. Listing
   * 2,000 processes costs several milliseconds, this a few microseconds.
   */
  census(): string | null;
  /** Seconds since boot; null where the system does not say. */
  uptime(): string | null;
  listPids(): number[];
  exists(pid: number): boolean;
  read(pid: number, file: { readonly name: string; readonly limit?: number }): string | null;
  link(pid: number, name: string): string | null;
  owner(pid: number): number | undefined;
  openFiles(pid: number): string[] | null;
}

const MAX_OPEN_FILES = 4096;
const CHUNK_BYTES = 64 * 1024;
const STAT_BYTES = 4096;
/** What the kernel appends to the path of a program that was replaced while it runs. */
const DELETED_SUFFIX = / \(deleted\)$/;

export function createProcFiles(root: string): ProcFiles {
  // Reads are synchronous and never nest, so one buffer serves all of them.
  const chunk = new Uint8Array(CHUNK_BYTES);
  return {
    bootTag: bootTag(root, chunk),
    census: () =>
      attempt(() => parseCensus(readText(`${root}/loadavg`, { chunk, limit: STAT_BYTES }))),
    uptime: () => attempt(() => readText(`${root}/uptime`, { chunk, limit: STAT_BYTES })),
    listPids: () => listPids(root),
    exists: (pid) => attempt(() => Deno.lstatSync(`${root}/${pid}`)) !== null,
    read: (pid, { name, limit = STAT_BYTES }) =>
      attempt(() => readText(`${root}/${pid}/${name}`, { chunk, limit })),
    link: (pid, name) => readLink(`${root}/${pid}/${name}`),
    owner: (pid) => attempt(() => Deno.lstatSync(`${root}/${pid}`).uid) ?? undefined,
    openFiles: (pid) => attempt(() => listOpenFiles(`${root}/${pid}/fd`)),
  };
}

function bootTag(root: string, chunk: Uint8Array): string {
  const path = `${root}/sys/kernel/random/boot_id`;
  const id = attempt(() => readText(path, { chunk, limit: STAT_BYTES })) ?? "";
  return id === "" ? "" : `@${id.slice(0, 8)}`;
}

/** "0.1 0.2 0.3 1/234 5678": of the last two fields, all but the number that run just now. */
function parseCensus(text: string): string | null {
  return /\/(\d+ \d+)\s*$/.exec(text)?.[1] ?? null;
}

/** Throws when the root itself cannot be listed: no table is not an empty table. */
function listPids(root: string): number[] {
  const pids: number[] = [];
  for (const { name } of Deno.readDirSync(root)) {
    if (/^[1-9]\d*$/.test(name)) pids.push(Number(name));
  }
  return pids;
}

function readText(
  path: string,
  context: { readonly chunk: Uint8Array; readonly limit: number },
): string {
  const { chunk, limit } = context;
  using file = Deno.openSync(path);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  let total = 0;
  while (total < limit) {
    const room = Math.min(chunk.length, limit - total);
    const count = file.readSync(chunk.subarray(0, room));
    if (count === null || count === 0) break;
    total += count;
    text += decoder.decode(chunk.subarray(0, count), { stream: true });
    // These files fill what they are given: a short answer is the end, and saves one call.
    if (count < room) break;
  }
  return text + decoder.decode();
}

function readLink(path: string): string | null {
  return attempt(() => Deno.readLinkSync(path))?.replace(DELETED_SUFFIX, "") ?? null;
}

function listOpenFiles(folder: string): string[] {
  const paths = new Set<string>();
  let seen = 0;
  for (const { name } of Deno.readDirSync(folder)) {
    if (++seen > MAX_OPEN_FILES) break;
    const path = readLink(`${folder}/${name}`);
    // Sockets, pipes and devices are no files an agent writes its transcript to.
    if (path !== null && path.startsWith("/") && !path.startsWith("/dev/")) paths.add(path);
  }
  return [...paths];
}

/** Whatever the reason (gone, hidden, ESRCH in the middle), the answer is "not readable". */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return null;
  }
}

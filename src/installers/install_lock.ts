/** I/O edge: one install at a time, by a lock on a file in our own state folder. */

import { dirname } from "node:path";
import { refuse, type Refused } from "./edit_op.ts";
import { ioIssue } from "./read_target.ts";

export interface LockOptions {
  /** How long to wait for another install; 10 seconds by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const POLL_MS = 25;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function acquire(file: Deno.FsFile, options: LockOptions): Promise<boolean> {
  const deadline = performance.now() + (options.timeoutMs ?? 10_000);
  while (!await file.tryLock(true)) {
    if (performance.now() >= deadline || options.signal?.aborted) return false;
    await pause(POLL_MS);
  }
  return true;
}

/**
 * Runs `work` while no other process holds the lock. The system drops the lock with the process,
 * so that a killed install blocks nobody; the file stays and is empty.
 */
export async function withInstallLock<T>(
  lockPath: string,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<{ readonly ok: true; readonly value: T } | Refused> {
  let file: Deno.FsFile;
  try {
    await Deno.mkdir(dirname(lockPath), { recursive: true, mode: 0o700 });
    file = await Deno.open(lockPath, { read: true, write: true, create: true, mode: 0o600 });
  } catch (error) {
    return ioIssue(`open the lock "${lockPath}"`, error);
  }
  using _closed = file;
  if (!await acquire(file, options)) {
    return refuse("locked", `Cannot install: another install holds "${lockPath}"`);
  }
  try {
    return { ok: true, value: await work() };
  } finally {
    await file.unlock();
  }
}

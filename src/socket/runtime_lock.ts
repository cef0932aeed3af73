/**
 * One server per runtime folder. Servers of two state folders may be pointed at the same one, and
 * each would take the other's live sockets for left-overs. A lock tells, where a call would not: a
 * server that is stopped or hangs answers none, and its sockets are its own all the same.
 */

import { acquireInstanceLock, lockHolder } from "./instance_lock.ts";
import type { Paths } from "./paths.ts";
import { ensurePrivateFolder, reason } from "./private_folder.ts";

const WATCH_MS = 1_000;

export type RuntimeLock = { readonly release: () => void };

export type RuntimeLockOptions = {
  readonly log: (text: string) => void;
  /** Another server has taken the folder over: this one must end. */
  readonly onLost: () => void;
};

/** Another server has its sockets in this runtime folder. */
export class RuntimeTakenError extends Error {
  constructor(folder: string, pid: number | null) {
    const who = pid === null ? "another mytty" : `another mytty (pid ${pid})`;
    super(
      `Cannot serve: ${who} has its sockets in "${folder}"; ` +
        "set MYTTY_RUNTIME_DIR to a folder of its own",
    );
    this.name = "RuntimeTakenError";
  }
}

/** The lock, kept while it is held: whoever cleans the folder takes the lock's file as well. */
export async function holdRuntimeLock(
  { runtime, runtimeLock }: Paths,
  { log, onLost }: RuntimeLockOptions,
): Promise<RuntimeLock> {
  const lock = await acquireInstanceLock(runtimeLock);
  if (lock === null) throw new RuntimeTakenError(runtime, lockHolder(runtimeLock));
  let isLooking = false;
  let complaint = "";

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      ensurePrivateFolder(runtime);
      if (!await lock!.keep()) giveUp();
      complaint = "";
    } catch (error) {
      // Tried again every second; said once.
      if (reason(error) !== complaint) log(`cannot keep "${runtimeLock}": ${reason(error)}`);
      complaint = reason(error);
    } finally {
      isLooking = false;
    }
  }
  function giveUp(): void {
    clearInterval(timer);
    log(`"${runtime}" was taken over, another server's lock is there: ending`);
    onLost();
  }
  const timer = setInterval(() => void look(), WATCH_MS);
  return {
    release: () => {
      clearInterval(timer);
      lock.release();
    },
  };
}

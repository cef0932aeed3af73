/**
 * The state folder while it is used: deleted under us, everything goes on in files that have no name
 * any more, and would be lost with the process. It is noticed within seconds, said, and mended.
 */

import type { EventLog } from "./event_log.ts";
import type { InstanceLock } from "./instance_lock.ts";
import type { Paths } from "./paths.ts";
import { ensurePrivateFolder, reason } from "./private_folder.ts";

const WATCH_MS = 1_000;

export type StateWatchOptions = {
  readonly paths: Paths;
  readonly eventLog: EventLog;
  readonly lock: InstanceLock;
  readonly log: (text: string) => void;
  /** Another server has taken the folder over: this one must end. */
  readonly onLost: () => void;
};

export class StateWatch {
  readonly #options: StateWatchOptions;
  readonly #timer: ReturnType<typeof setInterval>;
  #database: number | null;
  #wal: number | null = null;
  #isLooking = false;
  #complaint = "";

  constructor(options: StateWatchOptions) {
    this.#options = options;
    this.#database = inodeOf(options.paths.database);
    this.#timer = setInterval(() => void this.#look(), WATCH_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#mend();
      this.#complaint = "";
    } catch (error) {
      // Tried again every second; said once.
      const text = `cannot write the state folder anew: ${reason(error)}`;
      if (text !== this.#complaint) this.#options.log(text);
      this.#complaint = text;
    } finally {
      this.#isLooking = false;
    }
  }

  async #mend(): Promise<void> {
    const { paths: { state, database }, eventLog, lock, log } = this.#options;
    const now = inodeOf(database);
    const wal = inodeOf(`${database}-wal`);
    if (now === this.#database && wal !== null && (this.#wal ?? wal) === wal) {
      this.#wal = wal;
      // Deleted alone, it would let another server in.
      if (!await lock.keep()) this.#giveUp();
      return;
    }
    ensurePrivateFolder(state);
    // What stands there now is another's: with the lock gone too, its server writes it.
    if (!await lock.keep() || now !== null && now !== this.#database) return this.#giveUp();
    eventLog.renew(database, { isGone: now === null });
    log(
      now === null
        ? `the database "${database}" was deleted; written anew with everything in it`
        : `the write-ahead log of "${database}" was deleted; begun anew, nothing is lost`,
    );
    this.#database = inodeOf(database);
    this.#wal = inodeOf(`${database}-wal`);
  }

  #giveUp(): void {
    const { paths: { state }, log, onLost } = this.#options;
    this.stop();
    log(`"${state}" was taken over, another lock or database is there: ending`);
    onLost();
  }
}

function inodeOf(path: string): number | null {
  try {
    return Deno.statSync(path).ino;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

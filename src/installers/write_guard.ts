/**
 * The one who may stop a write: counts ours per path, knows them again, and remembers the fights.
 * Pure: the clock is an argument.
 */

import { limitMessage, OwnWrites, WriteLimiter } from "./drift.ts";

/** Asked before a config is written, and told after. */
export interface WriteGate {
  /** Why not, in a person's words; null when the path may be written. */
  readonly denies: (path: string) => string | null;
  /** `hash` is that of the text; null = the file was removed. */
  readonly wrote: (path: string, hash: string | null) => void;
}

export class WriteGuard implements WriteGate {
  readonly #limiter = new WriteLimiter();
  readonly #own = new OwnWrites();
  readonly #conflicts = new Map<string, string>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  denies = (path: string): string | null => {
    const known = this.#conflicts.get(path);
    if (known !== undefined) return known;
    if (this.#limiter.mayWrite(path, this.#now())) return null;
    // It stays so after the minute, else the fight would go on for ever, six rounds at a time.
    const message = limitMessage(path);
    this.#conflicts.set(path, message);
    return message;
  };

  wrote = (path: string, hash: string | null): void => {
    this.#limiter.wrote(path, this.#now());
    this.#own.remember(path, hash);
  };

  isOwn(path: string, hash: string | null): boolean {
    return this.#own.isOwn(path, hash);
  }

  /** The path is right again, or a person asked for it: the count begins anew. */
  forgive(path: string): void {
    this.#conflicts.delete(path);
    this.#limiter.forget(path);
  }

  /** Found to be as it should be: an open conflict over it is settled. */
  settle(path: string): void {
    if (this.#conflicts.has(path)) this.forgive(path);
  }

  conflictOn(path: string): string | null {
    return this.#conflicts.get(path) ?? null;
  }
}

/**
 * What keeps the config watch honest: which changes are our own, and when to stop writing against
 * somebody else. Pure: the clock is an argument.
 */

export const MAX_WRITES = 6;
export const WRITE_WINDOW_MS = 60_000;

/** How long a path must be quiet before its change is looked at. */
export const DEBOUNCE_MS = 400;

/** At most `MAX_WRITES` per path in any rolling minute; more means that another program insists. */
export class WriteLimiter {
  readonly #writes = new Map<string, number[]>();

  mayWrite(path: string, now: number): boolean {
    return this.#recent(path, now).length < MAX_WRITES;
  }

  wrote(path: string, now: number): void {
    this.#writes.set(path, [...this.#recent(path, now), now]);
  }

  /** A person asked for the write: the count begins anew. */
  forget(path: string): void {
    this.#writes.delete(path);
  }

  /** A clock that was set back must not block a path for ever. */
  #recent(path: string, now: number): number[] {
    return (this.#writes.get(path) ?? []).filter((at) => at <= now && now - at < WRITE_WINDOW_MS);
  }
}

/** Content hashes of our last writes; null = we removed the file. */
export class OwnWrites {
  readonly #hashes = new Map<string, string | null>();

  remember(path: string, hash: string | null): void {
    this.#hashes.set(path, hash);
  }

  /** Whether the file is as we left it. A path that we never wrote to is not ours. */
  isOwn(path: string, hash: string | null): boolean {
    return this.#hashes.has(path) && this.#hashes.get(path) === hash;
  }
}

/** Paths whose changes have settled; fed by a watcher, asked by a timer. */
export class Debounce {
  readonly #changed = new Map<string, number>();

  changed(path: string, now: number): void {
    this.#changed.set(path, now);
  }

  /** Takes out what has been quiet for long enough. */
  settled(now: number): string[] {
    const quiet = [...this.#changed].filter(([, at]) => now - at >= DEBOUNCE_MS || at > now)
      .map(([path]) => path);
    for (const path of quiet) this.#changed.delete(path);
    return quiet;
  }

  /** Milliseconds until something may have settled; null when nothing waits. */
  next(now: number): number | null {
    const times = [...this.#changed.values()];
    return times.length === 0 ? null : Math.max(0, Math.min(...times) + DEBOUNCE_MS - now);
  }
}

/** The sentence of the conflict, once the limiter says no. */
export function limitMessage(path: string): string {
  return `Cannot keep "${path}": another program changed it ${MAX_WRITES} times in a minute`;
}

/**
 * The log's time: wall time at start, then counted on by the monotonic clock. A clock that is set
 * back or forward while the server runs makes no negative and no invented durations.
 */

export class SteadyClock {
  readonly #base: number;
  readonly #origin: number;

  /** `last`: the time of the last row in the log; time never goes back behind it. */
  constructor(last: number) {
    this.#base = Math.max(Date.now(), last);
    this.#origin = performance.now();
  }

  now(): number {
    return this.#base + Math.floor(performance.now() - this.#origin);
  }
}

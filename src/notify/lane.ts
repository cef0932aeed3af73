/** One channel's deliveries, one after another; a hanging one ends in time, a flood is cut. */

import { type Channel, type Delivery, MAX_DELIVERY_MS } from "./channel.ts";

export type LaneEnd = { readonly outcome: "delivered" | "suppressed" | "failed"; reason: string };

/** What waits behind a slow delivery, at most. */
export const MAX_WAITING = 32;

export class Lane {
  readonly channel: Channel;
  readonly #stopping: AbortSignal;
  readonly #maxMillis: number;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** How the last delivery ended; null before the first. */
  lastEnd: LaneEnd | null = null;

  constructor(channel: Channel, stopping: AbortSignal, maxMillis = MAX_DELIVERY_MS) {
    this.channel = channel;
    this.#stopping = stopping;
    this.#maxMillis = maxMillis;
  }

  /** Never rejects. */
  deliver(delivery: Omit<Delivery, "signal">): Promise<LaneEnd> {
    return this.#queue(async (signal) => {
      const nowhere = await this.channel.deliver({ ...delivery, signal });
      return nowhere === null
        ? { outcome: "delivered", reason: "" }
        : { outcome: "suppressed", reason: nowhere };
    }).then((end) => this.lastEnd = end);
  }

  async withdraw(delivery: Omit<Delivery, "signal">): Promise<void> {
    if (this.channel.withdraw === undefined) return;
    await this.#queue(async (signal) => {
      await this.channel.withdraw!({ ...delivery, signal });
      return { outcome: "delivered", reason: "" };
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#waiting > 0) await this.#last;
  }

  #queue(task: (signal: AbortSignal) => Promise<LaneEnd>): Promise<LaneEnd> {
    if (this.#waiting >= MAX_WAITING) {
      return Promise.resolve({ outcome: "failed", reason: "the channel is too far behind" });
    }
    this.#waiting++;
    const done = this.#last.then(() => this.#run(task)).finally(() => this.#waiting--);
    this.#last = done;
    return done;
  }

  /** The limit holds even for a channel that does not look at its signal. */
  async #run(task: (signal: AbortSignal) => Promise<LaneEnd>): Promise<LaneEnd> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), this.#maxMillis);
    const signal = AbortSignal.any([limit.signal, this.#stopping]);
    try {
      return await Promise.race([task(signal), aborted(signal)]);
    } catch (error) {
      return { outcome: "failed", reason: this.#explain(error, limit.signal) };
    } finally {
      clearTimeout(timer);
    }
  }

  #explain(error: unknown, limit: AbortSignal): string {
    if (this.#stopping.aborted) return "the server stopped";
    const isTimeout = limit.aborted || (error as Error)?.name === "TimeoutError";
    if (isTimeout) return "it took too long and was ended";
    return error instanceof Error ? error.message : String(error);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

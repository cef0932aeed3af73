/**
 * Fan-out of what has been committed. Readers are told after the fact and may fall behind; one that
 * does is cut off with a reason and comes back by position. The log is the record, not this.
 */

import type { Applied } from "./mailbox.ts";

export type Listener = (applied: readonly Applied[]) => void;

export class Feed {
  readonly #listeners = new Set<Listener>();

  publish(applied: readonly Applied[]): void {
    if (applied.length === 0) return;
    for (const listener of this.#listeners) listener(applied);
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get size(): number {
    return this.#listeners.size;
  }
}

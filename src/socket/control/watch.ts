/**
 * Streams the watch: a snapshot, then every change. A reader that falls too far behind gets a new
 * snapshot instead of what it missed, and is told so.
 */

import type { ViewOptions } from "../../core/view/view.ts";
import type { State } from "../../core/log/state.ts";
import { type WatchLine, WatchView } from "../../core/view/watch_view.ts";
import type { Feed } from "../feed.ts";
import type { Applied } from "../mailbox.ts";

/** Rows kept for a reader that does not read. */
const MAX_PENDING = 5_000;

/** Lines written at once: a long backlog must not hold up the sockets. */
const MAX_LINES = 200;

export type WatchOptions = {
  readonly state: State;
  readonly feed: Feed;
  readonly viewOptions: () => ViewOptions;
  readonly signal: AbortSignal;
  readonly encode: (line: WatchLine) => string;
};

export function watchStream(options: WatchOptions): ReadableStream<Uint8Array> {
  const { signal } = options;
  const encoder = new TextEncoder();
  const source = new WatchSource(options);
  return new ReadableStream({
    async pull(controller) {
      while (!signal.aborted) {
        const lines = source.take();
        if (lines.length > 0) {
          controller.enqueue(encoder.encode(lines.map(options.encode).join("")));
          return;
        }
        await source.change();
      }
      source.end();
      controller.close();
    },
    cancel: () => source.end(),
  }, { highWaterMark: 0 });
}

class WatchSource {
  readonly #options: WatchOptions;
  readonly #view = new WatchView();
  readonly #unsubscribe: () => void;
  readonly #onAbort = () => this.#wake();
  #pending: Applied[] = [];
  #needsSnapshot: "start" | "fell-behind" | null = "start";
  #wake: () => void = () => {};

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#unsubscribe = options.feed.subscribe((applied) => this.#push(applied));
    options.signal.addEventListener("abort", this.#onAbort);
  }

  take(): WatchLine[] {
    const { state, viewOptions } = this.#options;
    const options = viewOptions();
    if (this.#needsSnapshot !== null) {
      const snapshot = this.#view.snapshot(state, options, this.#needsSnapshot);
      this.#needsSnapshot = null;
      // The state holds all of them already.
      this.#pending = [];
      return [snapshot];
    }
    const rows = this.#pending.splice(0, MAX_LINES);
    if (rows.length > 0) return rows.map((row) => this.#view.change(state, options, row));
    const passed = this.#view.passed(state, options);
    return passed === null ? [] : [passed];
  }

  /** Resolves with the next row, when time has changed something, or at the end. */
  change(): Promise<void> {
    const { state, viewOptions, signal } = this.#options;
    const options = viewOptions();
    const at = this.#view.nextAt(state, options);
    return new Promise((resolve) => {
      // Longer than a timer can count is looked at again before.
      const millis = at === null ? null : Math.min(at - options.now, 3_600_000);
      const timer = millis === null ? undefined : setTimeout(resolve, millis);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (signal.aborted || this.#pending.length > 0) this.#wake();
    });
  }

  end(): void {
    this.#unsubscribe();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#wake();
  }

  #push(applied: readonly Applied[]): void {
    if (this.#needsSnapshot === null) {
      this.#pending.push(...applied);
      if (this.#pending.length > MAX_PENDING) {
        this.#needsSnapshot = "fell-behind";
        this.#pending = [];
      }
    }
    this.#wake();
  }
}

/**
 * A streamed answer: what its source tells, a blank line while that tells nothing (so that silence
 * means a server that does not answer), and at last the reason for its end.
 */

import type { Context } from "hono";
import type { StreamEndReason } from "../../core/wire/stream_end.ts";

/** A reader takes more than two of them missing as a server that does not answer. */
export const BEAT_MS = 2_000;

/** The reader does not read: it has to come again, and asks from where it stopped. */
export class FellBehindError extends Error {}

export function wantsEvents(context: Context): boolean {
  return context.req.header("accept")?.includes("text/event-stream") ?? false;
}

/** `source` gives whole lines (or events), and ends only because the server stops. */
export function streamAnswer(
  context: Context,
  source: ReadableStream<Uint8Array>,
  log: (text: string) => void,
): Response {
  const asEvents = wantsEvents(context);
  const type = asEvents ? "text/event-stream" : "application/x-ndjson";
  const headers = { "content-type": type, "cache-control": "no-store" };
  return context.body(spoken(source, { asEvents, log }), 200, headers);
}

type Speech = { readonly asEvents: boolean; readonly log: (text: string) => void };

function spoken(
  source: ReadableStream<Uint8Array>,
  { asEvents, log }: Speech,
): ReadableStream<Uint8Array> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const reader = new BeatingReader(source);
  let isBegun = false;
  return new ReadableStream({
    async pull(controller) {
      const end = (reason: StreamEndReason) => {
        controller.enqueue(bytes(endText(reason, asEvents)));
        controller.close();
      };
      try {
        const value = await reader.read();
        if (reader.isCancelled) return;
        if (value === "end") return end("stopping");
        if (value !== "beat") controller.enqueue(value);
        // The first thing told is followed by a beat: the reader knows that it may count on them.
        if (value === "beat" || !isBegun) controller.enqueue(bytes(asEvents ? ":\n\n" : "\n"));
        isBegun = true;
      } catch (error) {
        if (error instanceof FellBehindError) return end("fell-behind");
        log(`control API: a stream broke: ${String(error)}`);
        end("internal-error");
      }
    },
    cancel: () => reader.cancel(),
  }, { highWaterMark: 0 });
}

function endText(reason: StreamEndReason, asEvents: boolean): string {
  const text = JSON.stringify({ type: "end", reason });
  return asEvents ? `event: end\ndata: ${text}\n\n` : `${text}\n`;
}

/** Reads on, and says "beat" whenever nothing came for a while. */
class BeatingReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #next: Promise<Uint8Array | "end"> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  isCancelled = false;

  constructor(source: ReadableStream<Uint8Array>) {
    this.#reader = source.getReader();
  }

  async read(): Promise<Uint8Array | "end" | "beat"> {
    this.#next ??= this.#reader.read().then(({ value, done }) => done ? "end" : value);
    const beat = new Promise<"beat">((resolve) => {
      this.#timer = setTimeout(() => resolve("beat"), BEAT_MS);
    });
    try {
      const result = await Promise.race([this.#next, beat]);
      if (result !== "beat") this.#next = null;
      return result;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  async cancel(): Promise<void> {
    this.isCancelled = true;
    clearTimeout(this.#timer);
    await this.#reader.cancel();
  }
}

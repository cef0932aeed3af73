/**
 * Streams the log from a position on. Rows are read from the log when the reader asks for more, so
 * a slow reader costs no memory and misses nothing.
 */

import { type EventJson, eventJson } from "../../core/log/event_json.ts";
import type { EventLog } from "../event_log.ts";
import type { Feed } from "../feed.ts";

const PAGE = 500;

export type FollowOptions = {
  readonly log: EventLog;
  readonly feed: Feed;
  readonly after: number;
  readonly runID: string | undefined;
  readonly signal: AbortSignal;
  readonly encode: (row: EventJson) => string;
};

export function followLog(options: FollowOptions): ReadableStream<Uint8Array> {
  const { log, feed, runID, signal, encode } = options;
  const encoder = new TextEncoder();
  let { after } = options;
  let wake: () => void = () => {};
  const unsubscribe = feed.subscribe(() => wake());
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort);

  function end(): void {
    unsubscribe();
    signal.removeEventListener("abort", onAbort);
  }
  return new ReadableStream({
    async pull(controller) {
      while (!signal.aborted) {
        const rows = log.read({ after, limit: PAGE, ...(runID === undefined ? {} : { runID }) });
        if (rows.length > 0) {
          after = rows.at(-1)!.position;
          const lines = rows.map((row) => encode(eventJson(row, row.reason))).join("");
          controller.enqueue(encoder.encode(lines));
          return;
        }
        await new Promise<void>((resolve) => wake = resolve);
      }
      end();
      controller.close();
    },
    cancel: end,
  }, { highWaterMark: 0 });
}

export function ndjsonLine(row: EventJson): string {
  return `${JSON.stringify(row)}\n`;
}

/** The position is the event id, so that a browser's reconnect goes on where it stopped. */
export function serverSentEvent(row: EventJson): string {
  return `id: ${row.position}\ndata: ${JSON.stringify(row)}\n\n`;
}

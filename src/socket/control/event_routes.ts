/** The log by position: a page of it, or a stream that follows it. */

import type { Context, Hono } from "hono";
import { eventJson } from "../../core/log/event_json.ts";
import type { Daemon } from "../daemon.ts";
import { validQuery } from "./answers.ts";
import { followLog, ndjsonLine, serverSentEvent } from "./follow.ts";
import { eventsQuery, position } from "./query_schema.ts";
import { streamAnswer, wantsEvents } from "./stream.ts";

export function eventRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/events", (context) => {
    const query = validQuery(context, eventsQuery);
    if (query instanceof Response) return query;
    const { after, limit, run: runID, follow } = query;
    if (follow) return followEvents(context, daemon, { after, runID });
    const rows = daemon.eventLog.read({ after, limit, ...(runID ? { runID } : {}) });
    const position = rows.at(-1)?.position ?? Math.max(after, daemon.state.position);
    return context.json({ position, events: rows.map((row) => eventJson(row, row.reason)) });
  });
}

function followEvents(
  context: Context,
  daemon: Daemon,
  { after, runID }: { after: number; runID: string | undefined },
): Response {
  // A browser that comes back says where it stopped; its own words are never refused.
  const last = position.safeParse(context.req.header("last-event-id"));
  const signal = AbortSignal.any([context.req.raw.signal, daemon.stopping]);
  const stream = followLog({
    log: daemon.eventLog,
    feed: daemon.feed,
    after: last.success ? last.data : after,
    runID,
    signal,
    encode: wantsEvents(context) ? serverSentEvent : ndjsonLine,
  });
  return streamAnswer(context, stream, daemon.log);
}

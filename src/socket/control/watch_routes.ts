/** Streams for people and programs: the watch, the status line, Muxy's extension surface. */

import type { Hono } from "hono";
import {
  agentStatus,
  type ExtensionEvent,
  notificationPosted,
} from "../../core/view/extension_view.ts";
import { statusLine } from "../../core/view/status_line.ts";
import { placeKey } from "../../core/log/state.ts";
import { listedView, placeView, surfaceViews, unplacedViews } from "../../core/view/view.ts";
import type { Daemon } from "../daemon.ts";
import { FellBehindError, streamAnswer, wantsEvents } from "./stream.ts";
import { watchStream } from "./watch.ts";

export function watchRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/watch", (context) => {
    const asEvents = wantsEvents(context);
    const stream = watchStream({
      state: daemon.state,
      feed: daemon.feed,
      viewOptions: () => daemon.viewOptions(),
      signal: AbortSignal.any([context.req.raw.signal, daemon.stopping]),
      encode: (line) =>
        asEvents ? `data: ${JSON.stringify(line)}\n\n` : `${JSON.stringify(line)}\n`,
    });
    return streamAnswer(context, stream, daemon.log);
  });
  app.get("/v1/status-line", (context) => {
    const options = daemon.viewOptions();
    const views = [
      ...surfaceViews(daemon.state, options),
      ...unplacedViews(daemon.state, options),
    ];
    return context.json(statusLine(views));
  });
  app.get("/v1/agents", (context) => {
    const agents = surfaceViews(daemon.state, daemon.viewOptions())
      .filter(({ surface }) => surface?.closedAt === null).map(agentStatus);
    return context.json({ agents: agents.filter((agent) => agent !== null) });
  });
  app.get("/v1/agents/events", (context) => {
    const asEvents = wantsEvents(context);
    const signal = AbortSignal.any([context.req.raw.signal, daemon.stopping]);
    const encode = ({ event, payload }: ExtensionEvent) =>
      asEvents
        ? `event: ${event}\ndata: ${JSON.stringify(payload)}\n\n`
        : `${JSON.stringify({ event, payload })}\n`;
    return streamAnswer(context, extensionStream(daemon, { signal, encode }), daemon.log);
  });
}

type ExtensionOptions = {
  readonly signal: AbortSignal;
  readonly encode: (event: ExtensionEvent) => string;
};

/** What a reader that does not read may leave lying; it is ended then and has to come again. */
const MAX_WAITING = 1_000;

function extensionStream(
  daemon: Daemon,
  { signal, encode }: ExtensionOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const ends: (() => void)[] = [];
  const end = () => ends.splice(0).forEach((one) => one());
  return new ReadableStream({
    start(controller) {
      function send(event: ExtensionEvent): void {
        if ((controller.desiredSize ?? 0) > 0) {
          return controller.enqueue(encoder.encode(encode(event)));
        }
        end();
        controller.error(new FellBehindError());
      }
      ends.push(daemon.notifier?.onPosted((notice) => send(notificationPosted(notice))) ?? noop);
      ends.push(followStatus(daemon, send));
      function onAbort(): void {
        end();
        controller.close();
      }
      signal.addEventListener("abort", onAbort);
      ends.push(() => signal.removeEventListener("abort", onAbort));
    },
    cancel: end,
  }, { highWaterMark: MAX_WAITING });
}

function noop(): void {}

/** Each pane's status when it changes, and once at the beginning. */
function followStatus(daemon: Daemon, send: (event: ExtensionEvent) => void): () => void {
  const told = new Map<string, string>();
  function tell(place: string): void {
    const options = daemon.viewOptions();
    const isTold = told.has(place);
    // What was said to work is told to be over also when its pane ended in the same commit.
    const view = listedView(daemon.state, place, options) ??
      (isTold ? placeView(daemon.state, place, options) : null);
    const status = view === null ? null : agentStatus(view);
    const text = JSON.stringify(status);
    if (status === null || told.get(place) === text) return;
    told.set(place, text);
    send({ event: "agent.status", payload: status });
  }
  for (const place of daemon.state.surfaces.keys()) tell(place);
  return daemon.feed.subscribe((applied) => {
    const touched = new Set<string>();
    for (const { outcome } of applied) {
      for (const change of outcome.changes) {
        if (change.change === "run" || change.change === "session") {
          touched.add(placeKey(change.after));
        }
      }
    }
    touched.forEach(tell);
  });
}

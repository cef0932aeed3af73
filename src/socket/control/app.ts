/** The control API's routes: each validates, asks, and answers JSON. */

import { type Context, Hono } from "hono";
import { isOpenItem, listedItems } from "../../core/log/attention.ts";
import { eventJson } from "../../core/log/event_json.ts";
import { derivedID, uuidOrNull } from "../../core/ids.ts";
import { PROVIDERS } from "../../core/registry.ts";
import { isActive, surfaceViews, unplacedViews } from "../../core/view/view.ts";
import { attentionJson, isoTime, placeJson, runJson } from "../../core/view/view_json.ts";
import { VERSION } from "../../core/version.ts";
import type { Daemon } from "../daemon.ts";
import { fail, held, internalError, validated } from "./answers.ts";
import { estimateRoutes } from "./estimate_routes.ts";
import { followLog, ndjsonLine, serverSentEvent } from "./follow.ts";
import { notifyRoutes } from "./notify_routes.ts";
import { openApi } from "./openapi.ts";
import * as schema from "./schema.ts";
import { streamAnswer, wantsEvents } from "./stream.ts";
import { findItems, findSurface, waitTarget } from "./target.ts";
import { holdWait } from "./waits.ts";
import { watchRoutes } from "./watch_routes.ts";

const MAX_EVENTS = 1000;

export function controlApp(daemon: Daemon): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    context.header("mytty-version", VERSION);
  });
  app.notFound((context) =>
    fail(context, { status: 404, error: "not-found", message: "No such path" })
  );
  app.onError((error, context) => {
    daemon.log(`control API: ${error.message}`);
    return fail(context, internalError(context.req, error));
  });
  app.get("/v1/openapi.json", (context) => context.json(openApi(VERSION)));
  app.get("/v1/status", (context) => context.json(daemon.status()));
  stateRoutes(app, daemon);
  surfaceRoutes(app, daemon);
  eventRoutes(app, daemon);
  attentionRoutes(app, daemon);
  notifyRoutes(app, daemon);
  watchRoutes(app, daemon);
  estimateRoutes(app, daemon);
  return app;
}

function stateRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/list", (context) => {
    const options = daemon.viewOptions();
    const isWanted = context.req.query("active") === "1" ? isActive : () => true;
    const rows = (views: ReturnType<typeof surfaceViews>) =>
      views.filter(isWanted).map((view) => placeJson(view, options.now));
    return context.json({
      position: daemon.state.position,
      surfaces: rows(surfaceViews(daemon.state, options)),
      unplaced: rows(unplacedViews(daemon.state, options)),
    });
  });
  app.get("/v1/runs/:id", (context) => {
    const run = daemon.state.runs.get(uuidOrNull(context.req.param("id")) ?? "");
    return run === undefined ? fail(context, NO_RUN) : context.json(runJson(run));
  });
  app.get("/v1/providers", (context) =>
    context.json({
      providers: PROVIDERS.map(({ id, displayName }) => {
        const count = daemon.counters.of(id);
        const lastAt = count.lastAt === null ? null : isoTime(count.lastAt);
        const sessions = daemon.hearing.sessionsOf(id, daemon.state);
        return { id, displayName, ...count, lastAt, sessions };
      }),
    }));
  app.post("/v1/wait", async (context) => {
    const body = await validated(context, schema.waitRequest);
    if (body instanceof Response) return body;
    const target = waitTarget(daemon.state, body);
    if ("issue" in target) return fail(context, { ...NO_SURFACE, message: target.issue });
    const after = body.after ?? (body.until === "change" ? daemon.state.position : -1);
    const signal = AbortSignal.any([context.req.raw.signal, daemon.stopping]);
    const timeoutMs = body.timeoutMs ?? null;
    const query = { ...target, until: body.until, after };
    return held(context, holdWait(daemon, query, { timeoutMs, signal }), daemon.log);
  });
}

const NO_RUN = { status: 404, error: "not-found", message: "No such run" } as const;
const NO_SURFACE = { status: 404, error: "not-found", message: "No such surface" } as const;

function surfaceRoutes(app: Hono, daemon: Daemon): void {
  app.post("/v1/surfaces", async (context) => {
    const body = await validated(context, schema.openRequest);
    if (body instanceof Response) return body;
    const { label = null, pid = null, tty = null, cwd = null, host = null, within } = body;
    const claim = within ?? null;
    const options = { label, pid, tty, cwd, host, within: claim };
    const { surfaceID, capability } = await daemon.surfaces.open(options);
    return context.json({
      surfaceID,
      env: {
        MYTTY_EVENT_SOCKET: daemon.paths.eventSocket,
        MYTTY_SURFACE_ID: surfaceID,
        MYTTY_EVENT_CAPABILITY: capability,
        ...daemon.muxyEnv(surfaceID),
      },
    });
  });
  app.post("/v1/surfaces/:id/finished", async (context) => {
    const body = await validated(context, schema.finishedRequest);
    if (body instanceof Response) return body;
    const found = findSurface(daemon.state, context.req.param("id"));
    if ("issue" in found) return fail(context, { ...NO_SURFACE, message: found.issue });
    const { surfaceID } = found;
    const closed = await daemon.surfaces.finished(surfaceID, body.exitCode);
    return closed ? context.json({ surfaceID, closed: false }) : fail(context, NO_SURFACE);
  });
  app.delete("/v1/surfaces/:id", async (context) => {
    const found = findSurface(daemon.state, context.req.param("id"));
    if ("issue" in found) return fail(context, { ...NO_SURFACE, message: found.issue });
    const closed = await daemon.surfaces.close(found.surfaceID);
    return context.json({ surfaceID: found.surfaceID, closed });
  });
}

function eventRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/events", (context) => {
    const { after: afterText, limit: limitText, run, follow } = context.req.query();
    const after = numberOr(afterText, 0);
    const limit = Math.min(MAX_EVENTS, Math.max(1, numberOr(limitText, MAX_EVENTS)));
    const runID = run === undefined ? undefined : uuidOrNull(run);
    if (runID === null) {
      return fail(context, { status: 400, error: "invalid-request", message: "run is not a UUID" });
    }
    if (follow === "1") return followEvents(context, daemon, { after, runID });
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
  const lastID = numberOr(context.req.header("last-event-id"), after);
  const signal = AbortSignal.any([context.req.raw.signal, daemon.stopping]);
  const stream = followLog({
    log: daemon.eventLog,
    feed: daemon.feed,
    after: lastID,
    runID,
    signal,
    encode: wantsEvents(context) ? serverSentEvent : ndjsonLine,
  });
  return streamAnswer(context, stream, daemon.log);
}

function attentionRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/attention", (context) => {
    const items = listedItems(daemon.state, daemon.viewOptions().now);
    const isWanted = context.req.query("all") === "1" ? () => true : isOpenItem;
    return context.json({ items: items.filter(isWanted).map(attentionJson) });
  });
  app.post("/v1/attention/ack", async (context) => {
    const body = await validated(context, schema.ackRequest);
    if (body instanceof Response) return body;
    const found = findItems(daemon.state, "all" in body ? null : body.ids);
    if ("issue" in found) {
      return fail(context, { status: 404, error: "not-found", message: found.issue });
    }
    const { itemIDs } = found;
    if (itemIDs.length > 0) {
      const id = derivedID("event", "acknowledged", crypto.randomUUID());
      await daemon.mailbox.submit(() => ({ entries: [{ type: "acknowledged", id, itemIDs }] }));
    }
    return context.json({ acknowledged: itemIDs });
  });
}

function numberOr(text: string | undefined, otherwise: number): number {
  const number = Number(text ?? NaN);
  return Number.isSafeInteger(number) && number >= 0 ? number : otherwise;
}

/** The control API's routes: each validates, asks, and answers JSON. */

import { Hono } from "hono";
import { isOpenItem, listedItems } from "../../core/log/attention.ts";
import { derivedID } from "../../core/ids.ts";
import { PROVIDERS } from "../../core/registry.ts";
import { attentionJson, isoTime } from "../../core/view/view_json.ts";
import { VERSION } from "../../core/version.ts";
import type { Daemon } from "../daemon.ts";
import { fail, held, internalError, validated, validQuery, VERSION_HEADER } from "./answers.ts";
import { estimateRoutes } from "./estimate_routes.ts";
import { eventRoutes } from "./event_routes.ts";
import { listRoutes } from "./list_routes.ts";
import { notifyRoutes } from "./notify_routes.ts";
import { openApi } from "./openapi.ts";
import { attentionQuery } from "./query_schema.ts";
import * as schema from "./schema.ts";
import { findItems, findListed, findSurface, waitTarget } from "./target.ts";
import { holdWait } from "./waits.ts";
import { watchRoutes } from "./watch_routes.ts";

export function controlApp(daemon: Daemon): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(VERSION_HEADER)) context.header(name, value);
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
  listRoutes(app, daemon);
  providerRoutes(app, daemon);
  waitRoutes(app, daemon);
  surfaceRoutes(app, daemon);
  eventRoutes(app, daemon);
  attentionRoutes(app, daemon);
  notifyRoutes(app, daemon);
  watchRoutes(app, daemon);
  estimateRoutes(app, daemon);
  return app;
}

function providerRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/providers", (context) =>
    context.json({
      providers: PROVIDERS.map(({ id, displayName }) => {
        const count = daemon.counters.of(id);
        const lastAt = count.lastAt === null ? null : isoTime(count.lastAt);
        const sessions = daemon.hearing.sessionsOf(id, daemon.state);
        return { id, displayName, ...count, lastAt, sessions };
      }),
    }));
}

function waitRoutes(app: Hono, daemon: Daemon): void {
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

const NO_SURFACE = { status: 404, error: "not-found", message: "No such surface" } as const;

function surfaceRoutes(app: Hono, daemon: Daemon): void {
  app.post("/v1/surfaces", async (context) => {
    const body = await validated(context, schema.openRequest);
    if (body instanceof Response) return body;
    const { label = null, pid = null, tty = null, cwd = null, host = null, within = null } = body;
    const options = { label, pid, tty, cwd, host, within, reportsEnds: body.reportsEnds };
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
    const isDone = await daemon.surfaces.finished(surfaceID, body);
    return isDone
      ? context.json({ surfaceID, closed: body.close === true })
      : fail(context, NO_SURFACE);
  });
  app.delete("/v1/surfaces/:id", async (context) => {
    const found = findListed(daemon.state, context.req.param("id"));
    if ("issue" in found) return fail(context, { ...NO_SURFACE, message: found.issue });
    const closed = await daemon.surfaces.close(found.surfaceID);
    return context.json({ surfaceID: found.surfaceID, closed });
  });
}

function attentionRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/attention", (context) => {
    const query = validQuery(context, attentionQuery);
    if (query instanceof Response) return query;
    const items = listedItems(daemon.state, daemon.viewOptions().now);
    const isWanted = query.all ? () => true : isOpenItem;
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

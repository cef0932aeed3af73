/** What there is now: panes, sessions without one, runs. */

import type { Context, Hono } from "hono";
import { uuidOrNull } from "../../core/ids.ts";
import { isLive } from "../../core/log/event.ts";
import { isActive, type PlaceView, surfaceViews, unplacedViews } from "../../core/view/view.ts";
import { placeJson, runJson } from "../../core/view/view_json.ts";
import type { Daemon } from "../daemon.ts";
import { fail, validQuery } from "./answers.ts";
import { listQuery, runsQuery } from "./query_schema.ts";

const NO_RUN = { status: 404, error: "not-found", message: "No such run" } as const;

export function listRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/list", (context) => {
    const rows = rowsOf(context, daemon);
    if (rows instanceof Response) return rows;
    return context.json({
      position: daemon.state.position,
      surfaces: rows(surfaceViews),
      unplaced: rows(unplacedViews),
    });
  });
  app.get("/v1/surfaces", (context) => {
    const rows = rowsOf(context, daemon);
    if (rows instanceof Response) return rows;
    return context.json({ position: daemon.state.position, surfaces: rows(surfaceViews) });
  });
  app.get("/v1/runs", (context) => {
    const query = validQuery(context, runsQuery);
    if (query instanceof Response) return query;
    const runs = [...daemon.state.runs.values()]
      .filter(({ state }) => !query.active || isLive(state))
      .sort((one, other) => other.position - one.position).slice(0, query.limit);
    return context.json({ position: daemon.state.position, runs: runs.map(runJson) });
  });
  app.get("/v1/runs/:id", (context) => {
    const run = daemon.state.runs.get(uuidOrNull(context.req.param("id")) ?? "");
    return run === undefined ? fail(context, NO_RUN) : context.json(runJson(run));
  });
}

/** Rows of the views that are asked for, as they are now. */
function rowsOf(context: Context, daemon: Daemon) {
  const query = validQuery(context, listQuery);
  if (query instanceof Response) return query;
  const options = daemon.viewOptions();
  const isWanted = query.active ? isActive : () => true;
  return (views: (...of: Parameters<typeof surfaceViews>) => readonly PlaceView[]) =>
    views(daemon.state, options).filter(isWanted).map((view) => placeJson(view, options.now));
}

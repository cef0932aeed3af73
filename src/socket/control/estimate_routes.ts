/** One pass of the estimator on demand. */

import type { Hono } from "hono";
import type { Daemon } from "../daemon.ts";
import { fail } from "./answers.ts";

const OFF = {
  status: 404,
  error: "not-found",
  message: "This server does not estimate (--no-estimate, or estimate is off in the config)",
} as const;

export function estimateRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/estimate", async (context) => {
    if (daemon.estimator === null) return fail(context, OFF);
    return context.json({ agents: await daemon.estimator.pass() });
  });
}

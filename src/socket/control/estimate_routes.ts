/** One pass of the estimator on demand. */

import type { Hono } from "hono";
import type { Daemon } from "../daemon.ts";
import { fail, held } from "./answers.ts";

const OFF = {
  status: 404,
  error: "not-found",
  message: "This server does not estimate (--no-estimate, or estimate is off in the config)",
} as const;

export function estimateRoutes(app: Hono, daemon: Daemon): void {
  app.get("/v1/estimate", (context) => {
    if (daemon.estimator === null) return fail(context, OFF);
    const answer = daemon.estimator.pass().then((agents) => ({ agents }));
    return held(context, answer, daemon.log);
  });
}

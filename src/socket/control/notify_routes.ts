/** What was announced, what the channels do, a test, and notices that terminals bring. */

import type { Hono } from "hono";
import { CHANNEL_NAMES, type NoticePlace } from "../../core/notify/notice.ts";
import type { Daemon } from "../daemon.ts";
import { fail, held, validated } from "./answers.ts";
import * as schema from "./notify_schema.ts";
import { findSurface } from "./target.ts";

const NOT_HERE = {
  status: 404,
  error: "not-found",
  message: "This server sends no notifications",
} as const;

export function notifyRoutes(app: Hono, daemon: Daemon): void {
  const { notifier } = daemon;
  app.get(
    "/v1/notifications",
    (context) => context.json({ notifications: notifier?.records() ?? [] }),
  );
  app.get("/v1/channels", (context) => context.json({ channels: notifier?.channels() ?? [] }));
  app.post("/v1/notifications/test", async (context) => {
    const body = await validated(context, schema.testRequest);
    if (body instanceof Response) return body;
    if (notifier === null) return fail(context, NOT_HERE);
    const { channel = null, tty = null, multiplexer = null } = body;
    if (channel !== null && !CHANNEL_NAMES.includes(channel as never)) {
      const message = `No channel is called "${channel}"; there are ${CHANNEL_NAMES.join(", ")}`;
      return fail(context, { status: 400, error: "invalid-request", message });
    }
    return held(context, notifier.test(channel, testPlace(tty, multiplexer)), daemon.log);
  });
  app.post("/v1/notices", async (context) => {
    const body = await validated(context, schema.noticeRequest);
    if (body instanceof Response) return body;
    if (notifier === null) return fail(context, NOT_HERE);
    const found = findSurface(daemon.state, body.surface);
    if ("issue" in found) {
      return fail(context, { status: 404, error: "not-found", message: found.issue });
    }
    const { title = "", body: text = "" } = body;
    const id = crypto.randomUUID();
    const { surfaceID } = found;
    const words = { id, origin: "terminal", kind: "message", provider: null, surfaceID } as const;
    notifier.tell({ ...words, title: title ?? "", body: text ?? "" }, daemon.state);
    return context.json({ id });
  });
}

/** The terminal of whoever asked for the test. */
function testPlace(tty: string | null, multiplexer: string | null): NoticePlace {
  return { surfaceID: null, name: "test", cwd: null, tty, multiplexer };
}

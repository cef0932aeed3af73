/** Shapes of the control API's notification and watch routes. */

import { z } from "zod";
import * as schema from "./schema.ts";

const outcome = z.strictObject({
  channel: z.string(),
  outcome: z.enum(["held", "sending", "delivered", "suppressed", "failed"]),
  reason: z.string(),
  at: z.iso.datetime(),
});

export const notification = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  origin: z.string(),
  kind: z.string(),
  provider: z.string().nullable(),
  surfaceID: z.string().nullable(),
  runID: z.string().nullable(),
  place: z.string(),
  title: z.string(),
  body: z.string(),
  outcomes: z.array(outcome),
});

export const notifications = z.strictObject({ notifications: z.array(notification) });

export const channels = z.strictObject({
  channels: z.array(z.strictObject({ name: z.string(), active: z.boolean(), detail: z.string() })),
});

export const testRequest = z.object({
  channel: z.string().nullish(),
  tty: z.string().max(200).nullish(),
  multiplexer: z.string().max(4096).nullish(),
});

export const noticeRequest = z.object({
  surface: z.string().describe("Surface id, its beginning, or a label"),
  title: z.string().max(2000).nullish(),
  body: z.string().max(8000).nullish(),
});

export const noticed = z.strictObject({ id: z.string() });

export const watchPlace = z.strictObject({ ...schema.place.shape, place: z.string() });

export const watchLine = z.union([
  z.strictObject({
    type: z.literal("snapshot"),
    reason: z.enum(["start", "fell-behind"]),
    position: z.int(),
    places: z.array(watchPlace),
    attention: z.array(schema.attentionItem),
  }),
  z.strictObject({
    type: z.literal("change"),
    position: z.int(),
    event: schema.eventRow.nullable().describe("Null when only time has passed"),
    runs: z.array(z.strictObject({
      runID: z.string(),
      place: z.string(),
      from: z.string().nullable(),
      to: z.string(),
    })),
    places: z.array(watchPlace),
    gone: z.array(z.string()),
    attention: z.array(schema.attentionItem),
  }),
]);

export const statusLine = z.strictObject({
  text: z.string(),
  waiting: z.int(),
  running: z.int(),
  failed: z.int(),
  done: z.int(),
});

export const agents = z.strictObject({
  agents: z.array(z.strictObject({
    paneID: z.string(),
    projectID: z.string(),
    providerID: z.string(),
    status: z.enum(["working", "waiting", "idle"]),
    worktreeID: z.string(),
  })),
});

export const agentEvent = z.strictObject({
  event: z.enum(["agent.status", "notification.posted"]),
  payload: z.record(z.string(), z.string()),
});

/** Shapes of the control API (design 3.4), in one place: validation, OpenAPI and tests use these. */

import { z } from "zod";
import { RUN_STATES } from "../../core/log/event.ts";
import { WAIT_CONDITIONS } from "../../core/view/wait.ts";
import { STREAM_END_REASONS } from "../../core/wire/stream_end.ts";

/** Senders choose their ids, so any UUID form is one, of whatever version. */
const uuid = z.guid();
const time = z.iso.datetime();
const runState = z.enum(RUN_STATES);

export const run = z.strictObject({
  runID: uuid,
  surfaceID: uuid.nullable(),
  provider: z.string(),
  state: runState,
  sessionID: z.string().nullable(),
  message: z.string().nullable(),
  toolName: z.string().nullable(),
  startedAt: time.nullable(),
  updatedAt: time,
  startSeen: z.boolean(),
});

export const attentionItem = z.strictObject({
  id: uuid,
  kind: z.string(),
  surfaceID: uuid.nullable(),
  runID: uuid,
  sessionID: z.string().nullable(),
  provider: z.string(),
  createdAt: time,
  message: z.string().nullable(),
  toolName: z.string().nullable(),
  resolvedAt: time.nullable(),
  acknowledgedAt: time.nullable(),
});

export const place = z.strictObject({
  surfaceID: uuid.nullable(),
  label: z.string().nullable(),
  provider: z.string().nullable(),
  state: runState,
  stateFor: z.int().describe("Milliseconds for which the state has been so"),
  position: z.int().describe("Log position at which the state was entered"),
  runID: uuid.nullable(),
  sessionID: z.string().nullable(),
  cwd: z.string().nullable(),
  tty: z.string().nullable(),
  multiplexer: z.string().nullable(),
  adopted: z.boolean(),
  closedAt: time.nullable()
    .describe("When its command ended: listed only until that is acknowledged; null = open"),
  host: z.string().nullable().describe("Another machine or container; null = this one"),
  placement: z.strictObject({
    rule: z.string(),
    why: z.string().nullable(),
  }).nullable().describe("Why the session is in this pane, or in none"),
  message: z.string().nullable(),
  toolName: z.string().nullable(),
  startedAt: time.nullable(),
  updatedAt: time.nullable(),
  evidence: z.strictObject({
    source: z.string(),
    hookName: z.string().nullable(),
    at: time,
  }).nullable(),
  attention: z.array(attentionItem),
  children: z.array(run),
});

export const list = z.strictObject({
  position: z.int(),
  surfaces: z.array(place),
  unplaced: z.array(place),
});

export const surfaces = z.strictObject({ position: z.int(), surfaces: z.array(place) });

export const runs = z.strictObject({ position: z.int(), runs: z.array(run) });

export const attention = z.strictObject({ items: z.array(attentionItem) });

export const eventRow = z.strictObject({
  position: z.int(),
  at: time,
  type: z.string(),
  applied: z.boolean(),
  reason: z.string().nullable().describe("Why the event changed nothing"),
  id: uuid,
  runID: uuid.nullable(),
  sessionID: z.string().nullable(),
  surfaceID: uuid.nullable(),
  provider: z.string().nullable(),
  kind: z.string().nullable(),
  hookName: z.string().nullable(),
  toolName: z.string().nullable(),
  message: z.string().nullable(),
  source: z.string().nullable(),
  occurredAt: time.nullable(),
});

export const events = z.strictObject({
  position: z.int().describe("Give it as `after` to go on from here"),
  events: z.array(eventRow),
});

export const openRequest = z.object({
  label: z.string().max(200).nullish(),
  pid: z.int().positive().nullish()
    .describe("Its end closes the surface; without one that the server sees it stays open"),
  tty: z.string().max(200).nullish(),
  cwd: z.string().max(4096).nullish(),
  host: z.string().max(256).nullish().describe("The other machine that the pane leads to"),
  reportsEnds: z.boolean().optional()
    .describe("The caller will report how commands end here, by `finished`"),
  within: z.object({ surfaceID: uuid, capability: z.string().max(256) }).nullish()
    .describe("A surface the caller has; kept if it is that of the same terminal"),
});

export const opened = z.strictObject({
  surfaceID: uuid,
  env: z.strictObject({
    MYTTY_EVENT_SOCKET: z.string(),
    MYTTY_SURFACE_ID: uuid,
    MYTTY_EVENT_CAPABILITY: z.string(),
    MUXY_PANE_ID: z.string().optional().describe("With `serve --muxy`"),
    MUXY_SOCKET_PATH: z.string().optional(),
  }),
});

export const finishedRequest = z.object({
  exitCode: z.int().nullable(),
  close: z.boolean().optional()
    .describe("The surface was opened for this command: close it, and keep its open items"),
});

export const waitRequest = z.object({
  target: z.string().nullish().describe("Surface id, its beginning, a label, or a tmux pane (%7)"),
  runID: uuid.nullish(),
  sessionID: z.string().nullish(),
  until: z.enum(WAIT_CONDITIONS),
  after: z.int().min(0).nullish(),
  timeoutMs: z.int().min(0).max(86_400_000).nullish(),
});

export const waitAnswer = z.strictObject({
  state: runState,
  runID: uuid.nullable(),
  position: z.int(),
  timedOut: z.boolean(),
  closed: z.boolean().describe("The pane was closed before the condition was met"),
});

export const ackRequest = z.union([
  z.object({ ids: z.array(z.string()).min(1) }),
  z.object({ all: z.literal(true) }),
]);

export const acked = z.strictObject({ acknowledged: z.array(uuid) });

export const provider = z.strictObject({
  id: z.string(),
  displayName: z.string(),
  received: z.int(),
  inserted: z.int(),
  ignored: z.int(),
  malformed: z.int(),
  foreign: z.int(),
  tests: z.int().describe("Deliveries of `mytty test`"),
  lastAt: time.nullable(),
  /** Open sessions; times in milliseconds. */
  sessions: z.array(z.strictObject({
    sessionID: z.string(),
    pid: z.int().nullable(),
    startTime: z.string().nullable(),
    tty: z.string().nullable(),
    cwd: z.string().nullable(),
    heardAt: z.int().nullable(),
    movedAt: z.int().nullable(),
  })),
});

export const providers = z.strictObject({ providers: z.array(provider) });

export const status = z.strictObject({
  version: z.string(),
  protocol: z.int(),
  pid: z.int(),
  startedAt: time,
  position: z.int(),
  eventSocket: z.string(),
  stateFolder: z.string(),
  http: z.string().nullable().describe("Where `serve --http` listens"),
  surfaces: z.int(),
  sessions: z.int(),
  runs: z.int(),
  openAttention: z.int(),
  spool: z.strictObject({ waiting: z.int(), taken: z.int(), dropped: z.int() }),
  storeRefusal: z.strictObject({ at: time, reason: z.string() }).nullable()
    .describe("Why the database took nothing, since it last took something"),
});

export const closed = z.strictObject({ surfaceID: uuid, closed: z.boolean() });

export const streamEnd = z.strictObject({
  type: z.literal("end"),
  reason: z.enum(STREAM_END_REASONS),
}).describe("The last line of every stream");

export const failed = z.strictObject({ error: z.string(), message: z.string() });

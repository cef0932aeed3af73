/** Random logs: well-typed entries from small pools, so that they meet one another. */

import fc from "fast-check";
import {
  type AgentEvent,
  type EventKind,
  type LogEntry,
  type Settles,
  WIRE_KINDS,
} from "../../src/core/log/event.ts";
import { event, uuid } from "../core/log.ts";

export const PANES = [uuid("pane"), uuid("b")] as const;
const PROCESSES = [{ pid: 1, startTime: "1" }, { pid: 2, startTime: "2" }];

export type Step = { readonly entry: LogEntry; readonly after: number };

function some<T>(...values: T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

/** Defined or absent: optional fields must not be there as undefined. */
function optional<T extends object>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) {
  return fc.record(fields, { requiredKeys: [] });
}

const id = fc.nat({ max: 1_000_000 }).map((number) => uuid(`id ${number}`));

/** Who speaks, where: as providers do, or (wild) anything that is well-typed. */
type Speaker = Pick<AgentEvent, "runID" | "provider" | "sessionID" | "surfaceID"> & {
  readonly parentRunID?: string;
};

const claude = { provider: "claude-code" };

/** A session in one of `panes`, one without, runs without a session, and two kinds of child. */
function told(...panes: string[]): fc.Arbitrary<Speaker> {
  return fc.oneof(
    some("r1", "r2").chain((run) =>
      some(...panes).map((surfaceID) => ({
        runID: uuid(run),
        sessionID: "S",
        surfaceID,
        ...claude,
      }))
    ),
    some("t1", "t2").map((run) => ({
      runID: uuid(run),
      sessionID: "T",
      surfaceID: null,
      ...claude,
    })),
    some("n1", "n2").map((run) => ({
      runID: uuid(run),
      sessionID: null,
      surfaceID: PANES[1],
      provider: "generic",
    })),
    fc.constant({
      runID: uuid("child"),
      sessionID: "S",
      surfaceID: PANES[0],
      parentRunID: uuid("r1"),
      ...claude,
    }),
    some("nested", "nested2").map((run) => ({
      runID: uuid(run),
      sessionID: "N",
      surfaceID: PANES[0],
      provider: "codex",
      parentRunID: uuid("r1"),
    })),
    some("nested3", "nested4").map((run) => ({
      runID: uuid(run),
      sessionID: "M",
      surfaceID: PANES[0],
      ...claude,
      // Of a session that has no run.
      parentRunID: uuid("never"),
      nested: true as const,
    })),
  );
}

const wild: fc.Arbitrary<Speaker> = fc.tuple(
  fc.record({
    runID: some("r1", "r2", "child", "nested").map(uuid),
    provider: some("claude-code", "codex"),
    sessionID: some("S", "T", null),
    surfaceID: some(...PANES, null),
  }),
  optional({ parentRunID: some("r1", "child", "never seen").map(uuid) }),
).map(([fields, parent]) => ({ ...fields, ...parent }));

function agentEvent(speaker: fc.Arbitrary<Speaker>): fc.Arbitrary<AgentEvent> {
  return fc.tuple(
    fc.record({
      id,
      kind: some<EventKind>(...WIRE_KINDS, ...WIRE_KINDS, "idle"),
      occurredAt: fc.integer({ min: 0, max: 40 }),
      source: some("envelope" as const, "hook" as const, "process" as const),
      message: some(null, "text"),
      hookName: some(null, "Stop"),
      toolUseID: some(null, "t1", "t2"),
      toolName: some(null, "Bash"),
    }),
    speaker,
    optional({
      requestKey: some("k1", "k2"),
      settles: some<Settles>("all", "none", ["k1"], ["t1", "k2"]),
      weak: some(true as const),
      continuation: some(true as const),
      background: some(true as const),
      undated: some(true as const),
      late: some(true as const),
      process: some(...PROCESSES),
      cwd: some("/p"),
    }),
  ).map(([fields, who, more]) => ({ type: "agent-event", ...fields, ...who, ...more }));
}

const session = {
  id,
  sessionID: some("S", "T", "S", "T"),
  provider: fc.constant("claude-code"),
  occurredAt: fc.integer({ min: 0, max: 40 }),
  source: fc.constant("hook" as const),
  hookName: fc.constant(null),
};

const surfaceEntries: fc.Arbitrary<LogEntry> = fc.oneof(
  some(...PANES).map((surfaceID): LogEntry => ({
    type: "surface-opened",
    id: uuid(`open ${surfaceID}`),
    surfaceID,
    capabilityHash: `hash of ${surfaceID}`,
    label: null,
    cwd: null,
    tty: null,
    root: PROCESSES[0]!,
    multiplexer: null,
    adopted: false,
  })),
  fc.record({
    type: fc.constant("surface-closed" as const),
    id,
    surfaceID: some(...PANES, uuid("never opened")),
    reason: some("closed" as const, "ended" as const, "gone" as const),
  }),
);

function sessionEntries(panes: readonly string[]): fc.Arbitrary<LogEntry> {
  const place = (sessionID: string) => sessionID === "S" ? some(...panes) : fc.constant(null);
  return fc.oneof(
    fc.record(session).chain((fields) =>
      fc.tuple(
        panes.length === 0 ? some(...PANES, null) : place(fields.sessionID),
        optional({ process: some(...PROCESSES), cwd: some("/p"), transcript: some("/t") }),
      ).map(([surfaceID, more]): LogEntry => ({
        type: "session-started",
        ...fields,
        surfaceID,
        ...more,
      }))
    ),
    fc.record({
      ...session,
      type: fc.constant("session-ended" as const),
      reason: some("closed" as const, "lost" as const, "replaced" as const),
    }),
  );
}

function entries(
  speaker: fc.Arbitrary<Speaker>,
  panes: readonly string[],
): fc.Arbitrary<LogEntry> {
  return fc.oneof(
    { weight: 12, arbitrary: agentEvent(speaker) },
    { weight: 3, arbitrary: sessionEntries(panes) },
    { weight: 2, arbitrary: surfaceEntries },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("acknowledged" as const),
        id,
        itemIDs: fc.array(id, { maxLength: 3 }),
      }),
    },
  );
}

function stepsOf(entry: fc.Arbitrary<LogEntry>): fc.Arbitrary<Step[]> {
  return fc.array(fc.record({ entry, after: some(0, 1, 5, 200_000) }), { maxLength: 40 });
}

/** Entries as providers make them, each with the steady time that passed before. */
export const steps: fc.Arbitrary<Step[]> = stepsOf(entries(told(...PANES), PANES));

const PARENT: Step = {
  after: 0,
  entry: {
    ...event("started"),
    id: uuid("the parent's start"),
    runID: uuid("r1"),
    surfaceID: PANES[0],
  },
};

/** The same, of sessions that stay in their pane and parents that are there before their children. */
export const settledSteps: fc.Arbitrary<Step[]> = stepsOf(entries(told(PANES[0]), [PANES[0]]))
  .map((all) => [PARENT, ...all]);

/** Entries that are well-typed and nothing more. */
export const wildSteps: fc.Arbitrary<Step[]> = stepsOf(entries(wild, []));

/** From a decoder's facts to log entries: ids, time and place are added here and nowhere else. */

import {
  type AgentEvent,
  type EventSource,
  isLive,
  type LogEntry,
  type ProcessID,
} from "../log/event.ts";
import type { HookFact, RunFact } from "./hook_fact.ts";
import { derivedID, runIDOf } from "../ids.ts";
import type { PlacementNote } from "../placement/placement_note.ts";
import { sessionKey, type State } from "../log/state.ts";
import { boundedName, boundedText } from "../text.ts";
import { MAX_MESSAGE_CHARACTERS } from "../wire/envelope.ts";

/** Where and when the facts were told; the same for all facts of one delivery. */
export type Delivery = {
  /** The same on every retry of one hook run; becomes the id of its first entry. */
  readonly deliveryID: string;
  readonly provider: string;
  readonly source: EventSource;
  readonly occurredAt: number;
  readonly undated: boolean;
  readonly late: boolean;
  readonly surfaceID: string | null;
  /** Set when the agent runs inside another agent's run: it is listed under that one. */
  readonly parentRunID: string | null;
  readonly process: ProcessID | null;
  readonly cwd: string | null;
  readonly placement?: PlacementNote;
  /** The other machine or container that it came from. */
  readonly host?: string;
};

export function entriesOf(
  state: State,
  facts: readonly HookFact[],
  delivery: Delivery,
): LogEntry[] {
  return facts.map((fact, index) => {
    const id = index === 0
      ? delivery.deliveryID
      : derivedID("event", delivery.deliveryID, String(index));
    return entryOf(state, fact, { id, delivery });
  });
}

type Context = { readonly id: string; readonly delivery: Delivery };

function entryOf(state: State, fact: HookFact, { id, delivery }: Context): LogEntry {
  const { provider, occurredAt, source } = delivery;
  switch (fact.fact) {
    case "run":
      return runEvent(state, fact, { id, delivery });
    case "session-started":
      return {
        type: "session-started",
        id,
        provider,
        sessionID: fact.sessionID,
        // A nested agent has no pane of its own; it is found under its parent.
        surfaceID: delivery.parentRunID === null ? delivery.surfaceID : null,
        occurredAt,
        source,
        hookName: fact.hookName,
        ...evidence(delivery),
        ...(fact.transcript === undefined ? {} : { transcript: fact.transcript }),
      };
    case "session-ended":
      return {
        type: "session-ended",
        id,
        provider,
        sessionID: fact.sessionID,
        occurredAt,
        source,
        hookName: fact.hookName,
        reason: fact.reason,
      };
  }
}

function runEvent(state: State, fact: RunFact, context: Context): AgentEvent {
  const { delivery, id } = context;
  const parentRunID = parentOf(state, fact, context);
  return {
    type: "agent-event",
    id,
    runID: runID(state, fact, context),
    provider: delivery.provider,
    kind: fact.kind,
    occurredAt: delivery.occurredAt,
    source: delivery.source,
    sessionID: fact.sessionID,
    surfaceID: delivery.surfaceID,
    message: fact.message === undefined ? null : boundedText(fact.message, MAX_MESSAGE_CHARACTERS),
    hookName: boundedName(fact.hookName, 128),
    toolUseID: fact.toolUseID === undefined ? null : boundedName(fact.toolUseID, 256),
    toolName: fact.toolName === undefined ? null : boundedName(fact.toolName, 128),
    ...(fact.requestKey === undefined ? {} : { requestKey: fact.requestKey }),
    ...(fact.settles === undefined ? {} : { settles: fact.settles }),
    ...(fact.weak ? { weak: true } : {}),
    ...(fact.continuation ? continuation(state, fact, context) : {}),
    ...(fact.background ? { background: true } : {}),
    ...(parentRunID === null ? {} : { parentRunID }),
    ...(delivery.undated ? { undated: true } : {}),
    ...(delivery.late ? { late: true } : {}),
    ...evidence(delivery),
  };
}

/**
 * When the work began is written down with the start that goes on with it: the run before it may
 * be forgotten first.
 */
function continuation(
  state: State,
  fact: RunFact,
  context: Context,
): Pick<AgentEvent, "continuation" | "workSince"> {
  const earlier = state.runs.get(currentRunID(state, fact, context) ?? "");
  // Work that had already ended is not what this start goes on with.
  const workSince = earlier !== undefined && isLive(earlier.state) ? earlier.workSince : null;
  return { continuation: true, ...(workSince === null ? {} : { workSince }) };
}

type Evidence = Pick<AgentEvent, "process" | "cwd" | "placement" | "host">;

function evidence({ process, cwd, placement, host }: Delivery): Evidence {
  return {
    ...(placement === undefined ? {} : { placement }),
    ...(host === undefined ? {} : { host: boundedName(host, 256) ?? "?" }),
    ...(process === null ? {} : { process }),
    ...(cwd === null ? {} : { cwd: boundedText(cwd, 4096) }),
  };
}

function parentOf(state: State, fact: RunFact, context: Context): string | null {
  if (fact.childKey === undefined) return context.delivery.parentRunID;
  return mainRunID(state, fact, context);
}

function runID(state: State, fact: RunFact, context: Context): string {
  if (fact.childKey === undefined) return mainRunID(state, fact, context);
  return runIDOf(context.delivery.provider, placeName(fact, context), `agent\0${fact.childKey}`);
}

function mainRunID(state: State, fact: RunFact, context: Context): string {
  const { provider } = context.delivery;
  const place = placeName(fact, context);
  // A reminder of idleness is about the session, whichever turn was its last.
  const isReminder = fact.kind === "idle" && fact.weak === true;
  const current = isReminder ? currentRunID(state, fact, context) : undefined;
  if (current !== undefined) return current;
  if (fact.turnKey !== null) return runIDOf(provider, place, fact.turnKey);
  if (fact.kind === "started" && fact.childKey === undefined) {
    return runIDOf(provider, place, context.delivery.deliveryID);
  }
  return currentRunID(state, fact, context) ?? runIDOf(provider, place, place);
}

function currentRunID(state: State, fact: RunFact, { delivery }: Context): string | undefined {
  if (fact.sessionID !== null) {
    const session = state.sessions.get(sessionKey(delivery.provider, fact.sessionID));
    return session?.currentRunID ?? undefined;
  }
  const latest = delivery.surfaceID === null ? undefined : state.latest.get(delivery.surfaceID);
  const run = latest === undefined ? undefined : state.runs.get(latest);
  return run?.provider === delivery.provider ? run.runID : undefined;
}

/** Stands for the session in run ids: itself, else the pane, else this delivery alone. */
function placeName(fact: RunFact, { delivery }: Context): string {
  return fact.sessionID ?? delivery.surfaceID ?? delivery.deliveryID;
}

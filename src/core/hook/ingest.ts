/** From a decoder's facts to log entries: ids, time and place are added here and nowhere else. */

import { type AgentEvent, isLive, type LogEntry, type Settles } from "../log/event.ts";
import type { HookFact, RunFact } from "./hook_fact.ts";
import { derivedID } from "../ids.ts";
import type { State } from "../log/state.ts";
import { currentRunID, type Delivery, mainRunID, runID } from "./run_of_fact.ts";
import { boundedName, boundedText } from "../text.ts";
import { MAX_MESSAGE_CHARACTERS } from "../wire/envelope.ts";

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
        hookName: boundedName(fact.hookName, 128),
        ...(delivery.parentRunID === null ? {} : { parentRunID: delivery.parentRunID }),
        ...evidence(delivery),
        ...(fact.transcript === undefined
          ? {}
          : { transcript: boundedText(fact.transcript, 4096) }),
      };
    case "session-ended":
      return {
        type: "session-ended",
        id,
        provider,
        sessionID: fact.sessionID,
        occurredAt,
        source,
        hookName: boundedName(fact.hookName, 128),
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
    ...(fact.requestKey === undefined ? {} : { requestKey: requestName(fact.requestKey) }),
    ...(fact.settles === undefined ? {} : { settles: settledNames(fact.settles) }),
    ...(fact.weak ? { weak: true } : {}),
    ...(fact.continuation ? continuation(state, fact, context) : {}),
    ...(fact.background ? { background: true } : {}),
    ...(parentRunID === null ? {} : { parentRunID }),
    ...(parentRunID !== null && fact.childKey === undefined ? { nested: true } : {}),
    ...(delivery.undated ? { undated: true } : {}),
    ...(delivery.late ? { late: true } : {}),
    ...evidence(delivery),
  };
}

/** As `toolUseID` is kept: else an answer would not find its request under the same id. */
function requestName(key: string): string {
  return boundedName(key, 256) ?? "";
}

function settledNames(settles: Settles): Settles {
  return typeof settles === "string" ? settles : settles.map(requestName);
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

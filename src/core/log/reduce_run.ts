/**
 * One run, one event: the transition table of section 4, and nothing else.
 *
 * Pure over values: takes the run and the event, gives the next run or the reason why the event
 * changes nothing. The event stays in the log either way.
 */

import { type AgentEvent, isLive, isWaiting, type RunState } from "./event.ts";
import { requestOf, stateFor, unsettled } from "./requests.ts";
import type { Run } from "./state.ts";

/** `endedAt`: the run had ended, and is now known to have been over until then. */
export type RunStep =
  | { readonly run: Run }
  | { readonly reason: string; readonly endedAt?: number };

export const REASONS = {
  beforeEnd: "occurred before the run ended",
  undated: "has no time and the run had ended",
  alreadyEnded: "the run had already ended",
  stillAsked: "this request is already open",
  confirms: "only confirms a request that is already open",
  busy: "an idle reminder while work or a request is open",
  sessionOver: "occurred before the session ended",
  superseded: "a newer turn of the session had begun",
  parentOver: "occurred before the parent's turn ended",
  otherProvider: "the run belongs to another provider",
  otherSession: "the run belongs to another session",
  otherSurface: "the run belongs to another surface",
  unknownChild: "end of a sub-agent whose start was not seen",
} as const;

const GUESS_WINDOW_MS = 2_000;

/** A run before its first event. */
export function emptyRun(event: AgentEvent): Run {
  return {
    runID: event.runID,
    provider: event.provider,
    sessionID: event.sessionID,
    surfaceID: event.surfaceID,
    parentRunID: event.parentRunID ?? null,
    ...(event.nested ? { nested: true } : {}),
    state: "unknown",
    requests: [],
    message: null,
    toolName: null,
    startedAt: null,
    workSince: null,
    startSeen: false,
    updatedAt: event.occurredAt,
    endedAt: null,
    endGuessed: false,
    background: false,
    source: event.source,
    hookName: null,
    process: null,
    late: false,
    itemIDs: [],
    statePosition: 0,
    stateAt: 0,
    position: 0,
  };
}

export function stepRun(run: Run, event: AgentEvent): RunStep {
  switch (event.kind) {
    case "started":
      return stepStart(run, event);
    case "running":
      return stepRunning(run, event);
    case "input-requested":
    case "approval-requested":
      return stepRequest(run, event);
    case "succeeded":
    case "failed":
      return stepEnd(run, event, event.kind);
    case "disconnected":
      return stepDisconnect(run, event);
    case "idle":
      return stepIdle(run, event);
  }
}

/** A start that is told after the end of what it began (spooled, or overtaken) begins nothing. */
function stepStart(run: Run, event: AgentEvent): RunStep {
  return isBeforeEnd(run, event) ? { reason: REASONS.beforeEnd } : { run: begin(run, event) };
}

function begin(run: Run, event: AgentEvent): Run {
  const goesOn = isLive(run.state) && run.startSeen;
  return touch(run, event, {
    state: "running",
    startedAt: goesOn ? run.startedAt : event.occurredAt,
    updatedAt: goesOn ? Math.max(run.updatedAt, event.occurredAt) : event.occurredAt,
    startSeen: true,
    requests: [],
    endedAt: null,
    background: false,
  });
}

function stepRunning(run: Run, event: AgentEvent): RunStep {
  const reason = lateReason(run, event);
  if (reason !== undefined) return { reason };
  const requests = unsettled(run.requests, event);
  const background = event.background === true;
  const state = stateFor(requests);
  return { run: touch(run, event, { state, requests, endedAt: null, background }) };
}

function stepRequest(run: Run, event: AgentEvent): RunStep {
  const reason = lateReason(run, event);
  if (reason !== undefined) return { reason };
  const request = requestOf(event);
  if (run.requests.some((open) => open.key === request.key)) return { reason: REASONS.stillAsked };
  if (request.weak && isWaiting(run.state)) return { reason: REASONS.confirms };
  // A firm request replaces the guess that announced it.
  const requests = [...run.requests.filter((open) => !open.weak), request];
  const state = stateFor(requests);
  return { run: touch(run, event, { state, requests, endedAt: null, background: false }) };
}

function stepEnd(run: Run, event: AgentEvent, state: RunState): RunStep {
  const reason = correctsGuess(run, event) ? undefined : lateReason(run, event);
  return reason === undefined ? end(run, event, state) : { reason };
}

/** Of ended runs only an interrupted one can still be lost: the others have said how they ended. */
function stepDisconnect(run: Run, event: AgentEvent): RunStep {
  if (run.endedAt !== null && run.state !== "idle") return alreadyEnded(run, event);
  return isBeforeEnd(run, event) ? { reason: REASONS.beforeEnd } : end(run, event, "disconnected");
}

/** A second end changes nothing, but what occurred before it is late too. */
function alreadyEnded(run: Run, event: AgentEvent): RunStep {
  const isNews = !event.weak && !event.undated && event.occurredAt > (run.endedAt ?? 0);
  return { reason: REASONS.alreadyEnded, ...(isNews ? { endedAt: event.occurredAt } : {}) };
}

function stepIdle(run: Run, event: AgentEvent): RunStep {
  if (run.endedAt !== null) return alreadyEnded(run, event);
  if (event.weak && (isWaiting(run.state) || run.background)) return { reason: REASONS.busy };
  return end(run, event, "idle");
}

function end(run: Run, event: AgentEvent, state: RunState): RunStep {
  const endedAt = Math.max(run.endedAt ?? event.occurredAt, event.occurredAt);
  const endGuessed = event.weak === true;
  const rest = { state, requests: [], endedAt, background: false, endGuessed };
  return { run: touch(run, event, rest) };
}

/** Hooks of one end run side by side, so the firm one may be dated just before the reminder. */
function correctsGuess(run: Run, event: AgentEvent): boolean {
  return run.endGuessed && run.endedAt !== null && !event.undated &&
    run.endedAt - event.occurredAt <= GUESS_WINDOW_MS;
}

/** One new object per event: a start-up folds a hundred thousand of them. */
function touch(run: Run, event: AgentEvent, rest: Partial<Run> & Pick<Run, "state">): Run {
  const { state } = rest;
  return {
    ...run,
    sessionID: run.sessionID ?? event.sessionID,
    message: event.message ?? (state === run.state ? run.message : null),
    toolName: event.toolName ?? (state === run.state ? run.toolName : null),
    // A clock that was set back makes no run that ends before it began.
    updatedAt: Math.max(run.updatedAt, event.occurredAt),
    source: event.source,
    hookName: event.hookName,
    process: event.process ?? run.process,
    late: event.late === true,
    ...rest,
  };
}

function isBeforeEnd(run: Run, event: AgentEvent): boolean {
  return run.endedAt !== null && !event.undated && event.occurredAt < run.endedAt;
}

/** After an end, only what provably occurred later counts: a late hook revives nothing. */
function lateReason(run: Run, event: AgentEvent): string | undefined {
  if (run.endedAt === null) return undefined;
  if (event.undated) return REASONS.undated;
  return event.occurredAt > run.endedAt ? undefined : REASONS.beforeEnd;
}

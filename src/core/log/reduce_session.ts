/** Folds sessions: which conversation is where, and what its beginning and end mean for its runs. */

import type { AgentEvent, LogRow, ProcessID, SessionEnded, SessionStarted } from "./event.ts";
import { applied, notApplied, type Outcome } from "./outcome.ts";
import { isMainRun, isOvertaken, liveRunsOf } from "./run_index.ts";
import { placeKey, type Run, type Session, sessionKey, type State } from "./state.ts";
import { endedSession, synthesizedGone, synthesizedIdle } from "./synthesized.ts";

export function reduceSessionStarted(state: State, row: LogRow, entry: SessionStarted): Outcome {
  const key = sessionKey(entry.provider, entry.sessionID);
  const before = state.sessions.get(key);
  const outcome = applied();
  putSession(state, {
    ...(before ?? emptySession(key, entry)),
    // A conversation that is taken up again begins at its prompt, whatever its last turn came to.
    currentRunID: before === undefined || before.endedAt !== null ? null : before.currentRunID,
    surfaceID: entry.surfaceID ?? before?.surfaceID ?? null,
    parentRunID: entry.parentRunID ?? null,
    process: entry.process ?? before?.process ?? null,
    cwd: entry.cwd ?? before?.cwd ?? null,
    transcript: entry.transcript ?? before?.transcript ?? null,
    ...origin(before, entry),
    announced: true,
    endedAt: null,
    at: row.at,
    position: row.position,
  }, outcome);
  replaceSession(state, entry, outcome);
  noteLast(state, state.sessions.get(key)!);
  return outcome;
}

export function reduceSessionEnded(state: State, row: LogRow, entry: SessionEnded): Outcome {
  const session = state.sessions.get(sessionKey(entry.provider, entry.sessionID));
  if (session === undefined) return notApplied("the session is not known");
  if (session.endedAt !== null) return notApplied("the session had already ended");
  const outcome = applied();
  putSession(state, {
    ...session,
    endedAt: entry.occurredAt,
    at: row.at,
    position: row.position,
  }, outcome);
  for (const run of liveRunsOf(state, session)) {
    const lost = entry.reason === "lost" && run.parentRunID === null;
    outcome.followUps.push(
      lost
        ? synthesizedGone(run, entry, "mytty.sessionLost")
        : synthesizedIdle(run, entry, "mytty.sessionEnded"),
    );
  }
  return outcome;
}

/** Brings the session of an applied event up to date. Sub-agents keep it awake, nothing more. */
export function touchSession(
  state: State,
  row: LogRow,
  { event, run }: { event: AgentEvent; run: Run },
  outcome: Outcome,
): void {
  if (event.sessionID === null) return;
  const key = sessionKey(event.provider, event.sessionID);
  const before = state.sessions.get(key);
  if (!isMainRun(state, run)) {
    if (before !== undefined) state.sessions.set(key, { ...before, at: row.at });
    return;
  }
  putSession(state, {
    ...(before ?? emptySession(key, event)),
    // A nested agent has no pane of its own.
    surfaceID: run.parentRunID === null ? event.surfaceID ?? before?.surfaceID ?? null : null,
    parentRunID: run.parentRunID,
    currentRunID: isOvertaken(state, run, before?.currentRunID)
      ? before?.currentRunID ?? null
      : run.runID,
    process: event.process ?? before?.process ?? null,
    cwd: event.cwd ?? before?.cwd ?? null,
    ...origin(before, event),
    endedAt: revives(event) ? null : before?.endedAt ?? null,
    at: row.at,
    position: row.position,
  }, outcome);
  noteLast(state, state.sessions.get(key)!);
}

/** An end that arrives after the process is gone does not bring its session back. */
export function revives({ kind }: AgentEvent): boolean {
  return kind === "started" || kind === "running" || kind === "input-requested" ||
    kind === "approval-requested";
}

/**
 * A pane holds one conversation of a provider at a time: a new one (after `/clear`, say) ends the
 * earlier. Two sessions known to be of different processes are left to live side by side.
 */
export function replaceSession(
  state: State,
  entry: AgentEvent | SessionStarted,
  outcome: Outcome,
): void {
  if (entry.surfaceID === null || entry.sessionID === null) return;
  const earlierKey = state.lastSession.get(`${entry.surfaceID} ${entry.provider}`);
  const earlier = earlierKey === undefined ? undefined : state.sessions.get(earlierKey);
  if (earlier === undefined || earlier.endedAt !== null) return;
  if (earlier.sessionID === entry.sessionID) return;
  if (differ(earlier.process, entry.process)) return;
  outcome.followUps.push(
    endedSession(earlier, entry, { hookName: "mytty.sessionReplaced", reason: "replaced" }),
  );
}

/** That a session stays where it is says nothing about why it is there: the first reason is kept. */
function origin(
  before: Session | undefined,
  { placement, host }: AgentEvent | SessionStarted,
): Pick<Session, "placement" | "host"> {
  const known = before?.placement ?? null;
  const isNews = placement !== undefined && (known === null || placement.rule !== "session");
  return { placement: isNews ? placement : known, host: host ?? before?.host ?? null };
}

function differ(a: ProcessID | null, b: ProcessID | undefined): boolean {
  return a !== null && b !== undefined && (a.pid !== b.pid || a.startTime !== b.startTime);
}

function emptySession(key: string, entry: AgentEvent | SessionStarted): Session {
  return {
    key,
    provider: entry.provider,
    sessionID: entry.sessionID!,
    surfaceID: entry.surfaceID,
    currentRunID: null,
    parentRunID: null,
    process: null,
    cwd: null,
    transcript: null,
    placement: null,
    host: null,
    announced: false,
    startedAt: entry.occurredAt,
    endedAt: null,
    at: 0,
    position: 0,
  };
}

function putSession(state: State, session: Session, outcome: Outcome): void {
  const before = state.sessions.get(session.key);
  outcome.changes.push({ change: "session", before, after: session });
  state.sessions.set(session.key, session);
  if (before !== undefined) leavePlace(state, before, session);
}

/** A session that has found its pane, or another one, is not shown where it was. */
function leavePlace(state: State, before: Session, after: Session): void {
  if (placeKey(before) === placeKey(after)) return;
  for (const place of lastPlaces(before)) {
    if (state.lastSession.get(place) === before.key) state.lastSession.delete(place);
  }
}

function noteLast(state: State, session: Session): void {
  for (const place of lastPlaces(session)) state.lastSession.set(place, session.key);
}

/** Keys under which the session that spoke last is remembered: of a place, and of a provider there. */
function lastPlaces(session: Session): string[] {
  const place = placeKey(session);
  return [place, `${place} ${session.provider}`];
}

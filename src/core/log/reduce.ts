/**
 * The fold: `reduce(state, row)` brings the state to the row's position and says what changed.
 *
 * Deterministic and total: the same rows give the same state, whatever the clock; no entry makes
 * it throw. Nothing is executed here, the daemon publishes the changes after the commit.
 */

import { acknowledge } from "./attention.ts";
import {
  type ExplainedRow,
  isLive,
  type LogRow,
  type SurfaceClosed,
  type SurfaceOpened,
} from "./event.ts";
import { applied, type Change, notApplied, type Outcome } from "./outcome.ts";
import { reduceAgentEvent, replayRejected } from "./reduce_event.ts";
import { reduceSessionEnded, reduceSessionStarted } from "./reduce_session.ts";
import { latestRun, liveRuns } from "./run_index.ts";
import { placeState } from "../view/place_state.ts";
import { placeKey, sessionKey, type State, type Surface } from "./state.ts";
import { endedSession, synthesizedGone, synthesizedIdle } from "./synthesized.ts";

export function reduce(state: State, row: LogRow): Outcome {
  return fold(state, row, { isNews: true });
}

/**
 * Folds rows into a new position of `state`; what a restart does. Nothing is decided a second time:
 * what a row was accepted or rejected for may have been forgotten since.
 */
export function replay(state: State, rows: Iterable<ExplainedRow>): State {
  for (const row of rows) {
    if (row.reason === null) {
      fold(state, row, { isNews: false });
    } else {
      noteTime(state, row);
      replayRejected(state, row);
    }
  }
  return state;
}

function fold(state: State, row: LogRow, options: { isNews: boolean }): Outcome {
  noteTime(state, row);
  const outcome = reduceEntry(state, row, options);
  notePlaces(state, row, outcome);
  return outcome;
}

function noteTime(state: State, row: LogRow): void {
  state.position = row.position;
  state.at = Math.max(state.at, row.at);
}

function reduceEntry(state: State, row: LogRow, { isNews }: { isNews: boolean }): Outcome {
  const { entry } = row;
  switch (entry.type) {
    case "agent-event":
      return reduceAgentEvent(state, row, { event: entry, isNews });
    case "session-started":
      return reduceSessionStarted(state, row, entry);
    case "session-ended":
      return reduceSessionEnded(state, row, entry);
    case "surface-opened":
      return reduceSurfaceOpened(state, row, entry);
    case "surface-closed":
      return reduceSurfaceClosed(state, row, entry);
    case "acknowledged": {
      const outcome = applied();
      for (const id of entry.itemIDs) acknowledge(state, id, row.at, outcome);
      return outcome.changes.length > 0 ? outcome : notApplied("nothing left to acknowledge");
    }
  }
}

/** Remembers since when each place that this row touched has been in its state. */
function notePlaces(state: State, row: LogRow, outcome: Outcome): void {
  if (!outcome.changes.some((change) => mayMovePlace(state, change))) return;
  const touched = new Set<string>();
  for (const change of outcome.changes) {
    if (change.change !== "run" && change.change !== "session") continue;
    touched.add(placeKey(change.after));
    if (change.before !== undefined) touched.add(placeKey(change.before));
  }
  for (const place of touched) {
    if (!isPlace(state, place)) {
      state.places.delete(place);
      continue;
    }
    const now = placeState(state, place).state;
    if (state.places.get(place)?.state === now) continue;
    state.places.set(place, { state: now, position: row.position, at: row.at });
  }
}

/** Most rows are signs of work of a run that is already shown as working: nothing to look at. */
function mayMovePlace(state: State, change: Change): boolean {
  if (change.before === undefined) return true;
  if (change.change === "session") {
    return change.before.endedAt !== change.after.endedAt ||
      change.before.currentRunID !== change.after.currentRunID ||
      change.before.surfaceID !== change.after.surfaceID ||
      // It speaks for its place again, which a run without a session had spoken for.
      latestRun(state, placeKey(change.after))?.sessionID === null;
  }
  if (change.change !== "run") return false;
  return !isLive(change.after.state) || change.before.state !== change.after.state ||
    placeKey(change.before) !== placeKey(change.after);
}

/** What had no pane is no place any more once it has found one. */
function isPlace(state: State, place: string): boolean {
  return state.surfaces.has(place) || state.lastSession.has(place) || state.latest.has(place) ||
    state.live.has(place);
}

function reduceSurfaceOpened(state: State, row: LogRow, entry: SurfaceOpened): Outcome {
  if (state.surfaces.has(entry.surfaceID)) return notApplied("the surface is already open");
  const { type: _type, id: _id, ...facts } = entry;
  const surface: Surface = {
    ...facts,
    openedAt: row.at,
    closedAt: null,
    closeReason: null,
    position: row.position,
  };
  const outcome = applied();
  putSurface(state, surface, outcome);
  if (surface.capabilityHash !== null) {
    state.capabilities.set(surface.capabilityHash, surface.surfaceID);
  }
  return outcome;
}

/**
 * A closed pane's capability is revoked and what ran in it ends: as lost when its process went away,
 * else without alarm. Only a person who closes it has seen what it had to say.
 */
function reduceSurfaceClosed(state: State, row: LogRow, entry: SurfaceClosed): Outcome {
  const hookName = "mytty.surfaceClosed";
  const { reason: closeReason } = entry;
  const isGone = closeReason === "gone";
  const surface = state.surfaces.get(entry.surfaceID);
  if (surface === undefined) return notApplied("no such surface");
  if (surface.closedAt !== null) return notApplied("the surface is already closed");
  const outcome = applied();
  const { at: closedAt, position } = row;
  putSurface(state, { ...surface, closedAt, closeReason, position }, outcome);
  if (surface.capabilityHash !== null) state.capabilities.delete(surface.capabilityHash);
  const cause = { id: entry.id, occurredAt: row.at };
  const ending = new Set<string>();
  for (const key of state.residents.get(surface.surfaceID) ?? []) {
    ending.add(key);
    const session = state.sessions.get(key)!;
    const reason = isGone ? "lost" : "closed";
    outcome.followUps.push(endedSession(session, cause, { hookName, reason }));
  }
  for (const run of liveRuns(state, surface.surfaceID)) {
    // A session's end ends its runs; the others have none, or one that went on elsewhere.
    if (run.sessionID !== null && ending.has(sessionKey(run.provider, run.sessionID))) continue;
    const end = isGone ? synthesizedGone : synthesizedIdle;
    outcome.followUps.push(end(run, cause, hookName));
  }
  if (closeReason === "closed") acknowledgeAllOf(state, surface.surfaceID, row.at, outcome);
  return outcome;
}

function acknowledgeAllOf(state: State, surfaceID: string, at: number, outcome: Outcome): void {
  for (const item of state.items.values()) {
    if (item.surfaceID === surfaceID) acknowledge(state, item.id, at, outcome);
  }
}

function putSurface(state: State, surface: Surface, outcome: Outcome): void {
  const before = state.surfaces.get(surface.surfaceID);
  outcome.changes.push({ change: "surface", before, after: surface });
  state.surfaces.set(surface.surfaceID, surface);
}

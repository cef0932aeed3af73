/** Which finished runs may be forgotten, and forgetting them. */

import { isOpenItem } from "./attention.ts";
import { isLive } from "./event.ts";
import { dropRun, isMainRun } from "./run_index.ts";
import { placeKey, type Run, type Session, sessionKey, type State } from "./state.ts";

/** Finished runs are kept this long by default (section 4). */
export const RETENTION_MS = 7 * 24 * 3_600_000;

export type Prunable = {
  readonly runIDs: readonly string[];
  readonly sessionKeys: readonly string[];
  readonly surfaceIDs: readonly string[];
  /** Rows that were rejected before this time explain nothing that anybody still asks about. */
  readonly rejectedBefore: number;
};

/**
 * Runs that ended (or never began) before the retention time and have no item a person has not
 * seen; sessions and closed surfaces of which nothing is left.
 */
export function prunable(
  state: State,
  { now, retention = RETENTION_MS }: { now: number; retention?: number },
): Prunable {
  const isOld = (at: number) => now - at > retention;
  const gone = prunableRuns(state, isOld);
  const usedSessions = new Set<string>();
  const usedSurfaces = new Set<string>();
  for (const run of state.runs.values()) {
    if (gone.has(run.runID)) continue;
    if (run.sessionID !== null && isMainRun(state, run)) {
      usedSessions.add(sessionKey(run.provider, run.sessionID));
    }
    if (run.surfaceID !== null) usedSurfaces.add(run.surfaceID);
  }
  const sessions = [...state.sessions.values()].filter((session) =>
    !usedSessions.has(session.key) &&
    // One that only its runs told of is unknown to the log without them.
    (!session.announced || (isOld(session.at) && !isInOpenPane(state, session)))
  );
  const surfaces = [...state.surfaces.values()].filter((surface) =>
    surface.closedAt !== null && isOld(surface.closedAt) && !usedSurfaces.has(surface.surfaceID)
  );
  return {
    runIDs: [...gone],
    sessionKeys: sessions.map((session) => session.key),
    surfaceIDs: surfaces.map((surface) => surface.surfaceID),
    rejectedBefore: now - retention,
  };
}

function prunableRuns(state: State, isOld: (at: number) => boolean): Set<string> {
  const runs = [...state.runs.values()].filter((run) =>
    !isLive(run.state) && isOld(run.stateAt) &&
    !run.itemIDs.some((id) => isOpen(state, id))
  );
  const gone = new Set(runs.map((run) => run.runID));
  for (const run of state.runs.values()) {
    if (gone.has(run.runID)) continue;
    // What is kept stays under its parent.
    for (let id = run.parentRunID; id !== null && gone.delete(id);) {
      id = state.runs.get(id)?.parentRunID ?? null;
    }
  }
  return gone;
}

/** Forgets what the log has just deleted, so that state again equals the fold of the log. */
export function forget(state: State, { runIDs, sessionKeys, surfaceIDs }: Prunable): void {
  const places = new Set<string>();
  for (const runID of runIDs) {
    const run = state.runs.get(runID);
    if (run === undefined) continue;
    if (state.latest.get(placeKey(run)) === runID) places.add(placeKey(run));
    dropRun(state, run);
  }
  forgetSessions(state, new Set(sessionKeys));
  for (const surfaceID of surfaceIDs) {
    state.surfaces.delete(surfaceID);
    state.places.delete(surfaceID);
  }
  if (runIDs.length > 0) pointToRemaining(state, places);
}

function forgetSessions(state: State, keys: ReadonlySet<string>): void {
  for (const key of keys) {
    state.sessions.delete(key);
    state.places.delete(key);
  }
  for (const [place, key] of state.lastSession) {
    if (keys.has(key)) state.lastSession.delete(place);
  }
}

/** Where the latest run of a place or session is gone, the latest of the others is. */
function pointToRemaining(state: State, places: ReadonlySet<string>): void {
  const [ofPlace, ofSession] = [new Map<string, Run>(), new Map<string, Run>()];
  for (const run of state.runs.values()) {
    if (run.parentRunID === null) noteLater(ofPlace, placeKey(run), run);
    if (run.sessionID !== null && isMainRun(state, run)) {
      noteLater(ofSession, sessionKey(run.provider, run.sessionID), run);
    }
  }
  for (const [place, run] of ofPlace) {
    if (places.has(place)) state.latest.set(place, run.runID);
  }
  for (const session of state.sessions.values()) {
    if (session.currentRunID === null || state.runs.has(session.currentRunID)) continue;
    const currentRunID = ofSession.get(session.key)?.runID ?? null;
    state.sessions.set(session.key, { ...session, currentRunID });
  }
}

function noteLater(runs: Map<string, Run>, key: string, run: Run): void {
  if (run.position > (runs.get(key)?.position ?? 0)) runs.set(key, run);
}

function isInOpenPane(state: State, { surfaceID, endedAt }: Session): boolean {
  return endedAt === null && surfaceID !== null &&
    state.surfaces.get(surfaceID)?.closedAt === null;
}

function isOpen(state: State, id: string): boolean {
  const item = state.items.get(id);
  return item !== undefined && isOpenItem(item);
}

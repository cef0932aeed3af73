/** Which finished runs may be forgotten, and forgetting them. */

import { isOpenItem } from "./attention.ts";
import { isLive } from "./event.ts";
import { dropRun } from "./run_index.ts";
import { type Session, sessionKey, type State } from "./state.ts";

/** Finished runs are kept this long by default (section 4). */
export const RETENTION_MS = 7 * 24 * 3_600_000;

export type Prunable = {
  readonly runIDs: readonly string[];
  readonly sessionKeys: readonly string[];
  readonly surfaceIDs: readonly string[];
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
  const runIDs = [...state.runs.values()].filter((run) =>
    !isLive(run.state) && isOld(run.stateAt) &&
    !run.itemIDs.some((id) => isOpen(state, id))
  ).map((run) => run.runID);
  const gone = new Set(runIDs);
  const usedSessions = new Set<string>();
  const usedSurfaces = new Set<string>();
  for (const run of state.runs.values()) {
    if (gone.has(run.runID)) continue;
    if (run.sessionID !== null) usedSessions.add(sessionKey(run.provider, run.sessionID));
    if (run.surfaceID !== null) usedSurfaces.add(run.surfaceID);
  }
  const sessions = [...state.sessions.values()].filter((session) =>
    isOld(session.at) && !usedSessions.has(session.key) && !isInOpenPane(state, session)
  );
  const surfaces = [...state.surfaces.values()].filter((surface) =>
    surface.closedAt !== null && isOld(surface.closedAt) && !usedSurfaces.has(surface.surfaceID)
  );
  return {
    runIDs,
    sessionKeys: sessions.map((session) => session.key),
    surfaceIDs: surfaces.map((surface) => surface.surfaceID),
  };
}

/** Forgets what the log has just deleted, so that state again equals the fold of the log. */
export function forget(state: State, { runIDs, sessionKeys, surfaceIDs }: Prunable): void {
  const sessions = new Set(sessionKeys);
  const gone = new Set(runIDs);
  for (const runID of runIDs) {
    const run = state.runs.get(runID);
    if (run !== undefined) dropRun(state, run);
  }
  for (const key of sessionKeys) {
    state.sessions.delete(key);
    state.places.delete(key);
  }
  for (const session of state.sessions.values()) {
    if (session.currentRunID !== null && gone.has(session.currentRunID)) {
      state.sessions.set(session.key, { ...session, currentRunID: null });
    }
  }
  for (const [place, key] of state.lastSession) {
    if (sessions.has(key)) state.lastSession.delete(place);
  }
  for (const surfaceID of surfaceIDs) {
    state.surfaces.delete(surfaceID);
    state.places.delete(surfaceID);
  }
}

function isInOpenPane(state: State, { surfaceID, endedAt }: Session): boolean {
  return endedAt === null && surfaceID !== null &&
    state.surfaces.get(surfaceID)?.closedAt === null;
}

function isOpen(state: State, id: string): boolean {
  const item = state.items.get(id);
  return item !== undefined && isOpenItem(item);
}

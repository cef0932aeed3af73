/** What forgetting must leave: the rows that remain, and what can be seen of a state. */

import type { ExplainedRow } from "../../src/core/log/event.ts";
import type { Prunable } from "../../src/core/log/retention.ts";
import { placeKey, sessionKey, type State } from "../../src/core/log/state.ts";
import { placeView } from "../../src/core/view/view.ts";

/** What is left of the rows: as the event log deletes them. */
export function remaining(rows: readonly ExplainedRow[], gone: Prunable): ExplainedRow[] {
  const runs = new Set(gone.runIDs);
  const subjects = new Set([...gone.sessionKeys, ...gone.surfaceIDs]);
  return rows.filter(({ at, entry, reason }) => {
    if (reason !== null && at < gone.rejectedBefore) return false;
    switch (entry.type) {
      case "agent-event":
        return !runs.has(entry.runID);
      case "session-started":
      case "session-ended":
        return !subjects.has(sessionKey(entry.provider, entry.sessionID));
      case "surface-opened":
      case "surface-closed":
        return !subjects.has(entry.surfaceID);
      case "acknowledged":
        return true;
    }
  });
}

/** What a person can see of a state, and what the next event is folded upon. */
export function visible(state: State) {
  const sorted = <K, V>(map: Map<K, V>) =>
    [...map].sort(([a], [b]) => String(a) < String(b) ? -1 : 1);
  const places = new Set([...state.runs.values()].map(placeKey));
  return {
    // When a run is known to have been over is no news to anybody.
    runs: sorted(state.runs).map(([, { endedAt, ...run }]) => ({
      ...run,
      ended: endedAt !== null,
    })),
    items: sorted(state.items),
    live: sorted(state.live),
    latest: sorted(state.latest),
    sessions: [...state.sessions.values()].map(({ key, currentRunID }) => [key, currentRunID])
      .sort(),
    surfaces: sorted(state.surfaces).map(([id, surface]) => [id, surface.closedAt]),
    capabilities: sorted(state.capabilities),
    views: [...places].sort().map((place) => {
      const { state: shown, run, children, attention } = placeView(state, place, { now: 9e15 });
      return [place, shown, run?.runID, children.map((child) => child.runID), attention];
    }),
  };
}

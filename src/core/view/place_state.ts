/**
 * The state of one place (a pane, or a session without one), free of time: its live runs by
 * urgency, else its latest. Sub-agents never speak for it, except that an open request of one makes
 * the place wait.
 */

import { isLive, isWaiting, type RunState } from "../log/event.ts";
import { latestRun, liveRuns } from "../log/run_index.ts";
import { placeKey, type Run, type Session, sessionKey, type State } from "../log/state.ts";

export type PlaceState = {
  readonly state: RunState;
  /** The run that gives the state; null when none does. */
  readonly speaker: Run | null;
  /** The main run to show: the most urgent live one, else the current or latest. */
  readonly run: Run | null;
  readonly session: Session | null;
  readonly children: readonly Run[];
};

const URGENCY: Partial<Record<RunState, number>> = {
  "waiting-approval": 3,
  "waiting-input": 2,
  running: 1,
};

export function placeState(state: State, place: string): PlaceState {
  const live = liveRuns(state, place);
  const children = live.filter((run) => run.parentRunID !== null);
  const run = shownRun(state, place, live);
  const session = shownSession(state, place, run);
  const asking = children.filter((child) => isWaiting(child.state));
  const speaker = mostUrgent(run === null ? asking : [run, ...asking]) ?? null;
  return { state: stateOf(speaker, session), speaker, run, session, children };
}

function stateOf(speaker: Run | null, session: Session | null): RunState {
  if (speaker === null) return session === null ? "unknown" : "idle";
  const { state } = speaker;
  // A death stays visible although its session is over; a normal end needs no more notice.
  if (isLive(state) || state === "disconnected" || isFailedExit(speaker)) return state;
  return session !== null && session.endedAt !== null ? "idle" : state;
}

/** Its program ended with a status that says so: the session is over because of it. */
function isFailedExit({ state, hookName }: Run): boolean {
  return state === "failed" && hookName === "mytty.native.commandFinished";
}

function shownRun(state: State, place: string, live: readonly Run[]): Run | null {
  const urgent = mostUrgent(live.filter((run) => run.parentRunID === null));
  if (urgent !== undefined) return urgent;
  const latest = latestRun(state, place) ?? null;
  const session = lastSession(state, place);
  // What has no session speaks for the pane where it is the newest thing there.
  const isNewest = latest?.sessionID === null && latest.position > (session?.position ?? 0);
  if (session === undefined || isNewest) return latest;
  // A new session that has no run yet speaks for the pane, not the run of the one before.
  return state.runs.get(session.currentRunID ?? "") ?? null;
}

function shownSession(state: State, place: string, run: Run | null): Session | null {
  if (run === null) return lastSession(state, place) ?? null;
  if (run.sessionID === null) return null;
  const session = state.sessions.get(sessionKey(run.provider, run.sessionID));
  // A session that has moved on says nothing about the pane it left.
  return session !== undefined && placeKey(session) === place ? session : null;
}

function lastSession(state: State, place: string): Session | undefined {
  const key = state.lastSession.get(place);
  return key === undefined ? undefined : state.sessions.get(key);
}

function mostUrgent(runs: readonly Run[]): Run | undefined {
  let best: Run | undefined;
  for (const run of runs) {
    const lead = best === undefined
      ? 1
      : urgency(run) - urgency(best) || run.position - best.position;
    if (lead > 0) best = run;
  }
  return best;
}

function urgency(run: Run): number {
  return URGENCY[run.state] ?? 0;
}

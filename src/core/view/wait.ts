/** When a wait is over: pure, asked anew after every commit by the server that holds it. */

import type { RunState } from "../log/event.ts";
import { placeKey, sessionKey, type State } from "../log/state.ts";
import { placeState } from "./place_state.ts";

export const WAIT_CONDITIONS = ["idle", "attention", "finished", "change"] as const;

export type WaitCondition = typeof WAIT_CONDITIONS[number];

/** Exactly one of the three is looked at, in this order: run, session, place. */
export type WaitTarget = {
  readonly place: string | null;
  readonly runID: string | null;
  readonly session: { readonly provider: string; readonly sessionID: string } | null;
};

export type WaitQuery = {
  readonly target: WaitTarget;
  readonly until: WaitCondition;
  /** A state that was entered at or before this position does not count. */
  readonly after: number;
};

export type WaitView = {
  readonly state: RunState;
  readonly runID: string | null;
  /** Position at which the state was entered. */
  readonly position: number;
};

const UNKNOWN: WaitView = { state: "unknown", runID: null, position: 0 };

/** What the target is at now. */
export function waitView(state: State, target: WaitTarget): WaitView {
  if (target.runID !== null) {
    const run = state.runs.get(target.runID);
    return run === undefined
      ? { ...UNKNOWN, runID: target.runID }
      : { state: run.state, runID: run.runID, position: run.statePosition };
  }
  const place = placeOf(state, target);
  if (place === null) return UNKNOWN;
  const shown = placeState(state, place);
  const since = state.places.get(place);
  return {
    state: shown.state,
    runID: shown.run?.runID ?? null,
    position: since?.position ?? 0,
  };
}

export function isWaitOver(state: State, { target, until, after }: WaitQuery): boolean {
  const view = waitView(state, target);
  // A run of which only the end was told may finish without a change of what is shown.
  if (until !== "finished" && view.position <= after) return false;
  switch (until) {
    case "change":
      return true;
    case "attention":
      return view.state === "waiting-input" || view.state === "waiting-approval";
    case "idle":
      return isResting(view.state);
    case "finished": {
      // A pane that never had a run has not finished anything.
      const run = view.runID === null ? undefined : state.runs.get(view.runID);
      return run !== undefined && run.endedAt !== null && isResting(view.state) &&
        run.statePosition > after;
    }
  }
}

/**
 * Whether the pane that is waited for was closed: nothing happens in it any more. A run or session
 * counts by the pane it is in, once it has one.
 */
export function isPaneClosed(state: State, target: WaitTarget): boolean {
  const surfaceID = surfaceOf(state, target);
  if (surfaceID === null) return false;
  const surface = state.surfaces.get(surfaceID);
  // One that is asked for by name was there; it is forgotten some time after it was closed.
  return surface === undefined || surface.closedAt !== null;
}

function surfaceOf(state: State, { place, runID, session }: WaitTarget): string | null {
  if (runID !== null) return state.runs.get(runID)?.surfaceID ?? null;
  if (session === null) return place;
  return state.sessions.get(sessionKey(session.provider, session.sessionID))?.surfaceID ?? null;
}

function isResting(state: RunState): boolean {
  return state === "idle" || state === "succeeded" || state === "failed" ||
    state === "disconnected";
}

function placeOf(state: State, { place, session }: WaitTarget): string | null {
  if (session === null) return place;
  const known = state.sessions.get(sessionKey(session.provider, session.sessionID));
  return known === undefined ? null : placeKey(known);
}

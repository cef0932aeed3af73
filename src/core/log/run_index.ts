/** Keeps the indexes of `State` that answer "what runs here" without walking every run. */

import { isLive } from "./event.ts";
import { placeKey, type Run, type State } from "./state.ts";

/** Stores `after` and moves it between the indexes as its state and place require. */
export function putRun(state: State, before: Run | undefined, after: Run): void {
  state.runs.set(after.runID, after);
  const oldPlace = before === undefined ? undefined : placeKey(before);
  const place = placeKey(after);
  if (oldPlace !== undefined && (oldPlace !== place || !isLive(after.state))) {
    removeLive(state, oldPlace, after.runID);
  }
  if (isLive(after.state)) addLive(state, place, after.runID);
  if (after.parentRunID === null && !isOvertaken(state, after, state.latest.get(place))) {
    state.latest.set(place, after.runID);
  }
  if (oldPlace !== undefined && oldPlace !== place && state.latest.get(oldPlace) === after.runID) {
    state.latest.delete(oldPlace);
  }
}

/** The end of an earlier run does not make it the current one while `currentID` is alive. */
export function isOvertaken(state: State, run: Run, currentID: string | null | undefined): boolean {
  if (isLive(run.state) || !currentID || currentID === run.runID) return false;
  const current = state.runs.get(currentID);
  return current !== undefined && isLive(current.state);
}

/**
 * Whether a run speaks for its session: sub-agents share their parent's session, a nested agent
 * has one of its own.
 */
export function isMainRun(state: State, run: Run): boolean {
  if (run.parentRunID === null || run.nested) return true;
  const parent = state.runs.get(run.parentRunID);
  return parent !== undefined &&
    (parent.provider !== run.provider || parent.sessionID !== run.sessionID);
}

/** The main run of a place that spoke last. */
export function latestRun(state: State, place: string): Run | undefined {
  return state.runs.get(state.latest.get(place) ?? "");
}

export function liveRuns(state: State, place: string): Run[] {
  return (state.live.get(place) ?? []).map((id) => state.runs.get(id)!);
}

/** Live runs of one session, wherever they are: a nested agent's are listed in its parent's pane. */
export function liveRunsOf(
  state: State,
  { provider, sessionID }: { provider: string; sessionID: string },
): Run[] {
  return [...state.live.values()].flat().map((id) => state.runs.get(id)!)
    .filter((run) => run.provider === provider && run.sessionID === sessionID);
}

export function dropRun(state: State, run: Run): void {
  const place = placeKey(run);
  removeLive(state, place, run.runID);
  if (state.latest.get(place) === run.runID) state.latest.delete(place);
  for (const id of run.itemIDs) state.items.delete(id);
  state.runs.delete(run.runID);
  if (place === placeKey({ ...run, surfaceID: null, sessionID: null })) state.places.delete(place);
}

function addLive(state: State, place: string, runID: string): void {
  const ids = state.live.get(place) ?? [];
  if (!ids.includes(runID)) state.live.set(place, [...ids, runID]);
}

function removeLive(state: State, place: string, runID: string): void {
  const ids = state.live.get(place);
  if (ids === undefined || !ids.includes(runID)) return;
  const rest = ids.filter((id) => id !== runID);
  if (rest.length > 0) state.live.set(place, rest);
  else state.live.delete(place);
}

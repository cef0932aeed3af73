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
  if (after.parentRunID === null) state.latest.set(place, after.runID);
  if (oldPlace !== undefined && oldPlace !== place && state.latest.get(oldPlace) === after.runID) {
    state.latest.delete(oldPlace);
  }
}

export function liveRuns(state: State, place: string): Run[] {
  return (state.live.get(place) ?? []).map((id) => state.runs.get(id)!);
}

export function dropRun(state: State, run: Run): void {
  const place = placeKey(run);
  removeLive(state, place, run.runID);
  if (state.latest.get(place) === run.runID) state.latest.delete(place);
  for (const id of run.itemIDs) state.items.delete(id);
  state.runs.delete(run.runID);
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

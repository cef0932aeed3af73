/**
 * What `mytty watch` is told: a snapshot, then one change for each row of the log, so that no step
 * is missed, and one where a row of the list changes only because time has passed. Pure.
 */

import { listedItems } from "../log/attention.ts";
import { type EventJson, eventJson } from "../log/event_json.ts";
import type { LogRow, RunState } from "../log/event.ts";
import type { Change, Outcome } from "../log/outcome.ts";
import { placeKey, type State } from "../log/state.ts";
import {
  IDLE_AFTER_MS,
  listedView,
  surfaceViews,
  unplacedViews,
  type ViewOptions,
} from "./view.ts";
import { type AttentionJson, attentionJson, type PlaceJson, placeJson } from "./view_json.ts";

/** A row of `list`, with the key by which later changes name it. */
export type WatchPlace = PlaceJson & { readonly place: string };

export type WatchSnapshot = {
  readonly type: "snapshot";
  /** `start`, or `fell-behind`: the reader was too slow, and here is how things stand now. */
  readonly reason: "start" | "fell-behind";
  readonly position: number;
  readonly places: readonly WatchPlace[];
  readonly attention: readonly AttentionJson[];
};

export type RunStep = {
  readonly runID: string;
  readonly place: string;
  readonly from: RunState | null;
  readonly to: RunState;
};

export type WatchChange = {
  readonly type: "change";
  readonly position: number;
  /** The row of the log; null when only time has passed. */
  readonly event: EventJson | null;
  /** Each step of a run, also one that a later row has overtaken. */
  readonly runs: readonly RunStep[];
  /** The rows as they are now. */
  readonly places: readonly WatchPlace[];
  /** Keys of rows that are listed no more. */
  readonly gone: readonly string[];
  readonly attention: readonly AttentionJson[];
};

export type WatchLine = WatchSnapshot | WatchChange;

type Row = { readonly row: LogRow; readonly outcome: Outcome };

export class WatchView {
  /** The state last told of each listed place. */
  readonly #told = new Map<string, RunState>();

  snapshot(
    state: State,
    options: ViewOptions,
    reason: WatchSnapshot["reason"] = "start",
  ): WatchSnapshot {
    this.#told.clear();
    const views = [...surfaceViews(state, options), ...unplacedViews(state, options)];
    for (const view of views) this.#told.set(view.place, view.state);
    return {
      type: "snapshot",
      reason,
      position: state.position,
      places: views.map((view) => ({ place: view.place, ...placeJson(view, options.now) })),
      attention: listedItems(state, options.now).map(attentionJson),
    };
  }

  /** `state` may already be further than the row: places are told as they are now. */
  change(state: State, options: ViewOptions, { row, outcome }: Row): WatchChange {
    const touched = new Set(outcome.changes.flatMap(placesOf));
    const items = outcome.changes.flatMap((change) =>
      change.change === "attention" ? [attentionJson(change.after)] : []
    );
    return {
      type: "change",
      position: row.position,
      event: eventJson(row, outcome.reason),
      runs: outcome.changes.flatMap(runStep),
      ...this.#rows(state, options, touched),
      attention: items,
    };
  }

  /** What time alone has changed; null when nothing. */
  passed(state: State, options: ViewOptions): WatchChange | null {
    const changed = [...this.#told].filter(([place, told]) =>
      listedView(state, place, options)?.state !== told
    );
    if (changed.length === 0) return null;
    const rows = this.#rows(state, options, changed.map(([place]) => place));
    const { position } = state;
    return { type: "change", position, event: null, runs: [], ...rows, attention: [] };
  }

  /** Steady time at which `passed` may next have something to say. */
  nextAt(state: State, { now, idleAfter = IDLE_AFTER_MS }: ViewOptions): number | null {
    let next: number | null = null;
    for (const place of this.#told.keys()) {
      const at = (state.places.get(place)?.at ?? -Infinity) + idleAfter;
      if (at > now && (next === null || at < next)) next = at;
    }
    return next;
  }

  #rows(state: State, options: ViewOptions, touched: Iterable<string>) {
    const places: WatchPlace[] = [];
    const gone: string[] = [];
    for (const place of touched) {
      const view = listedView(state, place, options);
      if (view !== null) {
        this.#told.set(place, view.state);
        places.push({ place, ...placeJson(view, options.now) });
      } else if (this.#told.delete(place)) gone.push(place);
    }
    return { places, gone };
  }
}

function placesOf(change: Change): string[] {
  if (change.change === "surface") return [change.after.surfaceID];
  const { before, after } = change;
  return before === undefined ? [placeKey(after)] : [placeKey(after), placeKey(before)];
}

function runStep(change: Change): RunStep[] {
  if (change.change !== "run" || change.before?.state === change.after.state) return [];
  const { before, after } = change;
  return [{
    runID: after.runID,
    place: placeKey(after),
    from: before?.state ?? null,
    to: after.state,
  }];
}

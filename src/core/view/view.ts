/**
 * What people and scripts see: selectors over the state at a given time. Nothing is stored here;
 * `now` is steady time, so a stepped clock makes no negative ages.
 */

import { isOpenItem } from "../log/attention.ts";
import { isLive, type RunState } from "../log/event.ts";
import { placeState } from "./place_state.ts";
import { firstAsked } from "../log/requests.ts";
import type { AttentionItem, Request, Run, Session, State, Surface } from "../log/state.ts";

/** Ended runs are shown as idle after this long (section 4, "Quiet"). */
export const IDLE_AFTER_MS = 5 * 60_000;

export type ViewOptions = { readonly now: number; readonly idleAfter?: number };

/** One row of `list`: a pane, or a session that has none. */
export type PlaceView = {
  readonly place: string;
  readonly surface: Surface | null;
  readonly session: Session | null;
  readonly run: Run | null;
  readonly state: RunState;
  /** Steady time and position of the last change of the place's state. */
  readonly stateAt: number;
  readonly statePosition: number;
  /** What the person is asked here, by the run or by one of its children. */
  readonly asked: Request | null;
  readonly children: readonly Run[];
  readonly attention: readonly AttentionItem[];
};

/** The surfaces that are listed, in order of opening. */
export function surfaceViews(state: State, options: ViewOptions): PlaceView[] {
  return [...state.surfaces.values()].map((surface) => surfaceView(state, surface, options))
    .filter((view) => view !== null);
}

/** Sessions without a pane that are still of interest, in order of arrival. */
export function unplacedViews(state: State, options: ViewOptions): PlaceView[] {
  const places = [...state.places.keys()].filter((place) => !state.surfaces.has(place));
  return places.map((place) => listedView(state, place, options)).filter((view) => view !== null);
}

/** The row of `place`; null when it is not listed (any more). */
export function listedView(state: State, place: string, options: ViewOptions): PlaceView | null {
  const surface = state.surfaces.get(place);
  if (surface !== undefined) return surfaceView(state, surface, options);
  if (!state.places.has(place)) return null;
  const view = placeView(state, place, options);
  const isListed = isUnplaced(view) && !isUnderParent(view) &&
    (isActive(view) || isRecent(view, options));
  return isListed ? view : null;
}

/**
 * An open surface; also one whose command has ended, while nobody has seen what came of it: the
 * terminal that it ran in is mostly still there.
 */
function surfaceView(state: State, surface: Surface, options: ViewOptions): PlaceView | null {
  if (surface.closedAt !== null && surface.closeReason !== "ended") return null;
  const view = placeView(state, surface.surfaceID, options);
  return surface.closedAt === null || view.attention.length > 0 ? view : null;
}

export function placeView(state: State, place: string, options: ViewOptions): PlaceView {
  const shown = placeState(state, place);
  const surface = state.surfaces.get(place) ?? null;
  const since = state.places.get(place);
  const stateAt = since?.at ?? surface?.openedAt ?? 0;
  return {
    place,
    surface,
    session: shown.session,
    run: shown.run,
    state: quieted(shown.state, stateAt, options),
    stateAt,
    statePosition: since?.position ?? surface?.position ?? 0,
    asked: firstAsked(shown.speaker?.requests ?? []),
    children: shown.children,
    attention: openItems(state, [shown.run, ...shown.children]),
  };
}

/** A place is active while its session is open or anything in it is alive. */
export function isActive(view: PlaceView): boolean {
  return isLive(view.state) || (view.session !== null && view.session.endedAt === null);
}

function quieted(state: RunState, stateAt: number, options: ViewOptions): RunState {
  const isEnded = state === "succeeded" || state === "failed" || state === "disconnected";
  const isQuiet = options.now - stateAt >= (options.idleAfter ?? IDLE_AFTER_MS);
  return isEnded && isQuiet ? "idle" : state;
}

function openItems(state: State, runs: readonly (Run | null)[]): AttentionItem[] {
  return runs.flatMap((run) => run?.itemIDs ?? []).map((id) => state.items.get(id))
    .filter((item) => item !== undefined).filter(isOpenItem);
}

/** A session may have found its pane since it was first seen. */
function isUnplaced({ session, run }: PlaceView): boolean {
  return session === null ? run !== null && run.surfaceID === null : session.surfaceID === null;
}

function isRecent(view: PlaceView, { now, idleAfter = IDLE_AFTER_MS }: ViewOptions): boolean {
  return now - view.stateAt < idleAfter;
}

/** A nested agent in a pane is found under its parent, not as a session of its own. */
function isUnderParent({ run }: PlaceView): boolean {
  return run !== null && run.parentRunID !== null && run.surfaceID !== null;
}

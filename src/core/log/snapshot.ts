/**
 * The folded state as plain JSON, and back. It only saves the work of folding: it holds nothing
 * that the rows up to its position would not give again, and is thrown away at the first doubt.
 */

import { isObject, type JsonObject } from "../json.ts";
import type { JournaledMap } from "./journal.ts";
import { initialState, type State } from "./state.ts";

type MapName = Exclude<keyof State, "journal" | "position" | "at">;

/** Every map of the state; the compiler asks for those that are missing here. */
const MAPS = Object.keys(
  {
    runs: true,
    sessions: true,
    surfaces: true,
    items: true,
    capabilities: true,
    roots: true,
    agents: true,
    residents: true,
    live: true,
    latest: true,
    lastSession: true,
    places: true,
  } satisfies Record<MapName, true>,
) as MapName[];

export type Snapshot =
  & { readonly position: number; readonly at: number }
  & {
    readonly [name in MapName]: readonly (readonly [string, unknown])[];
  };

/** Shares its values with the state: to be written at once. */
export function snapshotOf(state: State): Snapshot {
  const maps = MAPS.map((name) => [name, [...state[name]]]);
  return { ...Object.fromEntries(maps), position: state.position, at: state.at };
}

/** Null for anything that is no snapshot. */
export function stateOf(value: unknown): State | null {
  if (!isObject(value) || !isCount(value.position) || !isCount(value.at)) return null;
  if (!MAPS.every((name) => isEntries(value, name))) return null;
  const state = initialState();
  for (const name of MAPS) {
    const map = state[name] as JournaledMap<string, unknown>;
    // The indexes are in it as well: nothing is derived a second time.
    map.load(value[name] as unknown as Iterable<[string, unknown]>);
  }
  return Object.assign(state, { position: value.position, at: value.at });
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isEntries(value: JsonObject, name: MapName): boolean {
  const entries = value[name];
  return Array.isArray(entries) &&
    entries.every((entry) =>
      Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string"
    );
}

/** Switches of the agents that keep our hooks from running, as obstacles of their records. Pure. */

import { isObject, type Json, own } from "../json.ts";
import type { Obstacle } from "./install_target.ts";

type Place = Pick<Obstacle, "base" | "file" | "dialect">;

/** A key that says off by this value; without it, or with another, hooks run. */
export function offSwitch(place: Place, path: readonly string[], off: boolean): Obstacle {
  const find = (config: Json) =>
    valueAt(config, path) === off
      ? `Hooks are switched off (${path.join(".")}): set it to ${!off}`
      : null;
  return { ...place, blocks: false, find };
}

/** A list of names in which ours switches our hooks off. */
export function nameList(place: Place, path: readonly string[], name: string): Obstacle {
  const find = (config: Json) => {
    const list = valueAt(config, path);
    return Array.isArray(list) && list.includes(name)
      ? `Our hooks are switched off (${path.join(".")}): take "${name}" out of it`
      : null;
  };
  return { ...place, blocks: false, find };
}

function valueAt(config: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (value, key) => isObject(value) ? own(value, key) as Json | undefined : undefined,
    config,
  );
}

/** Which pane a person should look at next: what needs them first, and longest. */

import type { PlaceJson } from "./view_json.ts";

const URGENCY: readonly string[] = [
  "waiting-approval",
  "waiting-input",
  "failed",
  "disconnected",
  "succeeded",
];

/** Panes that need somebody, most urgent first; within one urgency the longest waiting. */
export function needingPlaces(places: readonly PlaceJson[]): PlaceJson[] {
  const rank = ({ state }: PlaceJson) => {
    const at = URGENCY.indexOf(state);
    return at < 0 ? URGENCY.length : at;
  };
  return places.filter((place) => place.attention.length > 0 || place.state.startsWith("waiting"))
    .toSorted((left, right) => rank(left) - rank(right) || right.stateFor - left.stateFor);
}

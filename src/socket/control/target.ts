/** Which place a person means by a word: a surface id, its unique beginning, or a label. */

import { uuidOrNull } from "../../core/ids.ts";
import type { State, Surface } from "../../core/state.ts";

export type Found = { readonly surfaceID: string } | { readonly issue: string };

const MIN_PREFIX = 4;

export function findSurface(state: State, word: string): Found {
  const exact = uuidOrNull(word);
  if (exact !== null && state.surfaces.has(exact)) return { surfaceID: exact };
  const open = [...state.surfaces.values()].filter((surface) => surface.closedAt === null);
  const labelled = open.filter((surface) => surface.label === word);
  if (labelled.length > 0) return only(labelled, `label "${word}"`);
  const prefix = word.toLowerCase();
  const begun = prefix.length < MIN_PREFIX
    ? []
    : open.filter((surface) => surface.surfaceID.startsWith(prefix));
  if (begun.length > 0) return only(begun, `beginning "${word}"`);
  return { issue: `No open surface has the id or label "${word}"; mytty surface list shows them` };
}

function only(surfaces: readonly Surface[], what: string): Found {
  if (surfaces.length === 1) return { surfaceID: surfaces[0]!.surfaceID };
  return { issue: `${surfaces.length} surfaces have the ${what}; give the surface id` };
}

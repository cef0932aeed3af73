/** What a person means by a word: a surface, an item, or what is waited for. */

import { isOpenItem } from "../../core/log/attention.ts";
import { uuidOrNull } from "../../core/ids.ts";
import type { State, Surface } from "../../core/log/state.ts";
import { surfaceIssue, surfacesNamed } from "../../core/view/surface_word.ts";
import { surfaceViews } from "../../core/view/view.ts";
import type { WaitTarget } from "../../core/view/wait.ts";

export type Found = { readonly surfaceID: string } | { readonly issue: string };

const MIN_PREFIX = 4;

/** An open surface by id, label, tmux pane or beginning; a closed one by its whole id only. */
export function findSurface(state: State, word: string): Found {
  const open = [...state.surfaces.values()].filter(({ closedAt }) => closedAt === null);
  return findAmong(open, { state, word });
}

/** As `findSurface`, but also one that has ended and is still listed. */
export function findListed(state: State, word: string): Found {
  // The time only decides how a row looks, not whether it is there.
  const listed = surfaceViews(state, { now: state.at }).flatMap(({ surface }) => surface ?? []);
  return findAmong(listed, { state, word });
}

function findAmong(
  surfaces: readonly Surface[],
  { state, word }: { readonly state: State; readonly word: string },
): Found {
  const exact = uuidOrNull(word);
  if (exact !== null && state.surfaces.has(exact)) return { surfaceID: exact };
  const match = surfacesNamed(surfaces, word);
  const [only] = match.surfaces;
  return only !== undefined && match.surfaces.length === 1
    ? { surfaceID: only.surfaceID }
    : { issue: surfaceIssue(match) };
}

/** Items not yet acknowledged, by ids or their unique beginnings; all open ones for null. */
export function findItems(
  state: State,
  words: readonly string[] | null,
): { readonly itemIDs: readonly string[] } | { readonly issue: string } {
  const items = [...state.items.values()];
  if (words === null) return { itemIDs: items.filter(isOpenItem).map(({ id }) => id) };
  const ids = items.filter((item) => item.acknowledgedAt === null).map(({ id }) => id);
  const chosen = new Set<string>();
  for (const word of words) {
    const prefix = word.toLowerCase();
    const begun = prefix.length < MIN_PREFIX ? [] : ids.filter((id) => id.startsWith(prefix));
    if (begun.length === 0) return { issue: `No open item has the id "${word}"` };
    if (begun.length > 1) return { issue: `${begun.length} items begin with "${word}"` };
    chosen.add(begun[0]!);
  }
  return { itemIDs: [...chosen] };
}

export type AskedWait = {
  readonly runID?: string | null | undefined;
  readonly sessionID?: string | null | undefined;
  readonly target?: string | null | undefined;
};

/**
 * Asked anew at every look: a session may begin only later, and only then has a provider. A
 * surface must be there now, since a label may mean another one later.
 */
export function waitTarget(
  state: State,
  { runID, sessionID, target }: AskedWait,
): { readonly target: (state: State) => WaitTarget } | { readonly issue: string } {
  const none = { place: null, runID: null, session: null };
  if (runID) return { target: () => ({ ...none, runID: runID.toLowerCase() }) };
  if (sessionID) return { target: (now) => ({ ...none, session: sessionOf(now, sessionID) }) };
  const found = findSurface(state, target ?? "");
  return "issue" in found ? found : { target: () => ({ ...none, place: found.surfaceID }) };
}

function sessionOf(state: State, sessionID: string): NonNullable<WaitTarget["session"]> {
  const session = [...state.sessions.values()].find((one) => one.sessionID === sessionID);
  return { provider: session?.provider ?? "", sessionID };
}

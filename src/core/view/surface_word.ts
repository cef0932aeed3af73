/** Pure: which surfaces a person's word means. */

import { isTmuxPane } from "../placement/pane_key.ts";

type Named = {
  readonly surfaceID: string | null;
  readonly label: string | null;
  readonly multiplexer: string | null;
  /** Not null for one that has ended. */
  readonly closedAt: unknown;
};

export type SurfaceMatch<T> = { readonly surfaces: readonly T[]; readonly what: string };

const MIN_PREFIX = 4;

/**
 * One that is open before one that has ended: a label may be used again. By surface id, else label, else tmux's own name of the pane (`%7`), else the beginning of an id;
 * the first way that finds any counts.
 */
export function surfacesNamed<T extends Named>(all: readonly T[], word: string): SurfaceMatch<T> {
  const id = word.toLowerCase();
  const ways: [string, (surface: T) => boolean][] = [
    [`id "${word}"`, ({ surfaceID }) => surfaceID === id],
    [`label "${word}"`, ({ label }) => label === word],
    [`tmux pane "${word}"`, ({ multiplexer }) => isTmuxPane(multiplexer, word)],
    [
      `beginning "${word}"`,
      ({ surfaceID }) => id.length >= MIN_PREFIX && surfaceID?.startsWith(id) === true,
    ],
  ];
  for (const [what, isMeant] of ways) {
    const surfaces = all.filter(isMeant);
    const open = surfaces.filter(({ closedAt }) => closedAt === null);
    if (surfaces.length > 0) return { surfaces: open.length > 0 ? open : surfaces, what };
  }
  return { surfaces: [], what: `id, label or pane "${word}"` };
}

/** The sentence for a person whose word does not mean exactly one. */
export function surfaceIssue({ surfaces, what }: SurfaceMatch<unknown>): string {
  return surfaces.length === 0
    ? `No open surface has the ${what}; mytty surface list shows them`
    : `${surfaces.length} surfaces have the ${what}; give the surface id`;
}

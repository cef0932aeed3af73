/**
 * An agent that exits right after its start, again and again, and tells nothing (a broken install,
 * a wrapper that starts it anew). Few and slow exits are a person's short commands.
 */

/** Lived for about a second: the table is read every quarter of one while a process is that new. */
const CRASH_AGE_MS = 1_250;
/** Exits in a row that make a loop, and how close together. */
const CRASHES = 5;
const CRASH_WINDOW_MS = 60_000;

/** One launch that has ended; `endedWellAt`: when a command there last ended with status 0. */
export type Exit = {
  readonly startedAt: number;
  readonly now: number;
  readonly endedWellAt: number | null;
};

export type Loop = { readonly since: number; readonly exits: number };

type Row = { readonly since: number; readonly exits: readonly Exit[] };

export class Crashes {
  /** Per place, the launches in a row that ended right after their start. */
  readonly #rows = new Map<string, Row>();

  /** The loop that this exit makes or prolongs; null while it may be chance. */
  exited(place: string, exit: Exit): Loop | null {
    const { startedAt, now, endedWellAt } = exit;
    const before = this.#rows.get(place);
    const last = before?.exits.at(-1);
    // How a command ended may be told a little after it is gone.
    const isWell = endedWellAt !== null && endedWellAt >= (last?.startedAt ?? startedAt);
    if (now - startedAt > CRASH_AGE_MS || (isWell && endedWellAt >= startedAt)) {
      this.#rows.delete(place);
      return null;
    }
    const goesOn = last !== undefined && !isWell && now - last.now < CRASH_WINDOW_MS;
    // The first of a row names it, however long it goes on: one loop, one alarm.
    const row: Row = {
      since: goesOn ? before!.since : now,
      exits: [...(goesOn ? before!.exits : []), exit].slice(-CRASHES),
    };
    this.#rows.set(place, row);
    const exits = row.exits.filter((each) => now - each.now < CRASH_WINDOW_MS).length;
    return exits < CRASHES ? null : { since: row.since, exits };
  }

  /** A launch there went on, or was a print run. */
  cleared(place: string): void {
    this.#rows.delete(place);
  }
}

/**
 * A journaled map that keeps the indexes over it: whoever stores an entry cannot forget one.
 *
 * The indexes are journaled themselves, so a rollback needs nothing of its own. Their lists are
 * sorted, so that the same entries give the same index, whatever order they came in.
 */

import { type Journal, JournaledMap } from "./journal.ts";

/** `isSame` spares the keys of the many changes that move nothing; it must never be wrongly true. */
export type Index<V> = {
  readonly isSame: (before: V, after: V) => boolean;
  /** Index key to the keys of the entries that have it. */
  readonly map: JournaledMap<string, readonly string[]>;
  /** Null for an entry that the index leaves out. */
  readonly keyOf: (value: V) => string | null;
};

export class IndexedMap<V> extends JournaledMap<string, V> {
  readonly #indexes: readonly Index<V>[];

  constructor(journal: Journal, indexes: readonly Index<V>[]) {
    super(journal);
    this.#indexes = indexes;
  }

  override set(key: string, value: V): this {
    this.#move(key, value);
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    this.#move(key, undefined);
    return super.delete(key);
  }

  #move(key: string, value: V | undefined): void {
    const before = super.get(key);
    for (const { map, keyOf, isSame } of this.#indexes) {
      if (before !== undefined && value !== undefined && isSame(before, value)) continue;
      const from = before === undefined ? null : keyOf(before);
      const to = value === undefined ? null : keyOf(value);
      if (from === to) continue;
      if (from !== null) remove(map, from, key);
      if (to !== null) map.set(to, [...map.get(to) ?? [], key].sort());
    }
  }
}

function remove(map: Index<unknown>["map"], from: string, key: string): void {
  const rest = (map.get(from) ?? []).filter((one) => one !== key);
  if (rest.length > 0) map.set(from, rest);
  else map.delete(from);
}

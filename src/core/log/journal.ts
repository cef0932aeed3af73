/**
 * Maps that can be rolled back.
 *
 * The daemon folds a batch of events before it knows whether the database will take them. Entries
 * are immutable values, so remembering which keys changed is enough to go back exactly.
 */

type Undo = () => void;

export class Journal {
  #undo: Undo[] | null = null;

  begin(): void {
    this.#undo = [];
  }

  commit(): void {
    this.#undo = null;
  }

  rollback(): void {
    const undo = this.#undo ?? [];
    this.#undo = null;
    for (let i = undo.length - 1; i >= 0; i--) undo[i]!();
  }

  get isOpen(): boolean {
    return this.#undo !== null;
  }

  note(undo: Undo): void {
    this.#undo?.push(undo);
  }
}

export class JournaledMap<K, V> extends Map<K, V> {
  #journal: Journal | undefined;

  constructor(journal: Journal) {
    super();
    this.#journal = journal;
  }

  override set(key: K, value: V): this {
    this.#remember(key);
    return super.set(key, value);
  }

  override delete(key: K): boolean {
    this.#remember(key);
    return super.delete(key);
  }

  /** Entries as they were, without anything that follows from them. */
  load(entries: Iterable<readonly [K, V]>): void {
    for (const [key, value] of entries) super.set(key, value);
  }

  #remember(key: K): void {
    // A replay folds without a journal, and should not pay for one.
    if (this.#journal?.isOpen !== true) return;
    const had = super.has(key);
    const old = super.get(key);
    this.#journal.note(() => had ? super.set(key, old as V) : super.delete(key));
  }
}

/**
 * The durable log: the one file that owns SQL. Everything else about an event's life is decided
 * elsewhere; here a row is stored once, read in order, and deleted when its run is forgotten.
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { ENTRY_SCHEMA, type ExplainedRow, type LogEntry } from "../core/log/event.ts";
import { uuidBytes } from "../core/ids.ts";
import { parseJson } from "../core/json.ts";
import type { Prunable } from "../core/log/retention.ts";
import { migrate } from "./migrations.ts";
import { isLogEntry, subjectOf } from "./stored_entry.ts";

type StoredRow = {
  readonly position: number;
  readonly at: number;
  readonly reason: string | null;
  readonly entry: string;
};

/** The state folded up to a position; `program` is what folded it, `hash` that of the text. */
export type StoredSnapshot = {
  readonly position: number;
  readonly program: string;
  readonly hash: string;
  readonly text: string;
};

export type ReadOptions = {
  readonly after: number;
  readonly limit: number;
  readonly runID?: string;
};

const COLUMNS = "position, at, reason, entry";
const DELETE_BATCH = 500;

// Each prepared by itself here and below: errors of `exec` carry no SQLite code in this runtime.
const PRAGMAS = [
  "PRAGMA busy_timeout = 1000",
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = FULL",
];
const PAGE_ROWS = 1_000;

export class EventLog {
  #database!: DatabaseSync;
  #begin!: StatementSync;
  #commit!: StatementSync;
  #insert!: StatementSync;
  #explain!: StatementSync;
  #inTransaction = false;

  /** Opens or makes the database with full durability; throws when it cannot be used. */
  constructor(path: string) {
    this.#open(path);
  }

  /**
   * Its file, or the write-ahead log beside it, is not under its name any more: with the last
   * connection all of it would be gone. Every row goes into a file under the name, and on there.
   */
  renew(path: string, { isGone }: { readonly isGone: boolean }): void {
    if (isGone) this.#database.prepare("VACUUM INTO ?").run(path);
    else this.checkpoint();
    this.#database.close();
    this.#open(path);
  }

  #open(path: string): void {
    this.#database = new DatabaseSync(path);
    try {
      for (const pragma of PRAGMAS) this.#database.prepare(pragma).get();
      migrate(this.#database);
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#begin = this.#database.prepare("BEGIN IMMEDIATE");
    this.#commit = this.#database.prepare("COMMIT");
    this.#insert = this.#database.prepare(
      `INSERT OR IGNORE INTO log (id, at, schema, run, subject, entry)
       VALUES (?, ?, ${ENTRY_SCHEMA}, ?, ?, ?)`,
    );
    this.#explain = this.#database.prepare("UPDATE log SET reason = ? WHERE position = ?");
  }

  /** Begins a transaction when none is open; the next `commit` makes all rows since then durable. */
  begin(): void {
    if (this.#inTransaction) return;
    this.#begin.run();
    this.#inTransaction = true;
  }

  commit(): void {
    if (!this.#inTransaction) return;
    this.#commit.run();
    this.#inTransaction = false;
  }

  rollback(): void {
    if (!this.#inTransaction) return;
    this.#inTransaction = false;
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite has already rolled back by itself (disk full, I/O error).
    }
  }

  /** The new row's position, or null when an entry of this id is already stored. */
  append(entry: LogEntry, at: number): number | null {
    this.begin();
    const result = this.#insert.run(
      uuidBytes(entry.id),
      at,
      entry.type === "agent-event" ? uuidBytes(entry.runID) : null,
      subjectOf(entry),
      JSON.stringify(entry),
    );
    return result.changes === 0 ? null : Number(result.lastInsertRowid);
  }

  /** Notes why the row at `position` changed nothing. */
  explain(position: number, reason: string): void {
    this.begin();
    this.#explain.run(reason, position);
  }

  /** All rows after a position; rows that cannot be read are given to `onDamaged` and skipped. */
  *all(onDamaged: (position: number) => void, from = 0): Generator<ExplainedRow> {
    // Read page by page: a whole page costs less than half of what its single rows would.
    const page = this.#database.prepare(
      `SELECT ${COLUMNS} FROM log WHERE position > ? ORDER BY position LIMIT ${PAGE_ROWS}`,
    );
    for (let after = from;;) {
      const rows = page.all(after) as unknown as StoredRow[];
      for (const stored of rows) {
        const row = rowOf(stored);
        if (row === null) onDamaged(stored.position);
        else yield row;
      }
      if (rows.length < PAGE_ROWS) return;
      after = rows.at(-1)!.position;
    }
  }

  /** At most `limit` rows after a position; rows that cannot be read do not count. */
  read({ after, limit, runID }: ReadOptions): ExplainedRow[] {
    const ofRun = runID === undefined ? "" : "AND run = ?";
    const statement = this.#database.prepare(
      `SELECT ${COLUMNS} FROM log WHERE position > ? ${ofRun} ORDER BY position`,
    );
    const stored = runID === undefined
      ? statement.iterate(after)
      : statement.iterate(after, uuidBytes(runID));
    const rows: ExplainedRow[] = [];
    for (const each of stored as Iterable<StoredRow>) {
      const row = rowOf(each);
      if (row !== null) rows.push(row);
      if (rows.length === limit) break;
    }
    return rows;
  }

  /** Position of the newest row ever written, also when it has been deleted since. */
  lastPosition(): number {
    const row = this.#database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'log'").get();
    return Number((row as { seq: number } | undefined)?.seq ?? 0);
  }

  count(): number {
    return Number(
      (this.#database.prepare("SELECT count(*) AS n FROM log").get() as { n: number }).n,
    );
  }

  /** Deletes all rows of what is to be forgotten, in the open transaction. */
  prune({ runIDs, sessionKeys, surfaceIDs, rejectedBefore }: Prunable): void {
    this.begin();
    this.#deleteWhere("run", runIDs.map(uuidBytes));
    this.#deleteWhere("subject", [...sessionKeys, ...surfaceIDs]);
    this.#database.prepare("DELETE FROM log WHERE reason IS NOT NULL AND at < ?")
      .run(rejectedBefore);
    // It folded rows that are gone now.
    if (runIDs.length + sessionKeys.length + surfaceIDs.length > 0) {
      this.#database.prepare("DELETE FROM snapshot").run();
    }
  }

  snapshot(): StoredSnapshot | null {
    const row = this.#database.prepare("SELECT position, program, hash, text FROM snapshot").get();
    return (row as StoredSnapshot | undefined) ?? null;
  }

  keepSnapshot({ position, program, hash, text }: StoredSnapshot): void {
    this.#database.prepare("INSERT OR REPLACE INTO snapshot VALUES (1, ?, ?, ?, ?)")
      .run(position, program, hash, text);
  }

  /** What SQLite finds damaged in the table or its indexes, or null; it may throw as well. */
  damage(): string | null {
    const row = this.#database.prepare("PRAGMA quick_check(1)").get();
    const found = String((row as { quick_check: unknown } | undefined)?.quick_check);
    return found === "ok" ? null : found;
  }

  checkpoint(): void {
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  close(): void {
    this.#database.close();
  }

  #deleteWhere(column: "run" | "subject", keys: (string | Uint8Array)[]): void {
    for (let from = 0; from < keys.length; from += DELETE_BATCH) {
      const part = keys.slice(from, from + DELETE_BATCH);
      const marks = part.map(() => "?").join(",");
      this.#database.prepare(`DELETE FROM log WHERE ${column} IN (${marks})`).run(...part);
    }
  }
}

function rowOf({ position, at, reason, entry }: StoredRow): ExplainedRow | null {
  const read = parseJson(entry);
  return isLogEntry(read) ? { position, at, reason, entry: read } : null;
}

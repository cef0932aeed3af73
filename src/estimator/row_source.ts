/** Reads the rows that an agent keeps in SQLite: read-only, never waiting for long. */

import { DatabaseSync } from "node:sqlite";
import { isObject, type JsonObject, parseJson } from "../core/json.ts";
import type { TranscriptSpec } from "../core/estimate/reading.ts";
import type { TailRead } from "./tail.ts";

const BUSY_MS = 100;

/** Behaves like a tail: rows that were seen are not given again, by their first column. */
export class RowSource {
  readonly path: string;
  readonly damaged = 0;
  readonly #query: NonNullable<TranscriptSpec["query"]>;
  readonly #sessionID: string;
  #seen = "";
  readonly #known = new Map<string, string>();
  #isFirst = true;

  constructor(path: string, sessionID: string, query: NonNullable<TranscriptSpec["query"]>) {
    this.path = path;
    this.#query = query;
    this.#sessionID = sessionID;
  }

  read(): TailRead {
    const nothing = { lines: [], isFirst: false, hasMore: false, modifiedAt: null };
    const stamp = [this.path, `${this.path}-wal`].map(stampOf);
    const modifiedAt = Math.max(...stamp.map(({ at }) => at));
    const seen = stamp.map(({ text }) => text).join(" ");
    if (seen === this.#seen) return { ...nothing, modifiedAt };
    const rows = this.#rows();
    if (rows === null) return nothing;
    this.#seen = seen;
    const lines: JsonObject[] = [];
    for (const { key, text } of rows) {
      if (this.#known.get(key) === text) continue;
      this.#known.set(key, text);
      const value = parseJson(text);
      if (isObject(value)) lines.push({ ...value, rowKey: key });
    }
    this.#forget(rows);
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    return { lines, isFirst, hasMore: false, modifiedAt };
  }

  /** Rows are whole, or not there. */
  end(): readonly JsonObject[] {
    return [];
  }

  #rows(): { key: string; text: string }[] | null {
    let database: DatabaseSync | undefined;
    try {
      database = openReadOnly(this.path);
      const rows = database.prepare(this.#query.sql).all(
        ...this.#query.parameters(this.#sessionID),
      );
      return rows.map((row) => ({ key: String(row.key), text: textOf(row.value) }));
    } catch {
      // Being written, or of another layout: the next change is another chance.
      return null;
    } finally {
      database?.close();
    }
  }

  /** Only rows that the query still brings can be told apart again. */
  #forget(rows: readonly { key: string }[]): void {
    if (this.#known.size <= 2 * rows.length + 100) return;
    const keys = new Set(rows.map(({ key }) => key));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
  }
}

/** The constructor's own `timeout` does nothing in this runtime: a lock would hold us for 5 s. */
function openReadOnly(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true });
  database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  return database;
}

/** Some keep bytes of their own in front of the JSON. */
function textOf(value: unknown): string {
  const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value);
  return text.startsWith("{") ? text : text.slice(Math.max(0, text.indexOf('{"')));
}

/** Session ids that a query finds; none when the database cannot be read. */
export function sessionsIn(
  path: string,
  sql: string,
  parameters: readonly (string | number)[],
): string[] {
  let database: DatabaseSync | undefined;
  try {
    database = openReadOnly(path);
    return database.prepare(sql).all(...parameters).map((row) => String(row.id));
  } catch {
    return [];
  } finally {
    database?.close();
  }
}

function stampOf(path: string): { text: string; at: number } {
  try {
    const info = Deno.statSync(path);
    const at = info.mtime?.getTime() ?? 0;
    return { text: `${info.ino}:${info.size}:${at}`, at };
  } catch {
    return { text: "", at: 0 };
  }
}

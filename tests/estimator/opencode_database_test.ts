/**
 * OpenCode's own database, row by row as OpenCode 1.18.33 wrote it (`rows.jsonl`: each state of a
 * row with the time of its writing; columns and texts that nobody reads are left out).
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { withFolder } from "../helpers/daemon.ts";
import { World } from "../helpers/estimator_world.ts";

const FIXTURES = new URL("../fixtures/providers/opencode/database/", import.meta.url);

type Row =
  & { readonly id: string; readonly at: number; readonly time_created: number }
  & (
    | { readonly table: "session"; readonly directory: string; readonly parent_id: string | null }
    | { readonly table: "message"; readonly session_id: string; readonly data: object }
    | {
      readonly table: "part";
      readonly session_id: string;
      readonly message_id: string;
      readonly data: object;
    }
  );

const ROWS: readonly Row[] = Deno.readTextFileSync(new URL("rows.jsonl", FIXTURES)).trim()
  .split("\n").map((line) => JSON.parse(line));

class Database {
  readonly #database: DatabaseSync;

  constructor(home: string) {
    const folder = `${home}/.local/share/opencode`;
    Deno.mkdirSync(folder, { recursive: true });
    this.#database = new DatabaseSync(`${folder}/opencode.db`);
    this.#database.exec("PRAGMA journal_mode = WAL");
    this.#database.exec(Deno.readTextFileSync(new URL("schema.sql", FIXTURES)));
  }

  write(row: Row): void {
    const { table, at, ...columns } = row;
    const values: Record<string, string | number | null> = { time_updated: at };
    for (const [name, value] of Object.entries(columns)) {
      values[name] = name === "data" ? JSON.stringify(value) : value as string | number | null;
    }
    const names = Object.keys(values);
    this.#database.prepare(
      `INSERT OR REPLACE INTO ${table} (${names.join(", ")})
       VALUES (${names.map(() => "?").join(", ")})`,
    ).run(...Object.values(values));
  }

  close(): void {
    this.#database.close();
  }
}

/** Each message of a person begins a turn; the rows up to the next one are of it. */
function turnsOf(rows: readonly Row[]): Row[][] {
  const turns: Row[][] = [];
  for (const row of rows) {
    const isPrompt = row.table === "message" && "role" in row.data && row.data.role === "user";
    if (row.table === "session" || isPrompt) turns.push([]);
    turns.at(-1)!.push(row);
  }
  // A session's row alone is no turn.
  return turns.reduce<Row[][]>((joined, turn) => {
    const last = joined.at(-1);
    if (last?.length === 1 && last[0]!.table === "session") last.push(...turn);
    else joined.push(turn);
    return joined;
  }, []);
}

/** What the pane shows in one turn, each state once. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "talk scenario:slow": ["running", "idle"],
  "hello scenario:text": ["running", "succeeded"],
  "do it scenario:sleep": ["running", "idle"],
  "ask me scenario:ask, answered": ["running", "waiting-input", "running", "succeeded"],
  "fail scenario:error429, stopped between two tries": ["running", "idle"],
  // In a new session of the same program; its end was written after the next prompt.
  "make a file scenario:tool, allowed": ["running"],
  "fail scenario:error400": ["running", "failed"],
  "ask me scenario:ask, dismissed": ["running", "waiting-input", "idle"],
  // In a third one.
  "make a file scenario:tool, refused": ["running", "idle"],
};

Deno.test("OpenCode's database tells each turn as it goes, in order and once", async () => {
  await withFolder(async (home) => {
    const it = new World(home);
    it.now = ROWS[0]!.at - 60_000;
    it.run({ pid: 10, argv: ["/bin/opencode"], cwd: "/proj" });
    await it.passes(4_000);
    assert.equal(it.shown(10), "idle");

    const database = new Database(home);
    const told = Object.entries(EXPECTED);
    for (const turn of turnsOf(ROWS)) {
      const shown: string[] = [];
      for (const row of turn) {
        it.now = Math.max(it.now, row.at);
        database.write(row);
        // The folder is searched again every two seconds.
        await it.files(it.state.sessions.size === 0 ? 2_500 : 1);
        const state = it.shown(10);
        const isNew = it.view(10).run?.startedAt !== null && state !== "unknown";
        if (isNew && state !== shown.at(-1)) shown.push(state);
      }
      const [name, expected] = told.shift()!;
      assert.deepEqual(shown.slice(-expected.length), expected, name);
      assert.ok(shown.length <= expected.length + 1, `${name}: ${shown.join(", ")}`);
    }
    assert.deepEqual(told, []);
    database.close();
    const started = it.names().filter((name) => name.startsWith("started"));
    assert.equal(started.length, Object.keys(EXPECTED).length);
  });
});

Deno.test("a person's words and a question's text come with the turn", async () => {
  await withFolder(async (home) => {
    const it = new World(home);
    it.now = ROWS[0]!.at - 60_000;
    it.run({ pid: 10, argv: ["/bin/opencode"], cwd: "/proj" });
    await it.passes(4_000);
    const database = new Database(home);
    const messages = new Set<string>();
    for (const row of ROWS) {
      it.now = Math.max(it.now, row.at);
      database.write(row);
      await it.files(it.state.sessions.size === 0 ? 2_500 : 1);
      messages.add(it.view(10).run?.message ?? "");
    }
    database.close();
    for (const text of ["talk scenario:slow", "Red or blue?", "fake error 400"]) {
      assert.ok(messages.has(text), `${text} in ${[...messages].join(" | ")}`);
    }
  });
});

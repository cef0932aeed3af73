/** Agents' SQLite files as they are while the agent writes them: WAL, locks, other layouts. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { findProvider } from "../../src/core/registry.ts";
import { RowSource } from "../../src/estimator/row_source.ts";
import { withFolder } from "../helpers/daemon.ts";

const SESSION = "33333333-3333-4333-8333-333333333333";
const CURSOR = findProvider("cursor")!.transcript!.otherwise!;

/** Cursor's store as its layout is known: content-addressed blobs, messages among other bytes. */
class CursorStore {
  readonly path: string;
  readonly database: DatabaseSync;

  constructor(folder: string) {
    const home = `${folder}/chats/0123456789abcdef0123456789abcdef/${SESSION}`;
    Deno.mkdirSync(home, { recursive: true });
    this.path = `${home}/store.db`;
    this.database = new DatabaseSync(this.path);
    this.database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
    this.database.exec("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)");
    this.database.exec("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)");
  }

  put(...messages: readonly Record<string, unknown>[]): void {
    const insert = this.database.prepare("INSERT OR IGNORE INTO blobs VALUES (?, ?)");
    for (const message of messages) {
      insert.run(crypto.randomUUID(), new TextEncoder().encode(JSON.stringify(message)));
      // The list of messages so far, which is no JSON.
      insert.run(crypto.randomUUID(), new Uint8Array([10, 32, 1, 2, 3, 255]));
    }
  }
}

function user(text: string) {
  return { role: "user", content: [{ type: "text", text }] };
}

function answer(text: string) {
  return { role: "assistant", content: [{ type: "text", text }] };
}

const call = { role: "assistant", content: [{ type: "tool-call", toolName: "Shell", args: {} }] };

function withStore(
  task: (store: CursorStore, told: () => string[]) => void | Promise<void>,
): Promise<void> {
  return withFolder(async (folder) => {
    const store = new CursorStore(folder);
    assert.equal(CURSOR.sessionOf(store.path), SESSION);
    const source = new RowSource(store.path, SESSION, CURSOR.query!);
    const read = CURSOR.reader(SESSION);
    const told = () =>
      source.read().lines.flatMap((row) => read(row)).map(({ fact }) =>
        fact.fact === "run" ? fact.kind : fact.fact
      );
    try {
      await task(store, told);
    } finally {
      store.database.close();
    }
  });
}

Deno.test("Cursor's store: what is only in the write-ahead log is read, each message once", () =>
  withStore((store, told) => {
    assert.deepEqual(told(), []);
    store.put({ role: "system", content: "rules" }, user("go"));
    assert.deepEqual(told(), ["started"]);
    assert.deepEqual(told(), []);
    store.put(call, { role: "tool", content: [{ type: "tool-result", result: "ok" }] });
    assert.deepEqual(told(), []);
    store.put(answer("Done"));
    assert.deepEqual(told(), ["succeeded"]);
    store.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    assert.deepEqual(told(), [], "the same rows in another file");
    store.put(user("and now?"));
    assert.deepEqual(told(), ["started"]);
  }));

Deno.test("a database that is locked, of another layout, damaged or gone says nothing and may come back", () =>
  withStore((store, told) => {
    store.put(user("one"));
    assert.deepEqual(told(), ["started"]);
    store.database.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    store.put(user("two"));
    const from = performance.now();
    assert.deepEqual(told(), [], "being written");
    assert.ok(performance.now() - from < 3_000, "SQLite's own patience is five seconds");
    store.database.exec("COMMIT");
    assert.deepEqual(told(), ["started"]);
    store.database.exec("ALTER TABLE blobs RENAME TO others");
    assert.deepEqual(told(), []);
    store.database.exec("ALTER TABLE others RENAME TO blobs");
    store.put(user("three"));
    assert.deepEqual(told(), ["started"]);
    const whole = Deno.readFileSync(store.path);
    Deno.writeFileSync(store.path, new Uint8Array(whole.length).fill(7));
    assert.deepEqual(told(), []);
    Deno.removeSync(store.path);
    assert.deepEqual(told(), []);
  }));

Deno.test("reading never writes into the agent's folder and holds no lock", () =>
  withStore((store, told) => {
    store.put(user("one"));
    const folder = store.path.replace(/\/[^/]+$/, "");
    const names = () => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    const before = names();
    const bytes = Deno.readFileSync(store.path);
    assert.deepEqual(told(), ["started"]);
    assert.deepEqual(names(), before);
    assert.deepEqual(Deno.readFileSync(store.path), bytes);
    store.database.exec("BEGIN EXCLUSIVE; COMMIT");
  }));

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { envelope, exchange, startTestServer, withFolder } from "../helpers/daemon.ts";
import { allEvents } from "../helpers/events.ts";
import { programEnv, runProgram } from "../helpers/program.ts";

const OK = '{"ok":true,"inserted":true}\n';
const PAGE = 4_096;

/** A state folder with the log of a server that has stopped; its database's path. */
async function withLog(events: number, task: (folder: string, path: string) => Promise<void>) {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    const surface = await test.openSurface();
    const runID = { rawValue: crypto.randomUUID() };
    const lines = Array.from(
      { length: events },
      () => envelope(surface, { runID, kind: "running", message: "m".repeat(500) }),
    );
    await Promise.all(lines.map((line) => exchange(test.paths.eventSocket, line)));
    await test.server.stop();
    await task(folder, test.paths.database);
  });
}

function setAsideOf(path: string): string[] {
  const folder = path.replace(/\/[^/]*$/, "");
  return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`)
    .filter((name) => name.includes(".damaged-") && !/-(wal|shm)$/.test(name));
}

Deno.test("a newer database is refused in clear words and not touched", async () => {
  await withLog(3, async (folder, path) => {
    const database = new DatabaseSync(path);
    database.exec("PRAGMA user_version = 99");
    database.close();
    const before = Deno.readFileSync(path);
    await assert.rejects(startTestServer({ folder }), /schema version is 99.*newer mytty/);
    const { code, stdout, stderr } = await runProgram(["serve"], { env: programEnv(folder) });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^mytty: .*schema version is 99, this mytty knows \d+; .*\n$/);
    assert.deepEqual(Deno.readFileSync(path), before);
    assert.deepEqual(setAsideOf(path), []);
  });
});

type Damage = { readonly what: string; readonly to: (bytes: Uint8Array) => void };

const DAMAGES: readonly Damage[] = [
  { what: "all of it is noise", to: (bytes) => bytes.fill(0x5a) },
  { what: "its header is noise", to: (bytes) => bytes.fill(0x5a, 0, 100) },
  { what: "its schema page is noise", to: (bytes) => bytes.fill(0x5a, 100, PAGE) },
  { what: "every second page is zero", to: (bytes) => eachPage(bytes, (page) => page % 2 === 1) },
  { what: "its last pages are zero", to: (bytes) => eachPage(bytes, (page) => page > 30) },
];

function eachPage(bytes: Uint8Array, isHit: (page: number) => boolean): void {
  for (let page = 1; page * PAGE < bytes.length; page++) {
    if (isHit(page)) bytes.fill(0, page * PAGE, (page + 1) * PAGE);
  }
}

for (const { what, to } of DAMAGES) {
  Deno.test(`a damaged database (${what}) is set aside with its bytes, said so, and a new one works`, async () => {
    await withLog(200, async (folder, path) => {
      const bytes = Deno.readFileSync(path);
      assert.ok(bytes.length > 40 * PAGE);
      to(bytes);
      Deno.writeFileSync(path, bytes);
      const test = await startTestServer({ folder });
      try {
        const [aside, ...others] = setAsideOf(path);
        assert.deepEqual(others, []);
        assert.deepEqual(Deno.readFileSync(aside!), bytes);
        assert.ok(test.logged.some((line) => line.includes("damaged") && line.includes(aside!)));
        const surface = await test.openSurface();
        assert.equal(await exchange(test.paths.eventSocket, envelope(surface)), OK);
      } finally {
        await test.server.stop();
      }
    });
  });
}

Deno.test("damage in an index alone is found at start too, not at the first event", async () => {
  await withLog(200, async (folder, path) => {
    const root = (name: string) => {
      const database = new DatabaseSync(path);
      const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name);
      database.close();
      return Number((row as { rootpage: number }).rootpage);
    };
    const bytes = Deno.readFileSync(path);
    const at = (root("sqlite_autoindex_log_1") - 1) * PAGE;
    bytes.fill(0x5a, at, at + PAGE);
    Deno.writeFileSync(path, bytes);
    const test = await startTestServer({ folder });
    try {
      assert.equal(setAsideOf(path).length, 1);
      const surface = await test.openSurface();
      assert.equal(await exchange(test.paths.eventSocket, envelope(surface)), OK);
    } finally {
      await test.server.stop();
    }
  });
});

Deno.test("an empty database file is a new one; a directory in its place is an error, not damage", async () => {
  await withFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/state`, { mode: 0o700 });
    const path = `${folder}/state/mytty.sqlite`;
    Deno.writeTextFileSync(path, "");
    const test = await startTestServer({ folder });
    const surface = await test.openSurface();
    assert.equal(await exchange(test.paths.eventSocket, envelope(surface)), OK);
    await test.server.stop();
    for (const { name } of Deno.readDirSync(`${folder}/state`)) {
      if (name.startsWith("mytty.sqlite")) Deno.removeSync(`${folder}/state/${name}`);
    }
    Deno.mkdirSync(path);
    await assert.rejects(
      startTestServer({ folder }),
      (error: Error) => error.message.includes(path),
    );
    assert.ok(Deno.statSync(path).isDirectory);
  });
});

const UNREADABLE = [
  "",
  "{",
  "null",
  "[]",
  "42",
  "{}",
  '{"type":7}',
  '{"type":"from-the-future","id":"x"}',
  '{"type":"constructor"}',
  '{"type":"agent-event"}',
  '{"type":"session-started","id":"x"}',
  '{"type":"acknowledged","id":"x","itemIDs":"no"}',
  '{"type":"surface-closed"}',
  '{"type":"agent-event","id":"a","runID":"b","provider":"c","kind":"started","source":"hook"}',
];

Deno.test("log rows that cannot be read are skipped and said; the others stand", async () => {
  await withLog(4, async (folder, path) => {
    const database = new DatabaseSync(path);
    const insert = database.prepare(
      "INSERT INTO log (id, at, schema, run, subject, entry) VALUES (randomblob(16), 1, 1, NULL, NULL, ?)",
    );
    for (const entry of UNREADABLE) insert.run(entry);
    database.close();
    const test = await startTestServer({ folder });
    try {
      const said = `skipped ${UNREADABLE.length} log rows that cannot be read`;
      assert.ok(test.logged.includes(said), test.logged.join("\n"));
      const surface = await test.openSurface("after");
      assert.equal(await exchange(test.paths.eventSocket, envelope(surface)), OK);
      const rows = await allEvents(test.control);
      assert.equal(rows.filter(({ kind }) => kind === "running").length, 4);
      assert.equal(rows.at(-1)!.kind, "started");
      assert.equal((await test.control.request("/v1/list")).status, 200);
    } finally {
      await test.server.stop();
    }
  });
});

Deno.test("while another program locks the database each event is refused in time, and none is lost", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    try {
      const surface = await test.openSurface();
      const blocker = new DatabaseSync(test.paths.database);
      blocker.exec("BEGIN IMMEDIATE");
      const began = performance.now();
      const lines = Array.from({ length: 20 }, () => envelope(surface));
      const answers = await Promise.all(
        lines.map((line) => exchange(test.paths.eventSocket, line)),
      );
      assert.deepEqual(new Set(answers), new Set(['{"ok":false,"error":"internal-error"}\n']));
      assert.ok(performance.now() - began < 4_500, "not one waiting time for each event");
      assert.ok(test.logged.some((line) => /cannot store an event: .*locked/.test(line)));
      blocker.exec("ROLLBACK");
      blocker.close();
      assert.equal(await exchange(test.paths.eventSocket, lines[0]!), OK);
    } finally {
      await test.server.stop();
    }
  });
});

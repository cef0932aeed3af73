/** Databases of other versions: an older one is lifted with all that it holds, a newer one refused. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createProcesses } from "../../src/estimator/processes.ts";
import { startServer } from "../../src/socket/serve.ts";
import { envelope, exchange, temporaryPaths, withFolder } from "../helpers/daemon.ts";
import { request } from "../helpers/http.ts";
import { treeOf } from "../helpers/tree.ts";

const FIXTURES = new URL("../fixtures/databases/", import.meta.url);
const OK = '{"ok":true,"inserted":true}\n';

type Pane = { readonly surfaceID: string; readonly capability: string };
type Row = Record<string, unknown> & { readonly runID: string };

/** What the program of that version showed of it after a restart. */
type Shown = {
  readonly surfaces: readonly Row[];
  readonly unplaced: readonly Row[];
  readonly runs: readonly Row[];
  readonly attention: readonly Row[];
  readonly open: Pane;
  readonly closed: Pane;
};

function fixtureVersions(): number[] {
  return [...Deno.readDirSync(FIXTURES)].flatMap(({ name }) =>
    /^schema_(\d+)\.sql$/.exec(name)?.[1] ?? []
  ).map(Number);
}

function readShown(version: number): Shown {
  return JSON.parse(Deno.readTextFileSync(new URL(`schema_${version}.json`, FIXTURES)));
}

/** A state folder as that version's server left it. */
function makeState(folder: string, version: number): string {
  Deno.mkdirSync(`${folder}/state`, { mode: 0o700 });
  const path = temporaryPaths(folder).database;
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(Deno.readTextFileSync(new URL(`schema_${version}.sql`, FIXTURES)));
  database.close();
  return path;
}

/** Of what is shown now, the fields that the older program showed. */
function like(rows: readonly Row[], shown: readonly Row[]): unknown[] {
  return rows.map((row) =>
    Object.fromEntries(Object.keys(shown[0] ?? {}).map((key) => [key, row[key]]))
  );
}

/** A server that forgets nothing because it is old: the fixture's days are long gone. */
async function serving(folder: string, task: (ask: Ask) => Promise<void>): Promise<void> {
  const paths = temporaryPaths(folder);
  const [idleAfter, retention] = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const processes = createProcesses();
  const server = await startServer({ paths, processes, idleAfter, retention, log: () => {} });
  try {
    // A connection that is kept would be one to the server of an earlier start.
    const headers = { connection: "close" };
    await task(async (path) => {
      return JSON.parse((await request(paths.controlSocket, path, { headers })).text);
    });
  } finally {
    await server.stop();
  }
}

type Ask = <T>(path: string) => Promise<T>;

for (const version of fixtureVersions()) {
  Deno.test(`a database of schema version ${version} shows what it showed: panes, runs, items`, async () => {
    await withFolder(async (folder) => {
      const path = makeState(folder, version);
      const shown = readShown(version);
      // The second start reads what the first has lifted.
      for (let start = 1; start <= 2; start++) {
        await serving(folder, async (ask) => {
          const list = await ask<{ surfaces: Row[]; unplaced: Row[] }>("/v1/list");
          assert.deepEqual(like(list.surfaces, shown.surfaces), shown.surfaces);
          assert.deepEqual(like(list.unplaced, shown.unplaced), shown.unplaced);
          const runs = await Promise.all(
            shown.runs.map(({ runID }) => ask<Row>(`/v1/runs/${runID}`)),
          );
          assert.deepEqual(like(runs, shown.runs), shown.runs);
          const { items } = await ask<{ items: Row[] }>("/v1/attention");
          const open = items.map((item) => ({
            ...item,
            open: item.resolvedAt === null && item.acknowledgedAt === null,
          }));
          assert.deepEqual(like(open, shown.attention), shown.attention);
        });
      }
      const database = new DatabaseSync(path, { readOnly: true });
      const { user_version } = database.prepare("PRAGMA user_version").get() as {
        user_version: number;
      };
      database.close();
      assert.ok(user_version >= version);
    });
  });

  Deno.test(`capabilities of schema version ${version} still open their panes, and no others`, async () => {
    await withFolder(async (folder) => {
      makeState(folder, version);
      const { open, closed } = readShown(version);
      const { eventSocket } = temporaryPaths(folder);
      await serving(folder, async () => {
        assert.equal(await exchange(eventSocket, envelope(open)), OK);
        assert.match(await exchange(eventSocket, envelope(closed)), /unauthorized/);
        const stolen = { surfaceID: closed.surfaceID, capability: open.capability };
        assert.match(await exchange(eventSocket, envelope(stolen)), /unauthorized/);
      });
    });
  });
}

Deno.test("a newer database, also one whose server was killed, is left as it is to the byte", async () => {
  await withFolder(async (folder) => {
    const path = makeState(folder, 1);
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA user_version = 99");
    database.exec("CREATE TABLE of_the_future (x)");
    // As `kill -9` leaves it: rows in the write-ahead log only.
    for (const suffix of ["", "-wal"]) {
      Deno.copyFileSync(path + suffix, `${folder}/kept${suffix}`);
    }
    database.close();
    for (const suffix of ["-wal", "-shm"]) await Deno.remove(path + suffix).catch(() => {});
    for (const suffix of ["", "-wal"]) Deno.copyFileSync(`${folder}/kept${suffix}`, path + suffix);
    const files = () => [path, `${path}-wal`].map((name) => Deno.readFileSync(name));
    const before = files();
    await assert.rejects(
      serving(folder, () => Promise.resolve()),
      /schema version is 99, this mytty knows \d+; use the newer mytty/,
    );
    assert.deepEqual(files(), before);
  });
});

Deno.test("a copy of the state folder is a backup: it serves as the original does", async () => {
  await withFolder(async (folder) => {
    makeState(folder, 1);
    const copy = `${folder}/copy`;
    Deno.mkdirSync(copy);
    const { success } = new Deno.Command("cp", {
      args: ["-Rp", `${folder}/state`, `${copy}/state`],
    }).outputSync();
    assert.ok(success);
    assert.deepEqual(treeOf(`${copy}/state`).size, treeOf(`${folder}/state`).size);
    const lists: unknown[] = [];
    for (const each of [folder, copy]) {
      await serving(each, async (ask) => {
        lists.push(like((await ask<{ surfaces: Row[] }>("/v1/list")).surfaces, [
          { runID: "", surfaceID: "", label: "", state: "", sessionID: "" },
        ]));
      });
    }
    assert.deepEqual(lists[0], lists[1]);
  });
});

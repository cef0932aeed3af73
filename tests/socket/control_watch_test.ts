/** The watch stream: a snapshot, then every change and never a gap. */

import assert from "node:assert/strict";
import type { PlaceJson } from "../../src/core/view/view_json.ts";
import type { WatchChange, WatchLine, WatchPlace } from "../../src/core/view/watch_view.ts";
import { watchStream } from "../../src/socket/control/watch.ts";
import { watchLine } from "../../src/socket/control/notify_schema.ts";
import { envelope, exchange, type TestServer, withServer } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";

/** What a client that follows the stream holds. */
class Reader {
  readonly lines: WatchLine[] = [];
  readonly places = new Map<string, WatchPlace>();
  readonly #ended = new AbortController();
  readonly #done: Promise<void>;

  constructor({ control }: TestServer) {
    this.#done = (async () => {
      for await (const text of control.lines("/v1/watch", { signal: this.#ended.signal })) {
        if (text !== "") this.#take(JSON.parse(text));
      }
    })().catch(() => {});
  }

  #take(line: WatchLine): void {
    watchLine.parse(line);
    this.lines.push(line);
    if (line.type === "snapshot") this.places.clear();
    for (const place of line.places) this.places.set(place.place, place);
    if (line.type === "change") line.gone.forEach((place) => this.places.delete(place));
  }

  get changes(): WatchChange[] {
    return this.lines.filter((line) => line.type === "change");
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#done;
  }
}

async function listed({ control }: TestServer): Promise<PlaceJson[]> {
  const { body } = await control.request("/v1/list");
  const { surfaces, unplaced } = body as { surfaces: PlaceJson[]; unplaced: PlaceJson[] };
  return [...surfaces, ...unplaced];
}

Deno.test("a late joiner sees how things stand, then each row of the log once, in order", async () => {
  await withServer(async (test) => {
    const pane = await test.openSurface("api");
    const runID = { rawValue: crypto.randomUUID() };
    const tell = (event: Record<string, unknown>) =>
      exchange(test.paths.eventSocket, envelope(pane, { runID, ...event }));
    await tell({ kind: "started", message: "before" });
    const reader = new Reader(test);
    await eventually(() => reader.lines.length === 1);
    const [snapshot] = reader.lines;
    assert.ok(snapshot?.type === "snapshot" && snapshot.reason === "start");
    assert.deepEqual(snapshot.places.map(({ label, state }) => [label, state]), [[
      "api",
      "running",
    ]]);
    await tell({ kind: "approval-requested", toolUseID: "t", message: "rm" });
    await tell({ kind: "running", toolUseID: "t" });
    await tell({ kind: "succeeded", message: "after" });
    await tell({ kind: "running", occurredAt: "2020-01-01T00:00:00Z" });
    await eventually(() => reader.changes.length === 4);
    const positions = reader.changes.map(({ position }) => position);
    assert.deepEqual(positions, [1, 2, 3, 4].map((step) => snapshot.position + step));
    const steps = reader.changes.map(({ runs }) =>
      runs.map(({ from, to }) => `${from} ${to}`).join()
    );
    assert.deepEqual(steps, [
      "running waiting-approval",
      "waiting-approval running",
      "running succeeded",
      "",
    ]);
    assert.equal(reader.changes[0]!.attention[0]!.kind, "approval-request");
    assert.notEqual(reader.changes[1]!.attention[0]!.resolvedAt, null);
    assert.equal(
      reader.changes[3]!.event!.applied,
      false,
      "a row that changed nothing is told too",
    );
    await test.control.request(`/v1/surfaces/${pane.surfaceID}`, { method: "DELETE" });
    await eventually(() => reader.changes.some(({ gone }) => gone.includes(pane.surfaceID)));
    await reader.end();
  });
});

Deno.test("what a reader has put together is what the list says, whatever came", async () => {
  await withServer(async (test) => {
    const reader = new Reader(test);
    const kinds = [
      "started",
      "running",
      "approval-requested",
      "input-requested",
      "succeeded",
      "failed",
    ];
    const panes = await Promise.all(["a", "b", "c", "d"].map((label) => test.openSurface(label)));
    const runs = panes.map(() => ({ rawValue: crypto.randomUUID() }));
    await Promise.all(Array.from({ length: 300 }, (_, at) => {
      const kind = kinds[(at * 7 + at % 5) % kinds.length];
      const pane = panes[at % 4]!;
      const event = { kind, runID: runs[at % 4], toolUseID: `t${at % 3}`, sessionID: `s${at % 4}` };
      return exchange(test.paths.eventSocket, envelope(pane, event));
    }));
    const position = test.server.daemon.state.position;
    await eventually(() => reader.lines.at(-1)?.position === position);
    const positions = reader.changes.filter(({ event }) => event !== null).map((one) =>
      one.position
    );
    const first = reader.lines[0]!.position;
    assert.deepEqual(
      positions,
      Array.from({ length: position - first }, (_, at) => first + 1 + at),
    );
    const bare = ({ stateFor: _age, ...row }: PlaceJson) => row;
    const told = [...reader.places.values()].map(({ place: _key, ...row }) => bare(row));
    const key = (row: { surfaceID: string | null }) => row.surfaceID ?? "";
    assert.deepEqual(
      told.toSorted((a, b) => key(a) < key(b) ? -1 : 1),
      (await listed(test)).map(bare).toSorted((a, b) => key(a) < key(b) ? -1 : 1),
    );
    await reader.end();
  });
});

Deno.test("a row that only time changes is told when it does", async () => {
  await withServer(async (test) => {
    const pane = await test.openSurface("api");
    const reader = new Reader(test);
    const runID = { rawValue: crypto.randomUUID() };
    for (const kind of ["started", "succeeded"]) {
      await exchange(test.paths.eventSocket, envelope(pane, { runID, kind }));
    }
    await eventually(() => reader.places.get(pane.surfaceID)?.state === "succeeded");
    const quiet = await eventually(() => reader.changes.find(({ event }) => event === null));
    assert.equal(quiet.places[0]!.state, "idle");
    await reader.end();
  }, { idleAfter: 1_500 });
});

Deno.test("a reader that does not read costs little, and then gets a new snapshot", async () => {
  await withServer(async (test) => {
    const { daemon } = test.server;
    const stream = watchStream({
      state: daemon.state,
      feed: daemon.feed,
      viewOptions: () => daemon.viewOptions(),
      signal: daemon.stopping,
      encode: (line) => `${JSON.stringify(line)}\n`,
    });
    const reader = stream.getReader();
    const read = async () => {
      const { value } = await reader.read();
      return new TextDecoder().decode(value).trim().split("\n").map((line) => JSON.parse(line));
    };
    assert.equal((await read())[0].type, "snapshot");
    const pane = await test.openSurface("api");
    const surfaceID = pane.surfaceID;
    for (let round = 0; round < 13; round++) {
      await Promise.all(Array.from({ length: 400 }, () =>
        daemon.mailbox.submit(() => ({
          entries: [{ type: "acknowledged", id: crypto.randomUUID(), itemIDs: [] }],
        }))));
    }
    const lines = await read();
    assert.deepEqual([lines[0].type, lines[0].reason], ["snapshot", "fell-behind"]);
    assert.equal(lines[0].position, daemon.state.position);
    assert.equal(lines[0].places[0].surfaceID, surfaceID);
    await reader.cancel();
  });
});

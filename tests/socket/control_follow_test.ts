import assert from "node:assert/strict";
import type { EventJson } from "../../src/core/log/event_json.ts";
import * as schema from "../../src/socket/control/schema.ts";
import {
  envelope,
  exchange,
  startTestServer,
  type SurfaceEnv,
  type TestServer,
  withFolder,
  withServer,
} from "../helpers/daemon.ts";
import { allEvents, eventually } from "../helpers/events.ts";
import { openRequest, readStream } from "../helpers/http.ts";

const MESSAGE = "m".repeat(2_000);
const SSE = { accept: "text/event-stream" };

/** `count` signs of work of one run, one row each, from eight senders at once. */
async function load({ paths }: TestServer, surface: SurfaceEnv, count: number): Promise<void> {
  const runID = { rawValue: crypto.randomUUID() };
  let left = count;
  await Promise.all(Array.from({ length: 8 }, async () => {
    while (left-- > 0) {
      const line = envelope(surface, { runID, kind: "running", message: MESSAGE });
      await exchange(paths.eventSocket, line);
    }
  }));
}

async function follow(
  { paths }: TestServer,
  query: string,
  { headers = {}, until }: { headers?: Record<string, string>; until: number },
): Promise<EventJson[]> {
  const path = `/v1/events?follow=1&${query}`;
  const response = await openRequest(paths.controlSocket, path, { headers });
  assert.equal(response.statusCode, 200);
  const isEvents = headers.accept !== undefined;
  const type = isEvents ? "text/event-stream" : "application/x-ndjson";
  assert.equal(response.headers["content-type"], type);
  const isDone = (text: string) => new RegExp(`"position":${until},.*\n`).test(text);
  const text = await readStream(response, isDone);
  return isEvents ? serverSentRows(text) : lineRows(text);
}

/** Blank lines are signs of life only. */
function lineRows(text: string): EventJson[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => schema.eventRow.parse(JSON.parse(line)));
}

function serverSentRows(text: string): EventJson[] {
  const events = text.split("\n\n").filter((event) => event !== "" && event !== ":");
  return events.map((event) => {
    const match = /^id: (\d+)\ndata: (.*)$/.exec(event)!;
    const row = schema.eventRow.parse(JSON.parse(match[2]!));
    assert.equal(row.position, Number(match[1]));
    return row;
  });
}

function beforeEnd(text: string, end: string): [string, boolean] {
  return [text.slice(0, -end.length), text.endsWith(end)];
}

Deno.test("followers of both kinds get every row once and in order, under load", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    const idle = test.server.daemon.feed.size;
    const last = 401;
    const early = [
      follow(test, "after=0", { until: last }),
      follow(test, "after=0", { until: last, headers: SSE }),
      follow(test, "after=150", { until: last }),
    ];
    const loading = load(test, surface, 400);
    await eventually(() => test.server.daemon.state.position > 100);
    const late = [
      follow(test, "after=0", { until: last }),
      follow(test, "after=50", { until: last, headers: { ...SSE, "last-event-id": "100" } }),
    ];
    const [full, events, part, lateFull, resumed] = await Promise.all([...early, ...late]);
    await loading;
    const rows = await allEvents(test.control);
    assert.equal(rows.length, last);
    assert.deepEqual(full, rows);
    assert.deepEqual(events, rows);
    assert.deepEqual(lateFull, rows);
    assert.deepEqual(part, rows.slice(150));
    assert.deepEqual(resumed, rows.slice(100));
    await eventually(() => test.server.daemon.feed.size === idle);
  });
});

Deno.test("a follower of one run gets that run's rows only", async () => {
  await withServer(async (test) => {
    const [mine, other] = [await test.openSurface("mine"), await test.openSurface("other")];
    const runID = { rawValue: crypto.randomUUID() };
    const send = (surface: SurfaceEnv, event: Record<string, unknown>) =>
      exchange(test.paths.eventSocket, envelope(surface, event));
    const rows = follow(test, `run=${runID.rawValue}`, { until: 7 });
    for (const kind of ["started", "running", "succeeded"]) {
      await send(mine, { runID, kind });
      if (kind !== "succeeded") await send(other, { kind: "running", sessionID: null });
    }
    assert.deepEqual((await rows).map(({ kind }) => kind), ["started", "running", "succeeded"]);
    assert.ok((await rows).every((row) => row.runID === runID.rawValue));
  });
});

Deno.test("a follower that does not read holds up nobody, and misses nothing when it reads again", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    const path = "/v1/events?follow=1&after=0";
    const response = await openRequest(test.paths.controlSocket, path);
    response.pause();
    await load(test, surface, 1_000);
    const text = await readStream(response, (text) => /"position":1001,.*\n/.test(text));
    assert.deepEqual(
      lineRows(text.slice(0, text.lastIndexOf("\n"))).map(({ position }) => position),
      Array.from({ length: 1_001 }, (_, index) => index + 1),
    );
  });
});

Deno.test("a stream ends when the server stops, after everything that was stored, and says why", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    const idle = test.server.daemon.feed.size;
    const surface = await test.openSurface();
    const streams = await Promise.all(
      [{}, SSE].map((headers) =>
        openRequest(test.paths.controlSocket, "/v1/events?follow=1", { headers })
      ),
    );
    const texts = streams.map((response) => readStream(response, () => false));
    await load(test, surface, 20);
    await eventually(() => test.server.daemon.feed.size === idle + 2);
    await test.server.stop();
    const [lines, events] = await Promise.all(texts);
    const end = '{"type":"end","reason":"stopping"}';
    const [rows, lineEnd] = beforeEnd(lines!, `${end}\n`);
    const [told, eventEnd] = beforeEnd(events!, `event: end\ndata: ${end}\n\n`);
    assert.deepEqual([lineEnd, eventEnd], [true, true]);
    assert.equal(lineRows(rows).length, 21);
    assert.equal(serverSentRows(told).length, 21);
  });
});

Deno.test("a stream that has nothing to tell gives signs of life that no reader takes for news", async () => {
  await withServer(async (test) => {
    for (const path of ["/v1/events?follow=1", "/v1/watch", "/v1/agents/events"]) {
      for (const [headers, beat] of [[{}, /\n\n+$/], [SSE, /(^|\n)(:\n\n)+$/]] as const) {
        const response = await openRequest(test.paths.controlSocket, path, { headers });
        const text = await readStream(response, (text) => beat.test(text) || text === "\n");
        assert.doesNotMatch(text, /"type":"end"/, path);
      }
    }
  });
});

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { z } from "zod";
import { VERSION } from "../../src/core/version.ts";
import { controlApp } from "../../src/socket/control/app.ts";
import { OPERATIONS } from "../../src/socket/control/openapi.ts";
import * as schema from "../../src/socket/control/schema.ts";
import { envelope, exchange, type TestServer, withServer } from "../helpers/daemon.ts";
import { assertNoTrace } from "../helpers/events.ts";
import { postHook, promptPayload } from "../helpers/hooks.ts";
import { type HttpOptions, request } from "../helpers/http.ts";

const NOBODY = "00000000-0000-4000-8000-000000000000";

/** Asks and parses the answer with the very schema that describes it. */
async function ask<T extends z.ZodType>(
  { paths }: TestServer,
  path: string,
  type: T,
  options: HttpOptions = {},
): Promise<z.output<T>> {
  const { status, text } = await request(paths.controlSocket, path, options);
  assert.equal(status, 200, `${path}: ${text}`);
  return type.parse(JSON.parse(text));
}

/** A pane with an open approval, a failed one, and a session without a pane. */
async function populate(test: TestServer) {
  const surface = await test.openSurface("api");
  const runID = { rawValue: crypto.randomUUID() };
  const send = (event: Record<string, unknown>) =>
    exchange(test.paths.eventSocket, envelope(surface, event));
  await send({ runID, kind: "started" });
  await send({ runID, kind: "approval-requested", toolName: "Bash", toolUseID: "t1" });
  await send({ kind: "failed", sessionID: null, message: "no" });
  await postHook(test.paths.eventSocket, { body: promptPayload("unplaced") });
  return { surface, runID: runID.rawValue };
}

Deno.test("every route answers what its schema says", async () => {
  await withServer(async (test) => {
    const { surface, runID } = await populate(test);
    const list = await ask(test, "/v1/list", schema.list);
    assert.deepEqual([list.surfaces.length, list.unplaced.length], [1, 1]);
    assert.equal(list.surfaces[0]!.state, "waiting-approval");
    assert.equal(list.surfaces[0]!.surfaceID, surface.surfaceID);
    await ask(test, "/v1/list?active=1", schema.list);
    const status = await ask(test, "/v1/status", schema.status);
    assert.deepEqual([status.pid, status.version, status.surfaces], [Deno.pid, VERSION, 1]);
    assert.equal(status.position, list.position);
    const panes = await ask(test, "/v1/surfaces", schema.surfaces);
    assert.deepEqual(panes.surfaces.map(({ stateFor: _, ...row }) => row), [
      (({ stateFor: _, ...row }) => row)(list.surfaces[0]!),
    ]);
    assert.equal(panes.position, list.position);
    const { runs } = await ask(test, "/v1/runs", schema.runs);
    assert.equal(runs.length, 3);
    assert.equal(runs[0]!.surfaceID, null, "the latest first");
    const live = await ask(test, "/v1/runs?active=1&limit=1", schema.runs);
    assert.deepEqual(live.runs.map(({ state }) => state), ["running"]);
    const run = await ask(test, `/v1/runs/${runID}`, schema.run);
    assert.equal(run.surfaceID, surface.surfaceID);
    assert.deepEqual([run.runID, run.state, run.toolName], [runID, "waiting-approval", "Bash"]);
    await ask(test, `/v1/runs/${runID.toUpperCase()}`, schema.run);
    const { events, position } = await ask(test, "/v1/events", schema.events);
    assert.deepEqual([events.length, position], [5, list.position]);
    const providers = await ask(test, "/v1/providers", schema.providers);
    assert.equal(providers.providers.find(({ id }) => id === "claude-code")!.inserted, 1);
    await assertNoTrace(test, [surface.capability]);
  });
});

Deno.test("a surface is opened, finished and closed over the API", async () => {
  await withServer(async (test) => {
    const body = { label: "made", cwd: "/work", tty: "/dev/pts/99" };
    const opened = await ask(test, "/v1/surfaces", schema.opened, { method: "POST", body });
    assert.equal(opened.env.MYTTY_EVENT_SOCKET, test.paths.eventSocket);
    assert.equal(opened.env.MYTTY_SURFACE_ID, opened.surfaceID);
    assert.match(opened.env.MYTTY_EVENT_CAPABILITY, /^[0-9a-f]{64}$/);
    const claim = {
      surfaceID: opened.surfaceID,
      capability: opened.env.MYTTY_EVENT_CAPABILITY,
    };
    await exchange(test.paths.eventSocket, envelope(claim));
    const path = `/v1/surfaces/${opened.surfaceID}`;
    const finished = { method: "POST", body: { exitCode: 3 } };
    await ask(test, `${path}/finished`, schema.closed, finished);
    const { surfaces: [row] } = await ask(test, "/v1/list", schema.list);
    assert.deepEqual([row!.state, row!.label, row!.cwd], ["failed", "made", "/work"]);
    const closed = await ask(test, path, schema.closed, { method: "DELETE" });
    assert.deepEqual(closed, { surfaceID: opened.surfaceID, closed: true });
    const again = await ask(test, path, schema.closed, { method: "DELETE" });
    assert.equal(again.closed, false);
    assert.deepEqual((await ask(test, "/v1/list", schema.list)).surfaces, []);
  });
});

Deno.test("an interrupted command is no alarm, one that broke is", async () => {
  await withServer(async (test) => {
    for (const [exitCode, state, items] of [[130, "idle", 0], [139, "failed", 1]] as const) {
      const body = { label: `ends with ${exitCode}`, cwd: "/work", tty: `/dev/pts/${exitCode}` };
      const opened = await ask(test, "/v1/surfaces", schema.opened, { method: "POST", body });
      const { surfaceID, env } = opened;
      const claim = { surfaceID, capability: env.MYTTY_EVENT_CAPABILITY! };
      const sessionID = `session ${exitCode}`;
      await exchange(test.paths.eventSocket, envelope(claim, { sessionID }));
      const finished = { method: "POST", body: { exitCode } };
      await ask(test, `/v1/surfaces/${surfaceID}/finished`, schema.closed, finished);
      const list = await ask(test, "/v1/list", schema.list);
      const row = list.surfaces.find((each) => each.surfaceID === surfaceID)!;
      assert.deepEqual([row.state, row.attention.length], [state, items]);
      assert.match(row.message!, new RegExp(`xit status ${exitCode}`));
    }
  });
});

Deno.test("a surface that ends with its command stays to be seen, until it is acknowledged", async () => {
  await withServer(async (test) => {
    const pane = await test.openSurface("job");
    await exchange(test.paths.eventSocket, envelope(pane));
    const path = `/v1/surfaces/${pane.surfaceID}`;
    const told = { method: "POST", body: { exitCode: 3, close: true } };
    const finished = await ask(test, `${path}/finished`, schema.closed, told);
    assert.deepEqual(finished, { surfaceID: pane.surfaceID, closed: true });
    assert.match(await exchange(test.paths.eventSocket, envelope(pane)), /unauthorized/);
    const { surfaces } = await ask(test, "/v1/list", schema.list);
    assert.deepEqual(surfaces.map(({ state, attention }) => [state, attention.length]), [
      ["failed", 1],
    ]);
    assert.notEqual(surfaces[0]!.closedAt, null);
    await ask(test, "/v1/attention/ack", schema.acked, { method: "POST", body: { all: true } });
    assert.deepEqual((await ask(test, "/v1/list", schema.list)).surfaces, []);
  });
});

Deno.test("the log is read in pages by position, or of one run", async () => {
  await withServer(async (test) => {
    const { runID } = await populate(test);
    const all = await ask(test, "/v1/events", schema.events);
    const paged: unknown[] = [];
    for (let after = 0;;) {
      const page = await ask(test, `/v1/events?after=${after}&limit=2`, schema.events);
      if (page.events.length === 0) break;
      paged.push(...page.events);
      after = page.position;
    }
    assert.deepEqual(paged, all.events);
    const ofRun = await ask(test, `/v1/events?run=${runID}`, schema.events);
    assert.deepEqual(ofRun.events.map(({ kind }) => kind), ["started", "approval-requested"]);
    assert.deepEqual((await ask(test, `/v1/events?run=${NOBODY}`, schema.events)).events, []);
    const beyond = await ask(test, "/v1/events?after=1000000", schema.events);
    assert.deepEqual(beyond, { position: 1_000_000, events: [] });
    const many = await ask(test, "/v1/events?limit=1000000&follow=0", schema.events);
    assert.deepEqual(many, all, "at most so many as are given at once");
  });
});

Deno.test("the log is readable past rows that are damaged", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    for (let index = 0; index < 3; index++) {
      await exchange(test.paths.eventSocket, envelope(surface, { sessionID: null }));
    }
    damageRows(test, "position = 2");
    const first = await ask(test, "/v1/events?after=1&limit=1", schema.events);
    assert.deepEqual(first.events.map(({ position }) => position), [3]);
  });
});

function damageRows({ paths }: TestServer, where: string): void {
  const database = new DatabaseSync(paths.database);
  database.exec(`UPDATE log SET entry = '{"type":' WHERE ${where}`);
  database.close();
}

Deno.test("attention is listed, acknowledged by id or its beginning, and then only under all", async () => {
  await withServer(async (test) => {
    await populate(test);
    const items = async (query = "") =>
      (await ask(test, `/v1/attention${query}`, schema.attention)).items;
    const open = await items();
    assert.deepEqual(open.map(({ kind }) => kind).sort(), ["approval-request", "failure"]);
    const [first, second] = open as [typeof open[number], typeof open[number]];
    const ack = (body: unknown) =>
      ask(test, "/v1/attention/ack", schema.acked, { method: "POST", body });
    assert.deepEqual(await ack({ ids: [first.id.slice(0, 12)] }), { acknowledged: [first.id] });
    assert.deepEqual((await items()).map(({ id }) => id), [second.id]);
    assert.deepEqual(await ack({ ids: [second.id.toUpperCase()] }), { acknowledged: [second.id] });
    assert.deepEqual(await items(), []);
    assert.deepEqual(await ack({ all: true }), { acknowledged: [] });
    const listed = await items("?all=1");
    assert.equal(listed.length, 2);
    for (const item of listed) assert.notEqual(item.acknowledgedAt, null);
  });
});

Deno.test("the beginning of an id that fits several items acknowledges none of them", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    for (const tail of ["0001", "0002"]) {
      const id = { rawValue: `abcdabcd-0000-4000-8000-00000000${tail}` };
      await exchange(test.paths.eventSocket, envelope(surface, { id, kind: "failed" }));
    }
    for (const word of ["", "a", "abcdabcd"]) {
      const options = { method: "POST", body: { ids: [word] } };
      const reply = await request(test.paths.controlSocket, "/v1/attention/ack", options);
      assert.ok(reply.status === 400 || reply.status === 404, `"${word}": ${reply.text}`);
    }
    const { items } = await ask(test, "/v1/attention", schema.attention);
    assert.equal(items.length, 2);
  });
});

Deno.test("what is not there and what is not valid is said in the same shape", async () => {
  await withServer(async (test) => {
    const post = (body: unknown): HttpOptions => ({ method: "POST", body });
    const cases: readonly (readonly [number, string, HttpOptions])[] = [
      [404, "/", {}],
      [404, "/v1", {}],
      [404, "/v2/list", {}],
      [404, "/v1/list", { method: "PUT" }],
      [404, `/v1/runs/${NOBODY}`, {}],
      [404, "/v1/runs/nonsense", {}],
      [404, "/v1/runs/constructor", {}],
      [404, `/v1/surfaces/${NOBODY}`, { method: "DELETE" }],
      [404, "/v1/surfaces/x", { method: "DELETE" }],
      [404, `/v1/surfaces/${NOBODY}/finished`, post({ exitCode: 0 })],
      [400, `/v1/surfaces/${NOBODY}/finished`, post({ exitCode: "0" })],
      [400, "/v1/surfaces", post("not json")],
      [400, "/v1/surfaces", post("")],
      [400, "/v1/surfaces", post([])],
      [400, "/v1/surfaces", post({ pid: -1 })],
      [400, "/v1/surfaces", post({ label: "l".repeat(201) })],
      [400, "/v1/events?run=nonsense", {}],
      ...["after=abc", "after=-1", "after=1.5", "after=1e3", "after=", "limit=0", "limit=x"].map(
        (query) => [400, `/v1/events?${query}`, {}] as const,
      ),
      [400, "/v1/events?follow=yes", {}],
      [400, "/v1/list?active=maybe", {}],
      [400, "/v1/surfaces?active=maybe", {}],
      [400, "/v1/runs?limit=0", {}],
      [400, "/v1/attention?all=x", {}],
      [413, "/v1/attention/ack", post({ ids: ["x".repeat(3_000_000)] })],
      [400, "/v1/attention/ack", post({})],
      [400, "/v1/attention/ack", post({ ids: [] })],
      [400, "/v1/attention/ack", post({ all: false })],
      [404, "/v1/attention/ack", post({ ids: [NOBODY] })],
      [400, "/v1/wait", post({ target: "x" })],
      [400, "/v1/wait", post({ target: "x", until: "someday" })],
      [400, "/v1/wait", post({ until: "idle", runID: "nonsense" })],
      [400, "/v1/wait", post({ until: "idle", timeoutMs: -1 })],
      [404, "/v1/wait", post({ until: "idle", target: "no such label" })],
      [404, "/v1/wait", post({ until: "idle" })],
    ];
    for (const [status, path, options] of cases) {
      const reply = await request(test.paths.controlSocket, path, options);
      const what = `${options.method ?? "GET"} ${path} ${JSON.stringify(options.body)}`;
      assert.equal(reply.status, status, `${what}: ${reply.text}`);
      const failed = schema.failed.parse(JSON.parse(reply.text));
      assert.notEqual(failed.message, "", what);
      assert.equal(reply.headers["mytty-version"], VERSION, what);
    }
    assert.deepEqual(test.logged, []);
  });
});

Deno.test("what is no HTTP is refused like everything else", async () => {
  await withServer(async (test) => {
    for (const text of ["hello\n", "GET /v1/status HTTP/1.1\r\nno header\r\n\r\n", "GET /v1"]) {
      const answer = await exchange(test.paths.controlSocket, text);
      assert.match(answer, /^HTTP\/1\.1 400 /, text);
      assert.ok(answer.includes(`\r\nmytty-version: ${VERSION}\r\n`), text);
      schema.failed.parse(JSON.parse(answer.split("\r\n\r\n")[1]!));
    }
  });
});

Deno.test("every answer carries the server's version", async () => {
  await withServer(async (test) => {
    for (const path of ["/v1/openapi.json", "/v1/status", "/v1/list", "/nowhere"]) {
      const { headers } = await request(test.paths.controlSocket, path);
      assert.equal(headers["mytty-version"], VERSION, path);
    }
  });
});

Deno.test("the served OpenAPI document names every route that is served, and no other", async () => {
  await withServer(async (test) => {
    const { text } = await request(test.paths.controlSocket, "/v1/openapi.json");
    const document = JSON.parse(text) as { openapi: string; paths: Record<string, object> };
    assert.match(document.openapi, /^3\.1/);
    const named = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    );
    const served = controlApp(test.server.daemon).routes
      .filter(({ method, path }) => method !== "ALL" && path !== "/v1/openapi.json")
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
    assert.deepEqual(named.toSorted(), served.toSorted());
    assert.equal(named.length, OPERATIONS.length);
  });
});

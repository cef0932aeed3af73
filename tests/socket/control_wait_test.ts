import assert from "node:assert/strict";
import net from "node:net";
import type { z } from "zod";
import * as schema from "../../src/socket/control/schema.ts";
import {
  envelope,
  type EventFields,
  exchange,
  startTestServer,
  type SurfaceEnv,
  type TestServer,
  withFolder,
  withServer,
} from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { postHook, promptPayload } from "../helpers/hooks.ts";
import { request } from "../helpers/http.ts";

type Answer = z.output<typeof schema.waitAnswer>;

/** Long enough never to pass in a test that works. */
const LONG = { timeoutMs: 30_000 };

async function wait({ paths }: TestServer, body: Record<string, unknown>): Promise<Answer> {
  const options = { method: "POST", body };
  const { status, text } = await request(paths.controlSocket, "/v1/wait", options);
  assert.equal(status, 200, text);
  return schema.waitAnswer.parse(JSON.parse(text));
}

function send(test: TestServer, surface: SurfaceEnv, event: EventFields): Promise<string> {
  return exchange(test.paths.eventSocket, envelope(surface, event));
}

/** Waits that the server holds now; others read its feed too, all of them from its start. */
function holding({ server }: TestServer): number {
  const idle = idleReaders.get(server) ?? server.daemon.feed.size;
  idleReaders.set(server, idle);
  return server.daemon.feed.size - idle;
}

const idleReaders = new WeakMap<object, number>();

async function held(test: TestServer, count: number): Promise<void> {
  await eventually(() => holding(test) >= count);
}

Deno.test("a condition that already holds is answered at once", async () => {
  await withServer(async (test) => {
    assert.equal(holding(test), 0);
    const surface = await test.openSurface("pane");
    const runID = { rawValue: crypto.randomUUID() };
    await send(test, surface, { runID, kind: "input-requested" });
    const answer = await wait(test, { target: "pane", until: "attention", ...LONG });
    assert.deepEqual([answer.state, answer.runID, answer.timedOut], [
      "waiting-input",
      runID.rawValue,
      false,
    ]);
    const byID = await wait(test, { target: surface.surfaceID, until: "attention", ...LONG });
    assert.deepEqual(byID, answer);
  });
});

Deno.test("a condition that is met later ends the wait then, for every waiter", async () => {
  await withServer(async (test) => {
    assert.equal(holding(test), 0);
    const surface = await test.openSurface("pane");
    const runID = { rawValue: crypto.randomUUID() };
    await send(test, surface, { runID, kind: "started" });
    const waits = ["finished", "idle", "attention", "change"].map((until) =>
      wait(test, { target: "pane", until, ...LONG })
    );
    await held(test, 4);
    await send(test, surface, { runID, kind: "approval-requested" });
    const [attention, change] = await Promise.all([waits[2]!, waits[3]!]);
    assert.deepEqual([attention.state, change.state], ["waiting-approval", "waiting-approval"]);
    assert.equal(holding(test), 2, "answered waits hold nothing");
    await send(test, surface, { runID, kind: "succeeded" });
    for (const answer of await Promise.all(waits.slice(0, 2))) {
      assert.deepEqual([answer.state, answer.timedOut], ["succeeded", false]);
    }
  });
});

Deno.test("a wait that is not met says after its time what the state is", async () => {
  await withServer(async (test) => {
    assert.equal(holding(test), 0);
    const surface = await test.openSurface("pane");
    await send(test, surface, { kind: "started" });
    const answer = await wait(test, { target: "pane", until: "finished", timeoutMs: 50 });
    assert.deepEqual([answer.state, answer.timedOut], ["running", true]);
    const none = await wait(test, { target: "pane", until: "finished", timeoutMs: 0 });
    assert.equal(none.timedOut, true);
    assert.equal(holding(test), 0);
  });
});

Deno.test("a state entered at or before `after` does not count", async () => {
  await withServer(async (test) => {
    assert.equal(holding(test), 0);
    const surface = await test.openSurface("pane");
    await send(test, surface, { kind: "succeeded" });
    const old = await wait(test, { target: "pane", until: "finished", ...LONG });
    assert.equal(old.timedOut, false);
    const after = { target: "pane", until: "finished", after: old.position };
    assert.equal((await wait(test, { ...after, timeoutMs: 50 })).timedOut, true);
    const later = wait(test, { ...after, ...LONG });
    await held(test, 1);
    const runID = { rawValue: crypto.randomUUID() };
    await send(test, surface, { runID, kind: "started" });
    await send(test, surface, { runID, kind: "failed" });
    const answer = await later;
    assert.deepEqual([answer.state, answer.runID], ["failed", runID.rawValue]);
    assert.ok(answer.position > old.position);
  });
});

Deno.test("a run is waited for by its id, also before it exists and however it is written", async () => {
  await withServer(async (test) => {
    assert.equal(holding(test), 0);
    const surface = await test.openSurface("pane");
    const ids = [crypto.randomUUID(), "11111111-1111-1111-1111-11111111abcd"];
    for (const rawValue of ids) {
      const waits = [rawValue, rawValue.toUpperCase()].map((runID) =>
        wait(test, { runID, until: "finished", ...LONG })
      );
      await held(test, 2);
      await send(test, surface, { sessionID: "another", kind: "started" });
      await send(test, surface, { runID: { rawValue }, sessionID: null, kind: "succeeded" });
      for (const answer of await Promise.all(waits)) {
        assert.deepEqual([answer.runID, answer.state], [rawValue, "succeeded"]);
      }
    }
  });
});

Deno.test("a session is waited for by its id, also before it exists", async () => {
  await withServer(async (test) => {
    assert.equal(holding(test), 0);
    const waits = ["later", "with-pane"].map((sessionID) =>
      wait(test, { sessionID, until: "finished", ...LONG })
    );
    await held(test, 2);
    const surface = await test.openSurface("pane");
    await send(test, surface, { sessionID: "with-pane", kind: "failed" });
    await postHook(test.paths.eventSocket, { body: promptPayload("later") });
    await postHook(test.paths.eventSocket, {
      body: { session_id: "later", hook_event_name: "Stop" },
    });
    const answers = await Promise.all(waits);
    assert.deepEqual(answers.map(({ state }) => state), ["succeeded", "failed"]);
  });
});

Deno.test("between two waits no transition is missed", async () => {
  await withServer(async (test) => {
    assert.equal(holding(test), 0);
    const surface = await test.openSurface("pane");
    const runID = { rawValue: crypto.randomUUID() };
    const steps = ["started", "approval-requested", "running", "input-requested"] as const;
    const states = ["running", "waiting-approval", "running", "waiting-input"];
    let after = 0;
    for (let round = 0; round < 80; round++) {
      // Told before, while and after the question is asked: whichever comes first, it is answered.
      const sent = send(test, surface, { runID, kind: steps[round % 4] });
      if (round % 3 === 0) await sent;
      const answer = await wait(test, { target: "pane", until: "change", after, ...LONG });
      assert.deepEqual([answer.state, answer.timedOut], [states[round % 4], false], `${round}`);
      assert.ok(answer.position > after);
      after = answer.position;
      await sent;
    }
  });
});

Deno.test("a pane that is closed ends every wait for it: met where its run's end is enough, else closed", async () => {
  await withServer(async (test) => {
    assert.equal(holding(test), 0);
    const busy = await test.openSurface("busy");
    const empty = await test.openSurface("empty");
    const runID = crypto.randomUUID();
    await send(test, busy, { runID: { rawValue: runID }, sessionID: "s", kind: "started" });
    const after = ((await test.control.request("/v1/list")).body as { position: number }).position;
    const asked = [
      { target: "busy", until: "attention" },
      { runID, until: "attention" },
      { sessionID: "s", until: "attention" },
      { target: "empty", until: "change", after },
      { target: "empty", until: "idle" },
      { target: "empty", until: "finished" },
      { target: "busy", until: "idle" },
      { target: "busy", until: "finished" },
    ];
    const waits = asked.map((body) => wait(test, { ...body, timeoutMs: null }));
    await held(test, asked.length);
    for (const { surfaceID } of [busy, empty]) {
      await test.control.request(`/v1/surfaces/${surfaceID}`, { method: "DELETE" });
    }
    const answers = await Promise.all(waits);
    assert.deepEqual(answers.map(({ closed }) => closed), [
      ...[true, true, true, true, true, true],
      ...[false, false],
    ]);
    assert.ok(answers.every(({ timedOut }) => !timedOut));
    const late = await wait(test, { target: empty.surfaceID, until: "idle", ...LONG });
    assert.equal(late.closed, true, "also when it is closed already");
  });
});

Deno.test("a pane whose process ends while it is waited for ends the wait", async () => {
  await withServer(async (test) => {
    const process = new Deno.Command("sleep", { args: ["600"] }).spawn();
    await test.openSurface("pane", process.pid);
    const waiting = wait(test, { target: "pane", until: "attention", timeoutMs: null });
    await held(test, 1);
    process.kill("SIGKILL");
    await process.status;
    assert.equal((await waiting).closed, true);
  });
});

Deno.test("a waiter that goes away is forgotten", async () => {
  await withServer(async (test) => {
    assert.equal(holding(test), 0);
    await test.openSurface("pane");
    const body = JSON.stringify({ target: "pane", until: "finished", ...LONG });
    const head = `POST /v1/wait HTTP/1.1\r\nhost: m\r\ncontent-length: ${body.length}\r\n\r\n`;
    const socket = net.connect(test.paths.controlSocket, () => socket.write(head + body));
    await held(test, 1);
    socket.destroy();
    await eventually(() => holding(test) === 0);
  });
});

Deno.test("a stopping server cuts off what it holds: nobody's time is over", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    assert.equal(holding(test), 0);
    await test.openSurface("pane");
    const waits = Promise.allSettled([LONG, { timeoutMs: null }].map((time) => {
      const body = { target: "pane", until: "finished", ...time };
      return request(test.paths.controlSocket, "/v1/wait", { method: "POST", body });
    }));
    await held(test, 2);
    const began = performance.now();
    await test.server.stop();
    const ends = await waits;
    assert.deepEqual(ends.map(({ status }) => status), ["rejected", "rejected"]);
    assert.ok(performance.now() - began < 5_000, "the server does not wait for its waiters");
  });
});

/** The system's clock is set while the server runs, and differs between two starts of it. */

import assert from "node:assert/strict";
import type { PlaceJson } from "../../src/core/view/view_json.ts";
import { SteadyClock } from "../../src/socket/steady_clock.ts";
import {
  envelope,
  exchange,
  startTestServer,
  type TestServer,
  withFolder,
} from "../helpers/daemon.ts";
import { allEvents } from "../helpers/events.ts";

const HOUR = 3_600_000;

/** The wall clock of this process, `by` milliseconds away from the true one. */
async function withClock(by: number, task: () => Promise<void>): Promise<void> {
  const real = Date.now;
  Date.now = () => real() + by;
  try {
    await task();
  } finally {
    Date.now = real;
  }
}

async function shown({ control }: TestServer): Promise<PlaceJson> {
  const { body } = await control.request("/v1/list");
  return (body as { surfaces: PlaceJson[] }).surfaces[0]!;
}

Deno.test("the steady clock never goes back, and goes on from the log's last time", async () => {
  const clock = new SteadyClock(0);
  let last = clock.now();
  for (const by of [-9 * HOUR, 5 * HOUR, -1, 0]) {
    await withClock(by, async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      const now = clock.now();
      assert.ok(now >= last && now < last + HOUR, "neither back nor hours ahead");
      last = now;
    });
  }
  const future = Date.now() + HOUR;
  assert.ok(new SteadyClock(future).now() >= future);
});

Deno.test("jumps of the clock while serving: order, ages and states stay true", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    try {
      const surface = await test.openSurface();
      const runID = { rawValue: crypto.randomUUID() };
      const kinds = ["started", "approval-requested", "running", "approval-requested"];
      for (const [index, kind] of kinds.entries()) {
        await withClock([0, -9 * HOUR, 5 * HOUR, -1 * HOUR][index]!, async () => {
          const occurredAt = new Date(Date.now()).toISOString();
          const line = envelope(surface, { runID, kind, occurredAt });
          assert.match(await exchange(test.paths.eventSocket, line), /"inserted":true/);
          const { state, startedAt, updatedAt } = await shown(test);
          const expected = kind === "approval-requested" ? "waiting-approval" : "running";
          assert.equal(state, expected);
          assert.ok(Date.parse(updatedAt!) >= Date.parse(startedAt!), "no negative age");
        });
      }
      // A finished run is not old because the clock was set: it is idle after its time only.
      await withClock(9 * HOUR, async () => {
        const line = envelope(surface, { runID, kind: "succeeded" });
        assert.match(await exchange(test.paths.eventSocket, line), /"inserted":true/);
        assert.equal((await shown(test)).state, "succeeded");
      });
      await assertOrdered(test);
    } finally {
      await test.server.stop();
    }
  });
});

Deno.test("a clock that is behind at the next start, or far ahead: positions and times go on", async () => {
  await withFolder(async (folder) => {
    let surface: Awaited<ReturnType<TestServer["openSurface"]>> | undefined;
    for (const by of [0, -9 * HOUR, 5 * HOUR, -1 * HOUR]) {
      await withClock(by, async () => {
        const test = await startTestServer({ folder });
        try {
          surface ??= await test.openSurface();
          const occurredAt = new Date(Date.now()).toISOString();
          const line = envelope(surface, { sessionID: `at ${by}`, occurredAt });
          assert.match(await exchange(test.paths.eventSocket, line), /"inserted":true/);
          assert.equal((await shown(test)).state, "running");
          await assertOrdered(test);
        } finally {
          await test.server.stop();
        }
      });
    }
  });
});

async function assertOrdered({ control, server }: TestServer): Promise<void> {
  const positions = (await allEvents(control)).map(({ position }) => position);
  assert.deepEqual(positions, positions.toSorted((a, b) => a - b));
  let last = 0;
  for (const { at } of server.daemon.eventLog.all(() => assert.fail("unreadable"))) {
    assert.ok(at >= last, "times of rows never go back");
    last = at;
  }
}

import assert from "node:assert/strict";
import { envelope, exchange, startTestServer, withFolder, withServer } from "../helpers/daemon.ts";
import { agentEvents, allEvents, assertNoTrace, assertRefused } from "../helpers/events.ts";

const OK = '{"ok":true,"inserted":true}\n';
const REPEATED = '{"ok":true,"inserted":false}\n';

Deno.test("only the surface's own capability speaks for it", async () => {
  await withServer(async (test) => {
    const mine = await test.openSurface("mine");
    const other = await test.openSurface("other");
    const claims = [
      { surfaceID: mine.surfaceID, capability: "" },
      { surfaceID: mine.surfaceID, capability: "guess" },
      { surfaceID: mine.surfaceID, capability: other.capability },
      { surfaceID: mine.surfaceID, capability: mine.capability.toUpperCase() },
      { surfaceID: mine.surfaceID, capability: `${mine.capability} ` },
      { surfaceID: mine.surfaceID, capability: "\ud800" },
      { surfaceID: crypto.randomUUID(), capability: mine.capability },
    ];
    for (const claim of claims) await assertRefused(test, envelope(claim), "unauthorized");
    assert.equal(await exchange(test.paths.eventSocket, envelope(mine)), OK);
    const upper = { ...mine, surfaceID: mine.surfaceID.toUpperCase() };
    assert.equal(await exchange(test.paths.eventSocket, envelope(upper)), OK);
    const [row] = await agentEvents(test.control);
    assert.equal(row!.surfaceID, mine.surfaceID);
    await assertNoTrace(test, [mine.capability, other.capability]);
  });
});

Deno.test("a closed surface's capability is revoked, for a restarted server too", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    const closed = await test.openSurface("closed");
    const open = await test.openSurface("open");
    await test.control.request(`/v1/surfaces/${closed.surfaceID}`, { method: "DELETE" });
    await assertRefused(test, envelope(closed), "unauthorized");
    await test.server.stop();
    const again = await startTestServer({ folder });
    try {
      await assertRefused(again, envelope(closed), "unauthorized");
      assert.equal(await exchange(again.paths.eventSocket, envelope(open)), OK);
      await assertNoTrace(again, [closed.capability, open.capability]);
    } finally {
      await again.server.stop();
    }
  });
});

Deno.test("a wrong schema version is unauthorized, whatever the capability is worth", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    const stranger = { ...surface, capability: "wrong" };
    for (const schemaVersion of [0, 2, -1, 999]) {
      for (const claim of [surface, stranger]) {
        await assertRefused(test, envelope(claim, {}, { schemaVersion }), "unauthorized");
        await assertRefused(test, envelope(claim, { schemaVersion }), "unauthorized");
      }
    }
  });
});

Deno.test("checks come in order: size, then decoding, then versions and authorization", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    const stranger = { ...surface, capability: "wrong" };
    const everything = envelope(stranger, {
      kind: "idle",
      schemaVersion: 2,
      message: "m".repeat(70_000),
    });
    await assertRefused(test, everything, "request-too-large");
    await assertRefused(
      test,
      envelope(stranger, { kind: "idle", schemaVersion: 2 }),
      "invalid-request",
    );
    await assertRefused(test, envelope(stranger, { schemaVersion: 2 }), "unauthorized");
    // A stranger must not learn whether an id is known.
    const id = { rawValue: crypto.randomUUID() };
    assert.equal(await exchange(test.paths.eventSocket, envelope(surface, { id })), OK);
    await assertRefused(test, envelope(stranger, { id }), "unauthorized");
  });
});

Deno.test("a repeated id is acknowledged as not inserted, and its other content changes nothing", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const surface = await openSurface();
    const other = await openSurface("other");
    const id = { rawValue: crypto.randomUUID() };
    const first = envelope(surface, { id, kind: "started", message: "first" });
    assert.equal(await exchange(paths.eventSocket, first), OK);
    const before = { events: await allEvents(control), list: await shown() };
    const repeats = [
      first,
      envelope(surface, { id, kind: "failed", message: "second" }),
      envelope(surface, { id: { rawValue: id.rawValue.toUpperCase() }, kind: "failed" }),
      envelope(other, { id, kind: "approval-requested", provider: "gemini" }),
    ];
    for (const line of repeats) assert.equal(await exchange(paths.eventSocket, line), REPEATED);
    const together = await Promise.all(repeats.map((line) => exchange(paths.eventSocket, line)));
    assert.deepEqual(together, repeats.map(() => REPEATED));
    assert.deepEqual({ events: await allEvents(control), list: await shown() }, before);

    async function shown(): Promise<string> {
      const { body } = await control.request("/v1/list");
      return JSON.stringify(body).replace(/"stateFor":\d+/g, "");
    }
  });
});

Deno.test("of the same new event sent ten times at once exactly one is inserted", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const line = envelope(await openSurface());
    const sent = Array.from({ length: 10 }, () => exchange(paths.eventSocket, line));
    const answers = (await Promise.all(sent)).sort();
    assert.deepEqual(answers, [...Array(9).fill(REPEATED), OK]);
    assert.equal((await agentEvents(control)).length, 1);
  });
});

Deno.test("codex is routed by its session: capability and surface of the envelope do not count", async () => {
  await withServer(async (test) => {
    const { paths, openSurface, control } = test;
    const pane = await openSurface("codex pane");
    const other = await openSurface("other pane");
    const anywhere = { surfaceID: crypto.randomUUID(), capability: "" };
    const codex = { provider: "codex", sessionID: "codex-session" };
    await assertRefused(test, envelope(anywhere, codex), "unauthorized", "no pane yet");
    await assertRefused(test, envelope(pane, codex), "unauthorized", "a capability is no binding");
    await assertRefused(
      test,
      envelope(anywhere, { ...codex, sessionID: null }),
      "unauthorized",
      "no session",
    );
    await assertRefused(test, envelope(anywhere, { ...codex, sessionID: "a\nb" }), "unauthorized");
    await bind("codex-session", pane.surfaceID);
    assert.equal(await exchange(paths.eventSocket, envelope(anywhere, codex)), OK);
    assert.equal(await exchange(paths.eventSocket, envelope(other, codex)), OK);
    const rows = (await agentEvents(control)).filter((row) => row.provider === "codex");
    assert.deepEqual(rows.map((row) => row.surfaceID), [pane.surfaceID, pane.surfaceID]);
    await control.request(`/v1/surfaces/${pane.surfaceID}`, { method: "DELETE" });
    await assertRefused(test, envelope(anywhere, codex), "unauthorized", "the pane is closed");
    await assertNoTrace(test, [pane.capability, other.capability]);

    /** As placement does when a hook of that session comes from that pane. */
    async function bind(sessionID: string, surfaceID: string): Promise<void> {
      await test.server.daemon.mailbox.submit(() => ({
        entries: [{
          type: "session-started",
          id: crypto.randomUUID(),
          provider: "codex",
          sessionID,
          surfaceID,
          occurredAt: Date.now(),
          source: "hook",
          hookName: "SessionStart",
        }],
      }));
    }
  });
});

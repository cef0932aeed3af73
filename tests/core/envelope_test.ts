/** The event envelope: what is taken, what is made of it, and what is refused. */

import assert from "node:assert/strict";
import { WIRE_KINDS } from "../../src/core/log/event.ts";
import { isoMillis } from "../../src/core/wire/date.ts";
import { decodeEnvelope } from "../../src/core/wire/envelope.ts";

const ID = "0d2cf3c4-9f0e-4f0e-8c53-2b0a8c1f2b11";
const RUN = "1d2cf3c4-9f0e-4f0e-8c53-2b0a8c1f2b11";
const SURFACE = "2d2cf3c4-9f0e-4f0e-8c53-2b0a8c1f2b11";

function line(event: object = {}, outer: object = {}): string {
  return JSON.stringify({
    schemaVersion: 1,
    capability: "secret",
    event: {
      schemaVersion: 1,
      id: { rawValue: ID },
      runID: { rawValue: RUN },
      surfaceID: { rawValue: SURFACE },
      provider: "claude-code",
      kind: "started",
      occurredAt: "2026-11-30T12:00:00Z",
      ...event,
    },
    ...outer,
  });
}

function decoded(event: object = {}, outer: object = {}) {
  const result = decodeEnvelope(line(event, outer));
  assert.ok(result.ok, JSON.stringify(event));
  return result.envelope;
}

Deno.test("the least envelope, and one with everything", () => {
  const nothing = { message: null, hookName: null, toolUseID: null, toolName: null };
  const least = {
    type: "agent-event",
    id: ID,
    runID: RUN,
    provider: "claude-code",
    kind: "started",
    occurredAt: Date.UTC(2026, 10, 30, 12),
    source: "envelope",
    sessionID: null,
    surfaceID: SURFACE,
    ...nothing,
  };
  assert.deepEqual(decoded(), { capability: "secret", event: least });
  assert.deepEqual(decoded({ ...nothing, sessionID: null, extra: {} }, { more: 1 }).event, least);
  const all = {
    sessionID: "S",
    message: "hi",
    hookName: "Stop",
    toolUseID: "t1",
    toolName: "Bash",
  };
  assert.deepEqual(decoded(all).event, { ...least, ...all });
});

Deno.test("every kind of the protocol is taken; idle is not one", () => {
  for (const kind of WIRE_KINDS) assert.equal(decoded({ kind }).event.kind, kind);
  for (const kind of ["idle", "unknown", "Started", "waiting-input", "", null, 1]) {
    assert.deepEqual(decodeEnvelope(line({ kind })), { ok: false, error: "invalid-request" });
  }
});

Deno.test("ids are read in either case", () => {
  const event = decoded({ id: { rawValue: ID.toUpperCase() } }).event;
  assert.equal(event.id, ID);
});

Deno.test("what is malformed is an invalid request", () => {
  const events: object[] = [
    { id: ID },
    { id: { rawValue: "x" } },
    { id: null },
    { runID: { rawValue: 7 } },
    { surfaceID: undefined },
    { provider: "Claude" },
    { provider: "" },
    { provider: "a".repeat(65) },
    { provider: "a b" },
    { provider: null },
    { occurredAt: "yesterday" },
    { occurredAt: 1_700_000_000_000 },
    { occurredAt: undefined },
    { message: 7 },
    { sessionID: 7 },
    { toolName: ["Bash"] },
    { schemaVersion: "1" },
    { schemaVersion: 1.5 },
    { schemaVersion: undefined },
    { hookName: "mytty.startupSweep" },
    { hookName: "mytty." },
    { hookName: "\u0000mytty.runSuperseded" },
    { hookName: "my\u001btty.x" },
  ];
  for (const event of events) {
    const answer = decodeEnvelope(line(event));
    assert.deepEqual(answer, { ok: false, error: "invalid-request" }, JSON.stringify(event));
  }
  const outers: object[] = [
    { capability: undefined },
    { capability: null },
    { capability: 7 },
    { schemaVersion: undefined },
    { schemaVersion: "1" },
    { event: null },
    { event: [] },
  ];
  for (const outer of outers) {
    const answer = decodeEnvelope(line({}, outer));
    assert.deepEqual(answer, { ok: false, error: "invalid-request" }, JSON.stringify(outer));
  }
  for (const text of ["", "{", "null", "[]", "7", '"x"', "{}", "\u0000", line() + "x"]) {
    assert.deepEqual(decodeEnvelope(text), { ok: false, error: "invalid-request" }, text);
  }
});

Deno.test("another schema version is unauthorized, but only when all else is right", () => {
  for (const [event, outer] of [[{ schemaVersion: 2 }, {}], [{}, { schemaVersion: 0 }]] as const) {
    assert.deepEqual(decodeEnvelope(line(event, outer)), { ok: false, error: "unauthorized" });
    const bad = decodeEnvelope(line({ ...event, kind: "nope" }, outer));
    assert.deepEqual(bad, { ok: false, error: "invalid-request" });
  }
});

Deno.test("texts are bounded and well-formed; a bad session id counts as none", () => {
  const { event } = decoded({
    sessionID: "a\nb",
    message: `${"x".repeat(1_999)}\u{1f600}`,
    toolUseID: `\u0007${"i".repeat(300)}`,
    toolName: `${"t".repeat(127)}é`,
    hookName: "h".repeat(200),
  });
  assert.equal(event.sessionID, null);
  assert.equal(event.message, "x".repeat(1_999));
  assert.equal(event.toolUseID, "i".repeat(256));
  assert.equal(event.toolName, "t".repeat(127));
  assert.equal(event.hookName, "h".repeat(128));
  assert.equal(decoded({ message: "" }).event.message, null);
  assert.equal(decoded({ toolName: "\u0000" }).event.toolName, null);
  const lone = decodeEnvelope(line({ message: "@" }).replace("@", "\\ud83d"));
  assert.ok(lone.ok && lone.envelope.event.message === "\ufffd");
});

Deno.test("a capability may be empty, for agents that are told by session", () => {
  assert.equal(decoded({}, { capability: "" }).capability, "");
});

Deno.test("dates as ISO 8601 allows them", () => {
  const noon = Date.UTC(2026, 10, 30, 12, 0, 0);
  const cases: [string, number | null][] = [
    ["2026-11-30T12:00:00Z", noon],
    ["2026-11-30t12:00:00z", noon],
    ["2026-11-30T12:00Z", noon],
    ["2026-11-30T12:00:00.5Z", noon + 500],
    ["2026-11-30T12:00:00,25Z", noon + 250],
    ["2026-11-30T12:00:00.123456789Z", noon + 123],
    ["2026-11-30T12:00:00.999999999Z", noon + 999],
    ["2026-11-30T14:00:00+02:00", noon],
    ["2026-11-30T06:30:00-0530", noon],
    ["2026-11-30T14:00:00+02", noon],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
    ["0099-01-01T00:00:00Z", null],
    ["2026-02-29T00:00:00Z", null],
    ["2026-13-01T00:00:00Z", null],
    ["2026-00-10T00:00:00Z", null],
    ["2026-11-31T00:00:00Z", null],
    ["2026-11-30T24:00:00Z", null],
    ["2026-11-30T12:60:00Z", null],
    ["2026-11-30T12:00:60Z", null],
    ["2026-11-30T12:00:00", null],
    ["2026-11-30T12:00:00.Z", null],
    ["2026-11-30T12:00:00+25:00", null],
    ["2026-11-30T12:00:00+02:75", null],
    ["2026-11-30", null],
    ["20261130T120000Z", null],
    [" 2026-11-30T12:00:00Z", null],
    ["2026-11-30T12:00:00Z\n", null],
    ["", null],
  ];
  for (const [text, millis] of cases) assert.equal(isoMillis(text), millis, text);
});

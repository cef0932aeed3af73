import assert from "node:assert/strict";
import { WIRE_KINDS } from "../../src/core/log/event.ts";
import { envelope, type EventFields, exchange, withServer } from "../helpers/daemon.ts";
import { agentEvents, assertNoTrace, assertRefused } from "../helpers/events.ts";

const OK = '{"ok":true,"inserted":true}\n';
const ID = { rawValue: "6F9619FF-8B86-D011-B42D-00C04FC964FF" };

Deno.test("JSON that is no envelope object is an invalid request", async () => {
  await withServer(async (test) => {
    const { capability } = await test.openSurface();
    const lines = [
      "[]",
      "[1,2]",
      '"text"',
      "42",
      "null",
      "true",
      "{}",
      "{",
      '{"event":}',
      "not json",
      '{"schemaVersion":1}',
      "[[[[[[",
      "[".repeat(60_000),
      '{"a":'.repeat(10_000),
      `{"schemaVersion":1,"capability":"${capability}"}`,
      `{"schemaVersion":1,"capability":"${capability}","event":null}`,
      `{"schemaVersion":1,"capability":"${capability}","event":[]}`,
      `{"schemaVersion":1,"capability":"${capability}","event":"started"}`,
    ];
    for (const line of lines) {
      await assertRefused(test, `${line}\n`, "invalid-request", line.slice(0, 60));
    }
    await assertNoTrace(test, [capability]);
  });
});

/** Fields of the event that must be there, with values that none of them may have. */
const BAD_EVENT_FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  schemaVersion: [undefined, null, "1", 1.5, true, [1], {}, 1e300],
  id: [
    undefined,
    null,
    7,
    ID.rawValue,
    {},
    { rawValue: null },
    { rawValue: "" },
    {
      rawValue: "6f9619ff8b86d011b42d00c04fc964ff",
    },
    { rawValue: `{${ID.rawValue}}` },
    { rawValue: `${ID.rawValue} ` },
    { rawvalue: ID.rawValue },
  ],
  runID: [undefined, null, "run", [], { rawValue: 1 }, { rawValue: "not-a-uuid" }],
  surfaceID: [undefined, null, "pane", {}, { rawValue: "g".repeat(36) }],
  provider: [undefined, null, 1, {}, "", "Claude", "a b", "a_b", "é", "a".repeat(65), "a\n"],
  kind: [undefined, null, 1, "", "idle", "Started", "done", "started ", "toString", "__proto__"],
  occurredAt: [undefined, null, 1_700_000_000, "", "yesterday", "2026-01-02", {}],
  sessionID: [1, true, {}, ["s"]],
  message: [1, false, {}, ["m"]],
  hookName: [
    1,
    {},
    [],
    "mytty.",
    "mytty.startupSweep",
    "mytty.runSuperseded",
    "\u0000mytty.x",
    "my\u0007tty.x",
  ],
  toolUseID: [1, {}, []],
  toolName: [1, {}, []],
};

Deno.test("every field that is missing, of another type or of a bad value is an invalid request", async (t) => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    for (const [field, values] of Object.entries(BAD_EVENT_FIELDS)) {
      await t.step(`event.${field}`, async () => {
        for (const value of values) {
          const line = envelope(surface, { [field]: value });
          await assertRefused(test, line, "invalid-request", JSON.stringify(value));
        }
      });
    }
    await t.step("schemaVersion and capability", async () => {
      for (const schemaVersion of [undefined, null, "1", 1.5, {}]) {
        await assertRefused(test, envelope(surface, {}, { schemaVersion }), "invalid-request");
      }
      for (const capability of [undefined, null, 1, {}, [surface.capability]]) {
        await assertRefused(test, envelope(surface, {}, { capability }), "invalid-request");
      }
    });
    assert.deepEqual(await agentEvents(test.control), []);
    await assertNoTrace(test, [surface.capability]);
  });
});

Deno.test("the seven wire kinds are accepted, and idle is not one of them", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    assert.deepEqual([...WIRE_KINDS], [
      "started",
      "running",
      "input-requested",
      "approval-requested",
      "succeeded",
      "failed",
      "disconnected",
    ]);
    for (const kind of WIRE_KINDS) {
      assert.equal(await exchange(test.paths.eventSocket, envelope(surface, { kind })), OK, kind);
    }
    await assertRefused(test, envelope(surface, { kind: "idle" }), "invalid-request");
    const rows = await agentEvents(test.control);
    assert.deepEqual(rows.map(({ kind }) => kind), [...WIRE_KINDS]);
  });
});

Deno.test("optional fields may be absent or null, and unknown keys are ignored anywhere", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const surface = await openSurface();
    const none = {
      sessionID: null,
      message: null,
      hookName: null,
      toolUseID: null,
      toolName: null,
    };
    const absent = Object.fromEntries(Object.keys(none).map((key) => [key, undefined]));
    const unknown = {
      id: { rawValue: crypto.randomUUID(), more: 1 },
      extra: { deep: [1, { kind: "idle" }] },
      constructor: "x",
    };
    for (const fields of [none, absent, unknown] as EventFields[]) {
      const line = envelope(surface, fields, { future: true, toString: null });
      assert.equal(await exchange(paths.eventSocket, line), OK);
    }
    const [first, second] = await agentEvents(control);
    for (const row of [first!, second!]) {
      const { sessionID, message, hookName, toolName } = row;
      assert.deepEqual([sessionID, message, hookName, toolName], [null, null, null, null]);
    }
  });
});

Deno.test("a byte order mark, spaces and a carriage return around the envelope do no harm", async () => {
  await withServer(async ({ paths, openSurface }) => {
    const line = envelope(await openSurface()).trimEnd();
    for (const text of [`${line}\r\n`, `  ${line}\t\n`]) {
      const answer = await exchange(paths.eventSocket, text);
      assert.match(answer, /^\{"ok":true,"inserted":(true|false)\}\n$/);
    }
    assert.match(await exchange(paths.eventSocket, `\ufeff${line}\n`), /"ok":true/);
  });
});

const DATES: readonly (readonly [text: string, meant: string])[] = [
  ["2026-03-04T05:06:07Z", "2026-03-04T05:06:07.000Z"],
  ["2026-03-04T05:06:07.5Z", "2026-03-04T05:06:07.500Z"],
  ["2026-03-04T05:06:07.123456789Z", "2026-03-04T05:06:07.123Z"],
  ["2026-03-04T05:06:07,25Z", "2026-03-04T05:06:07.250Z"],
  ["2026-03-04T05:06:07+02:00", "2026-03-04T03:06:07.000Z"],
  ["2026-03-04T05:06:07.9-0930", "2026-03-04T14:36:07.900Z"],
  ["2026-03-04T05:06:07+05:45", "2026-03-03T23:21:07.000Z"],
  ["2026-03-04T05:06:07-08", "2026-03-04T13:06:07.000Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
  ["1969-12-31T23:59:59Z", "1969-12-31T23:59:59.000Z"],
];

const BAD_DATES = [
  "2026-02-30T00:00:00Z",
  "2025-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-01-32T00:00:00Z",
  "2026-01-00T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T10:60:00Z",
  "2026-01-01T10:00:61Z",
  "2026-01-01T10:00:00",
  "2026-01-01T10:00:00+25:00",
  "2026-01-01T10:00:00+01:60",
  "2026-01-01T10:00:00+01:",
  "2026-01-01T10:00:00 Z",
  "2026-1-1T10:00:00Z",
  "20260101T100000Z",
  "Thu, 01 Jan 2026 10:00:00 GMT",
  "1767261600",
  "2026-01-01T10:00:00.Z",
  "+12026-01-01T10:00:00Z",
  "2026-01-01T10:00:00Z\n",
  "9999-12-31T23:59:59-01:00",
  "0000-01-01T00:00:00Z",
];

Deno.test("dates are ISO 8601 with a zone: fractions and offsets count, impossible days do not", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    for (const [occurredAt] of DATES) {
      const line = envelope(surface, { occurredAt });
      assert.equal(await exchange(test.paths.eventSocket, line), OK, occurredAt);
    }
    for (const occurredAt of BAD_DATES) {
      await assertRefused(test, envelope(surface, { occurredAt }), "invalid-request", occurredAt);
    }
    const rows = await agentEvents(test.control);
    assert.deepEqual(rows.map((row) => row.occurredAt), DATES.map(([, meant]) => meant));
  });
});

/** What is stored of a field when `value` is sent. */
async function stored(field: "message" | "toolName" | "sessionID" | "hookName", values: string[]) {
  const found: (string | null)[] = [];
  await withServer(async ({ paths, openSurface, control }) => {
    const surface = await openSurface();
    for (const value of values) {
      assert.equal(await exchange(paths.eventSocket, envelope(surface, { [field]: value })), OK);
    }
    found.push(...(await agentEvents(control)).map((row) => row[field]));
  });
  return found;
}

Deno.test("a message over 2,000 characters is cut, never inside a character", async () => {
  const long = "a".repeat(1_999);
  const [exact, cut, emoji, lone, escape] = await stored("message", [
    "x".repeat(2_000),
    "x".repeat(2_001),
    `${long}🙂🙂`,
    "before \ud83d after",
    "\u001b[31mred\u0007\n$(touch pwned)",
  ]);
  assert.equal(exact!.length, 2_000);
  assert.equal(cut!.length, 2_000);
  assert.equal(emoji, long);
  assert.equal(lone, "before \ufffd after");
  // Kept as data: it is made harmless where it is shown.
  assert.equal(escape, "\u001b[31mred\u0007\n$(touch pwned)");
});

Deno.test("invalid UTF-8 is stored well-formed", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const line = envelope(await openSurface(), { message: "broken: X" });
    const bytes = new TextEncoder().encode(line);
    bytes[bytes.indexOf(0x58)] = 0xff;
    assert.equal(await exchange(paths.eventSocket, bytes), OK);
    const [row] = await agentEvents(control);
    assert.ok(row!.message!.isWellFormed());
    assert.equal(row!.message, "broken: \ufffd");
  });
});

Deno.test("tool and hook names lose control characters and are cut at a character", async () => {
  const names = await stored("toolName", [
    "Ba\u0000sh\u001b[0m\u009b\u007f\n",
    "t".repeat(129),
    "é".repeat(65),
    "🙂".repeat(33),
    "\u0001",
    "x\ud800",
  ]);
  assert.deepEqual(names, [
    "Bash[0m",
    "t".repeat(128),
    "é".repeat(64),
    "🙂".repeat(32),
    null,
    "x\ufffd",
  ]);
  assert.deepEqual(await stored("hookName", ["Stop\u0007", "myttyx", "Mytty.own", " mytty."]), [
    "Stop",
    "myttyx",
    "Mytty.own",
    " mytty.",
  ]);
});

Deno.test("the tool use id is stripped of control characters and cut to 256 bytes", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    for (const toolUseID of ["id\u0000\u001b-1", "é".repeat(200)]) {
      const line = envelope(surface, { toolUseID });
      assert.equal(await exchange(test.paths.eventSocket, line), OK);
    }
    const ids = [...test.server.daemon.eventLog.all(() => {})].flatMap(({ entry }) =>
      entry.type === "agent-event" && entry.source === "envelope" ? [entry.toolUseID] : []
    );
    assert.deepEqual(ids, ["id-1", "é".repeat(128)]);
  });
});

Deno.test("a session id is kept whole or treated as null", async () => {
  const kept = ["s", "x".repeat(256), "é".repeat(128), "with spaces / and : signs"];
  const dropped = ["", "x".repeat(257), "é".repeat(129), "a\nb", "a\u0000", "\u009b", "a\ud800"];
  assert.deepEqual(await stored("sessionID", [...kept, ...dropped]), [
    ...kept,
    ...dropped.map(() => null),
  ]);
});

Deno.test("a provider is stored by its id: aliases become it, strangers stay themselves", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const surface = await openSurface();
    const words = ["claude", "claude-code", "my-agent-2", "a", "-", "9".repeat(64), "constructor"];
    for (const provider of words) {
      assert.equal(await exchange(paths.eventSocket, envelope(surface, { provider })), OK);
    }
    const rows = await agentEvents(control);
    assert.deepEqual(rows.map((row) => row.provider), ["claude-code", ...words.slice(1)]);
  });
});

/** The transition table of the design (section 4), every state with every kind, early and late. */

import assert from "node:assert/strict";
import type { AgentEvent, EventKind, RunState } from "../../src/core/log/event.ts";
import { REASONS } from "../../src/core/log/reduce_run.ts";
import { Log, PANE, reasonOf, uuid } from "./log.ts";

/** How a run comes into each state; what it last said, or its end, occurred at 20. */
const WAYS: Readonly<Record<RunState, readonly [EventKind, number][]>> = {
  unknown: [],
  idle: [["started", 10], ["idle", 20]],
  running: [["started", 10], ["running", 20]],
  "waiting-input": [["started", 10], ["input-requested", 20]],
  "waiting-approval": [["started", 10], ["approval-requested", 20]],
  succeeded: [["started", 10], ["succeeded", 20]],
  failed: [["started", 10], ["failed", 20]],
  disconnected: [["started", 10], ["disconnected", 20]],
};

const TIMES = {
  later: { occurredAt: 30 },
  equal: { occurredAt: 20 },
  early: { occurredAt: 15 },
  undated: { occurredAt: 30, undated: true },
} as const;

type Expected = RunState | { readonly [time in keyof typeof TIMES]: RunState };

/** After an end only what occurred later counts; a start also when it has no time. */
function after(state: RunState, ended: RunState, start = false): Expected {
  return {
    later: state,
    equal: start ? state : ended,
    early: ended,
    undated: start ? state : ended,
  };
}

function ended(state: RunState): Record<EventKind, Expected> {
  return {
    started: after("running", state, true),
    running: after("running", state),
    "input-requested": after("waiting-input", state),
    "approval-requested": after("waiting-approval", state),
    succeeded: after("succeeded", state),
    failed: after("failed", state),
    disconnected: state,
    idle: state,
  };
}

function live(over: Partial<Record<EventKind, RunState>> = {}): Record<EventKind, Expected> {
  return {
    started: "running",
    running: "running",
    "input-requested": "waiting-input",
    "approval-requested": "waiting-approval",
    succeeded: "succeeded",
    failed: "failed",
    disconnected: "disconnected",
    idle: "idle",
    ...over,
  };
}

const TABLE: Readonly<Record<RunState, Readonly<Record<EventKind, Expected>>>> = {
  unknown: live(),
  running: live(),
  "waiting-input": live(),
  "waiting-approval": live({ "input-requested": "waiting-approval" }),
  // An interrupted run has not said how it ended, so its process may still be lost.
  idle: { ...ended("idle"), disconnected: after("disconnected", "idle", true) },
  succeeded: ended("succeeded"),
  failed: ended("failed"),
  disconnected: ended("disconnected"),
};

function inState(state: RunState): Log {
  const log = new Log(PANE);
  for (const [kind, at] of WAYS[state]) log.event(kind, at, { toolUseID: `first ${kind}` });
  return log;
}

for (const [state, row] of Object.entries(TABLE) as [RunState, typeof TABLE[RunState]][]) {
  Deno.test(`a run that is ${state}, told each kind of event, early, late and undated`, () => {
    for (const [kind, expected] of Object.entries(row) as [EventKind, Expected][]) {
      for (const [time, fields] of Object.entries(TIMES) as [keyof typeof TIMES, object][]) {
        const log = inState(state);
        // A bare `running`; requests of another call.
        const toolUseID = kind.endsWith("requested") ? "second" : null;
        log.event(kind, 40, { ...fields, toolUseID });
        const wanted = typeof expected === "string" ? expected : expected[time];
        assert.equal(log.run().state, wanted, `${kind}, ${time}`);
      }
    }
  });
}

Deno.test("what changes nothing stays in the log with its reason", () => {
  const cases: [RunState, EventKind, Partial<AgentEvent>, string][] = [
    ["succeeded", "running", { occurredAt: 15 }, REASONS.beforeEnd],
    ["succeeded", "running", { occurredAt: 20 }, REASONS.beforeEnd],
    ["failed", "approval-requested", { occurredAt: 15 }, REASONS.beforeEnd],
    ["succeeded", "started", { occurredAt: 15 }, REASONS.beforeEnd],
    ["idle", "disconnected", { occurredAt: 15 }, REASONS.beforeEnd],
    ["disconnected", "running", { occurredAt: 99, undated: true }, REASONS.undated],
    ["succeeded", "disconnected", { occurredAt: 99 }, REASONS.alreadyEnded],
    ["failed", "disconnected", { occurredAt: 99 }, REASONS.alreadyEnded],
    ["failed", "idle", { occurredAt: 99 }, REASONS.alreadyEnded],
    ["waiting-approval", "approval-requested", {
      occurredAt: 30,
      toolUseID: "first approval-requested",
    }, REASONS.stillAsked],
    ["running", "running", { provider: "codex" }, REASONS.otherProvider],
    ["running", "running", { sessionID: "T" }, REASONS.otherSession],
    ["running", "running", { surfaceID: uuid("b"), source: "envelope" }, REASONS.otherSurface],
  ];
  for (const [state, kind, fields, reason] of cases) {
    const log = inState(state);
    const before = log.run();
    const told = log.event(kind, 40, fields);
    assert.equal(reasonOf(told), reason, `${state} ${kind}`);
    const { endedAt: _, ...after } = log.run();
    const { endedAt: _before, ...unchanged } = before;
    assert.deepEqual(after, unchanged, `${state} ${kind}: the run is as it was`);
    assert.equal(told.length, 1, "and nothing follows");
    assert.equal(log.rows.at(-1)!.entry, told[0]!.row.entry);
  }
});

Deno.test("a run whose end or question is told first is taken as it is, and marked", () => {
  for (const kind of ["input-requested", "approval-requested", "succeeded", "failed"] as const) {
    const log = new Log(PANE);
    log.event(kind, 5);
    const run = log.run();
    assert.equal(run.startSeen, false, kind);
    assert.equal(run.startedAt, null, kind);
    assert.notEqual(run.state, "unknown", kind);
  }
  const log = new Log(PANE);
  log.event("running", 5);
  assert.equal(log.run().startSeen, false);
  log.event("started", 6);
  assert.deepEqual([log.run().startSeen, log.run().startedAt], [true, 6]);
});

Deno.test("a start in a turn that goes on (a queued prompt) keeps its beginning, a new one does not", () => {
  const log = new Log(PANE);
  log.event("started", 10);
  log.event("started", 20);
  assert.equal(log.run().startedAt, 10);
  log.event("succeeded", 30);
  log.event("started", 40);
  assert.deepEqual([log.run().state, log.run().startedAt, log.run().endedAt], [
    "running",
    40,
    null,
  ]);
  log.event("failed", 50);
  assert.equal(log.run().state, "failed");
});

Deno.test("a run that ended is not waiting, whatever it had asked", () => {
  for (const end of ["succeeded", "failed", "disconnected", "idle"] as const) {
    const log = new Log(PANE);
    log.event("started", 1);
    log.event("approval-requested", 2, { toolUseID: "a" });
    log.event("input-requested", 3, { toolUseID: "b" });
    log.event(end, 4);
    assert.deepEqual([log.run().state, log.run().requests], [end, []], end);
    assert.ok(
      log.items().filter((item) => item.kind.endsWith("request"))
        .every((item) => item.resolvedAt === 4),
      end,
    );
  }
});

Deno.test("a turn that goes on after its end (another hook blocked it) asks again", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("succeeded", 10);
  log.event("approval-requested", 11, { toolUseID: "a" });
  assert.equal(log.run().state, "waiting-approval");
  log.event("failed", 12);
  log.event("succeeded", 13);
  assert.equal(log.run().state, "succeeded");
});

Deno.test("a second end changes nothing, but makes late what occurred before it", () => {
  for (const second of ["disconnected", "idle"] as const) {
    const log = new Log(PANE);
    log.event("started", 1);
    log.event("succeeded", 10);
    assert.equal(reasonOf(log.event(second, 20)), REASONS.alreadyEnded);
    log.event("approval-requested", 21, { occurredAt: 15 });
    assert.deepEqual([log.run().state, log.items()], ["succeeded", []], second);
    log.event("approval-requested", 22, { occurredAt: 21 });
    assert.equal(log.run().state, "waiting-approval");
  }
});

Deno.test("times of a run never run backwards, though the clock was set back", () => {
  const log = new Log(PANE);
  log.event("started", 1_000);
  log.event("running", 1_010, { occurredAt: 5 });
  assert.deepEqual([log.run().startedAt, log.run().updatedAt], [1_000, 1_000]);
  log.event("succeeded", 1_020, { occurredAt: 6 });
  assert.equal(log.run().state, "succeeded");
  assert.ok(log.run().updatedAt >= log.run().startedAt!);
  log.event("started", 1_030, { occurredAt: 7 });
  assert.deepEqual([log.run().startedAt, log.run().updatedAt], [7, 7]);
});

Deno.test("message and tool stay while the state does, and go with it", () => {
  const log = new Log(PANE);
  log.event("started", 1, { message: "fix it" });
  log.event("running", 2);
  assert.equal(log.run().message, "fix it");
  log.event("running", 3, { toolName: "Bash" });
  assert.deepEqual([log.run().message, log.run().toolName], ["fix it", "Bash"]);
  log.event("approval-requested", 4, { message: "rm -rf x", toolName: "Bash" });
  assert.equal(log.run().message, "rm -rf x");
  log.event("succeeded", 5);
  assert.deepEqual([log.run().message, log.run().toolName], [null, null]);
});

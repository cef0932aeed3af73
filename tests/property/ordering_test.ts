/** No order in which a run's events arrive can leave it waiting, or at work, after its end. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { type AgentEvent, isLive, isWaiting } from "../../src/core/log/event.ts";
import { event, Log, PANE, uuid } from "../core/log.ts";

const END = 100;

function some<T>(...values: T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

/** Anything that a run says before its end; earlier ends too, and mere reminders. */
const before = fc.record({
  kind: some(
    "started" as const,
    "running" as const,
    "input-requested" as const,
    "approval-requested" as const,
    "succeeded" as const,
    "failed" as const,
    "idle" as const,
  ),
  occurredAt: fc.integer({ min: 0, max: END - 1 }),
  toolUseID: some(null, "a", "b"),
  more: some<Partial<AgentEvent>>({}, {}, { weak: true }, { settles: "none" }, {
    background: true,
  }, { late: true }),
}).map(({ more, ...fields }) => ({ ...fields, ...more }));

/** The same without a time, which only says that it is no new start. */
const undated = before.filter(({ kind }) => kind !== "started")
  .map((fields) => ({ ...fields, undated: true as const, occurredAt: END + 50 }));

const end = fc.record({
  kind: some("succeeded" as const, "failed" as const, "disconnected" as const, "idle" as const),
  occurredAt: fc.constant(END),
});

type Fields = Partial<AgentEvent> & Pick<AgentEvent, "kind">;

function shuffled(...parts: readonly (readonly Fields[])[]): fc.Arbitrary<Fields[]> {
  const all = parts.flat();
  return fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length });
}

const run: fc.Arbitrary<Fields[]> = fc.tuple(fc.array(before, { maxLength: 12 }), end)
  .map(([earlier, last]) => [...earlier, last]);

function arrive(log: Log, all: readonly Fields[]): void {
  all.forEach(({ kind, ...fields }, index) => log.tell(event(kind, fields), 1_000 + index));
}

const RUNS = { numRuns: 1_000 };

Deno.test("whatever the order, a run is over when its end is the last thing that occurred", () => {
  fc.assert(
    fc.property(run.chain((events) => shuffled(events)), (order) => {
      const log = new Log(PANE);
      arrive(log, order);
      assert.ok(!isLive(log.run().state), log.run().state);
      assert.deepEqual(log.openItems().filter((item) => item.kind.endsWith("request")), []);
      assert.ok(!isLive(log.view(2_000).state));
    }),
    RUNS,
  );
});

Deno.test("events without a time do not change that once the end was told", () => {
  fc.assert(
    fc.property(
      run.chain((events) => shuffled(events)),
      fc.array(undated, { maxLength: 5 }),
      (order, later) => {
        const log = new Log(PANE);
        arrive(log, [...order, ...later]);
        assert.ok(!isLive(log.run().state), log.run().state);
      },
    ),
    RUNS,
  );
});

Deno.test("nor do starts of other turns that supersede it, whenever they are told", () => {
  const start = fc.record({
    kind: fc.constant("started" as const),
    occurredAt: fc.integer({ min: 0, max: 2 * END }),
    runID: some("second", "third").map(uuid),
    more: some<Partial<AgentEvent>>({}, { continuation: true }),
  }).map(({ more, ...fields }) => ({ ...fields, ...more }));
  const others = fc.array(start, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.tuple(run, others).chain((all) => shuffled(...all)), (order) => {
      const log = new Log(PANE);
      arrive(log, order);
      assert.ok(!isWaiting(log.run().state), log.run().state);
      assert.ok(!isLive(log.run().state), log.run().state);
      const live = [...log.state.runs.values()].filter((each) => isLive(each.state));
      assert.ok(live.length <= 1, "one active run per session");
    }),
    RUNS,
  );
});

Deno.test("the same for the end of a session", () => {
  const sessionEnd = some("closed" as const, "lost" as const);
  fc.assert(
    fc.property(
      fc.array(before, { minLength: 1, maxLength: 10 }),
      fc.nat(),
      sessionEnd,
      (events, cut, reason) => {
        const log = new Log(PANE);
        // A prompt told after the end of its session is news unless it is known to be late.
        const late = events.map((fields) => ({ ...fields, late: true as const }));
        const at = 1 + cut % events.length;
        arrive(log, late.slice(0, at));
        log.tell({
          type: "session-ended",
          id: uuid("end"),
          provider: "claude-code",
          sessionID: "S",
          occurredAt: END,
          source: "hook",
          hookName: null,
          reason,
        }, 1_500);
        arrive(log, late.slice(at));
        assert.ok(!isLive(log.run().state), log.run().state);
      },
    ),
    RUNS,
  );
});

Deno.test("a sub-agent whose events are told in any order does not outlive its parent's success", () => {
  const child = { runID: uuid("child"), parentRunID: uuid("run") };
  const asChild = (events: readonly Fields[]) => events.map((fields) => ({ ...fields, ...child }));
  const parent: Fields[] = [{ kind: "started", occurredAt: 0 }, {
    kind: "succeeded",
    occurredAt: END,
  }];
  fc.assert(
    fc.property(
      fc.array(before, { maxLength: 8 }).chain((events) => shuffled(asChild(events), parent)),
      (order) => {
        const log = new Log(PANE);
        arrive(log, order);
        const live = [...log.state.runs.values()].filter((each) => isLive(each.state));
        assert.deepEqual(live, []);
        assert.ok(!isLive(log.view(2_000).state));
      },
    ),
    RUNS,
  );
});

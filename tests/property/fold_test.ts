/** Laws of the fold: total, deterministic, in step with its indexes, equal to the replay of its log. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { isOpenItem, listedItems } from "../../src/core/log/attention.ts";
import { isLive, isWaiting } from "../../src/core/log/event.ts";
import { Journal, JournaledMap } from "../../src/core/log/journal.ts";
import { placeState } from "../../src/core/view/place_state.ts";
import { reduce, replay } from "../../src/core/log/reduce.ts";
import { forget, prunable, RETENTION_MS } from "../../src/core/log/retention.ts";
import { snapshotOf, stateOf } from "../../src/core/log/snapshot.ts";
import { initialState, placeKey, type State } from "../../src/core/log/state.ts";
import { sweepCandidates, sweepEvent } from "../../src/core/log/sweep.ts";
import { surfaceViews, unplacedViews } from "../../src/core/view/view.ts";
import { attentionJson, placeJson } from "../../src/core/view/view_json.ts";
import { isWaitOver, WAIT_CONDITIONS } from "../../src/core/view/wait.ts";
import { Log, snapshot } from "../core/log.ts";
import { remaining, visible } from "../core/retention_view.ts";
import { settledSteps, type Step, steps, wildSteps } from "./arbitraries.ts";

const RUNS = { numRuns: 300 };

function tellAll(log: Log, all: readonly Step[]): Log {
  let at = log.state.at;
  for (const { entry, after } of all) log.tell(entry, at += after);
  return log;
}

/** What must be true of any state, however it came about. */
function assertConsistent(state: State): void {
  const live = [...state.runs.values()].filter((run) => isLive(run.state));
  const indexed = [...state.live].flatMap(([place, ids]) => ids.map((id) => `${place} ${id}`));
  assert.deepEqual(indexed.sort(), live.map((run) => `${placeKey(run)} ${run.runID}`).sort());
  for (const run of state.runs.values()) {
    assert.equal(isWaiting(run.state), run.requests.length > 0, "waiting means asked");
    assert.equal(isLive(run.state), run.endedAt === null, "live means not ended");
    assert.ok(run.startedAt === null || run.updatedAt >= run.startedAt);
    assert.ok(run.workSince === null || run.workSince <= state.at);
    for (const id of run.itemIDs) {
      const item = state.items.get(id)!;
      assert.equal(item.runID, run.runID);
      const isAsked = run.requests.some(({ key, kind }) =>
        key === item.key && item.kind.startsWith(kind)
      );
      if (item.kind.endsWith("request")) assert.equal(item.resolvedAt === null, isAsked, item.kind);
    }
    const asked = run.itemIDs.map((id) => state.items.get(id)!).filter(isOpenItem);
    const keys = asked.filter((item) => item.kind.endsWith("request")).map((item) => item.key);
    assert.equal(new Set(keys).size, keys.length, "one open item for one request");
  }
  for (const surface of state.surfaces.values()) {
    const hash = surface.capabilityHash!;
    assert.equal(state.capabilities.has(hash), surface.closedAt === null, "revoked when closed");
  }
}

/** Since when a place has been in its state is remembered at every change. */
function assertPlaces(state: State): void {
  for (const [place, since] of state.places) {
    assert.equal(since.state, placeState(state, place).state, `remembered state of ${place}`);
  }
}

Deno.test("the state of a place is remembered whatever changed it", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const log = new Log();
      let at = 0;
      for (const { entry, after } of all) {
        log.tell(entry, at += after);
        assertPlaces(log.state);
      }
    }),
    RUNS,
  );
});

Deno.test("no well-typed entry makes the fold throw or leaves its indexes out of step", () => {
  fc.assert(
    fc.property(wildSteps, (all) => {
      const log = new Log();
      let at = 0;
      for (const { entry, after } of all) {
        log.tell(entry, at += after);
        assertConsistent(log.state);
      }
    }),
    RUNS,
  );
});

Deno.test("replaying the log, as text reads back, gives the same state", () => {
  fc.assert(
    fc.property(wildSteps, (all) => {
      const log = tellAll(new Log(), all);
      const rows = JSON.parse(JSON.stringify(log.rows));
      assert.deepEqual(snapshot(replay(initialState(), rows)), snapshot(log.state));
    }),
    RUNS,
  );
});

Deno.test("replaying part of the log and then the rest is the same too", () => {
  fc.assert(
    fc.property(steps, fc.nat(), (all, cut) => {
      const { rows, state } = tellAll(new Log(), all);
      const at = cut % (rows.length + 1);
      const half = replay(initialState(), rows.slice(0, at));
      assert.deepEqual(snapshot(replay(half, rows.slice(at))), snapshot(state));
    }),
    RUNS,
  );
});

Deno.test("a snapshot, as text reads back, is the fold of its rows, and what follows is the same", () => {
  fc.assert(
    fc.property(wildSteps, fc.nat(), (all, cut) => {
      const { rows, state } = tellAll(new Log(), all);
      const at = cut % (rows.length + 1);
      const half = replay(initialState(), rows.slice(0, at));
      const kept = stateOf(JSON.parse(JSON.stringify(snapshotOf(half))));
      assert.ok(kept !== null);
      assert.deepEqual(snapshotOf(kept), snapshotOf(half));
      assertConsistent(replay(kept, rows.slice(at)));
      assert.deepEqual(snapshotOf(kept), snapshotOf(state));
    }),
    RUNS,
  );
});

Deno.test("what is no snapshot gives no state", () => {
  const good = JSON.parse(JSON.stringify(snapshotOf(tellAll(new Log(), []).state)));
  assert.ok(stateOf(good) !== null);
  for (const name of Object.keys(good)) {
    const { [name]: _, ...rest } = good;
    for (const damage of [rest, { ...good, [name]: null }, { ...good, [name]: [["a"]] }]) {
      assert.equal(stateOf(damage), null, name);
    }
  }
  for (const value of [null, 1, "", [], {}]) assert.equal(stateOf(value), null);
});

Deno.test("no view, wait or list of any state throws or shows a negative time", () => {
  fc.assert(
    fc.property(wildSteps, fc.integer({ min: 0, max: 3_000_000 }), (all, now) => {
      const { state } = tellAll(new Log(), all);
      for (const view of [...surfaceViews(state, { now }), ...unplacedViews(state, { now })]) {
        const json = placeJson(view, now);
        assert.ok(json.stateFor >= 0);
        assert.deepEqual(json, JSON.parse(JSON.stringify(json)));
        const target = { place: view.place, runID: null, session: null };
        for (const until of WAIT_CONDITIONS) isWaitOver(state, { target, until, after: 0 });
      }
      for (const item of listedItems(state, now)) {
        const json = attentionJson(item);
        assert.ok(json.resolvedAt === null || json.resolvedAt >= json.createdAt);
      }
    }),
    RUNS,
  );
});

Deno.test("nothing that is rolled back leaves a trace, wherever the batch was cut", () => {
  fc.assert(
    fc.property(wildSteps, fc.nat(), fc.boolean(), (all, cut, prune) => {
      const at = cut % (all.length + 1);
      const log = tellAll(new Log(), all.slice(0, at));
      const { state } = log;
      const before = structuredClone(snapshot(state));
      const { position, at: time } = state;
      state.journal.begin();
      tellAll(log, all.slice(at));
      if (prune) forget(state, prunable(state, { now: 9e15 }));
      state.journal.rollback();
      Object.assign(state, { position, at: time });
      assert.deepEqual(snapshot(state), before);
    }),
    RUNS,
  );
});

Deno.test("a journaled map rolls back exactly, and forgets how once committed", () => {
  const change = fc.tuple(fc.integer({ min: 0, max: 5 }), fc.option(fc.nat()));
  fc.assert(
    fc.property(fc.array(change), fc.array(change), (kept, undone) => {
      const journal = new Journal();
      const map = new JournaledMap<number, number>(journal);
      const apply = ([key, value]: [number, number | null]) =>
        value === null ? map.delete(key) : map.set(key, value);
      journal.begin();
      kept.forEach(apply);
      journal.commit();
      journal.rollback();
      const before = new Map(map);
      journal.begin();
      undone.forEach(apply);
      journal.rollback();
      assert.deepEqual(new Map(map), before);
    }),
  );
});

/**
 * Without what a session's own rows may say anew: one that only forgotten runs had told of is not
 * known to its end.
 */
function kept(state: State): unknown {
  const { views: _, sessions, ...rest } = visible(state);
  return { ...rest, sessions: sessions.map(([key]) => key) };
}

Deno.test("forgetting keeps what is open or alive, and leaves the fold of the remaining log", () => {
  fc.assert(
    fc.property(settledSteps, fc.integer({ min: 0, max: 5_000_000 }), (all, age) => {
      const { state, rows } = tellAll(new Log(), all);
      const now = RETENTION_MS + age;
      const open = [...state.items.values()].filter(isOpenItem).map((item) => item.id);
      const live = [...state.live.values()].flat();
      const gone = prunable(state, { now });
      forget(state, gone);
      for (const id of open) assert.ok(state.items.has(id), "an item nobody has seen");
      for (const id of live) assert.ok(state.runs.has(id), "a live run");
      assertConsistent(state);
      const folded = replay(initialState(), remaining(rows, gone));
      assert.deepEqual(kept(state), kept(folded));
    }),
    RUNS,
  );
});

Deno.test("after a sweep without living processes nothing lives, and a second one says nothing", () => {
  fc.assert(
    fc.property(wildSteps, (all) => {
      const log = tellAll(new Log(), all);
      const sweep = () =>
        sweepCandidates(log.state).flatMap(({ run }) =>
          log.tell(sweepEvent(log.state.runs.get(run.runID)!, 50), 9_000_000)
        );
      sweep();
      assert.deepEqual([...log.state.live.values()].flat(), []);
      assertConsistent(log.state);
      assert.deepEqual(sweep(), []);
    }),
    RUNS,
  );
});

Deno.test("an entry that is not applied changes nothing that can be seen", () => {
  fc.assert(
    fc.property(wildSteps, (all) => {
      const state = initialState();
      all.forEach(({ entry }, index) => {
        const before = visible(state);
        const { applied, changes, followUps } = reduce(state, {
          position: index + 1,
          at: 0,
          entry,
        });
        if (applied) return;
        assert.deepEqual([changes, followUps], [[], []]);
        assert.deepEqual(visible(state), before);
      });
    }),
    RUNS,
  );
});

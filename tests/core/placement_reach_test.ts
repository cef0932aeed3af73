/** Placement at its edges: twins of one process, other machines, agents inside a shared process. */

import assert from "node:assert/strict";
import { sha256Hex } from "../../src/core/ids.ts";
import { needingPlaces } from "../../src/core/view/next_place.ts";
import { originOf } from "../../src/core/placement/origin.ts";
import { placeHook, type PlacementEvidence } from "../../src/core/placement/placement.ts";
import { processID } from "../../src/core/process/process.ts";
import type { PlaceJson } from "../../src/core/view/view_json.ts";
import { fakeRow } from "../fixtures/processes/rows.ts";
import { closed, event, Log, opened, PANE, snapshot, uuid } from "./log.ts";
import { initialState } from "../../src/core/log/state.ts";
import { replay } from "../../src/core/log/reduce.ts";

const SHELL = fakeRow({ pid: 100, ppid: 1, sid: 100 });
const AGENT = fakeRow({ pid: 200, ppid: 100, sid: 100, comm: "claude" });

function evidence(fields: Partial<PlacementEvidence> = {}): PlacementEvidence {
  return {
    provider: "claude-code",
    sessionID: "S",
    backgroundJob: false,
    claim: null,
    chain: [AGENT, SHELL],
    agent: AGENT,
    shared: false,
    outer: null,
    paneKey: null,
    ...fields,
  };
}

Deno.test("of two surfaces that one process leads, the capability chooses, and only of these", () => {
  const log = new Log();
  const root = processID(SHELL);
  log.tell(opened(PANE, { root, capabilityHash: sha256Hex("a") }), 0);
  log.tell(opened(uuid("twin"), { root, capabilityHash: sha256Hex("b") }), 0);
  log.tell(opened(uuid("other"), { capabilityHash: sha256Hex("c") }), 0);
  const claim = (surfaceID: string, capability: string) =>
    placeHook(log.state, evidence({ claim: { surfaceID, capability } }));
  assert.equal(claim(uuid("twin"), "b").surfaceID, uuid("twin"));
  const foreign = claim(uuid("other"), "c");
  assert.deepEqual([foreign.surfaceID, foreign.why], [
    null,
    "more than one surface is led by the same process",
  ]);
});

Deno.test("a surface that somebody opened counts before one that was adopted", () => {
  const log = new Log();
  log.tell(placeHook(log.state, evidence()).opens!, 0);
  log.tell(opened(PANE, { root: processID(SHELL) }), 1);
  assert.equal(placeHook(log.state, evidence()).surfaceID, PANE);
});

Deno.test("an agent inside a shared process belongs to the session that it names", () => {
  const log = new Log(PANE);
  const outerSession = { provider: "codex", sessionID: "T" };
  const inner = evidence({ chain: [AGENT], outerSession });
  const lost = placeHook(log.state, inner);
  assert.deepEqual([lost.surfaceID, lost.opens], [null, null]);
  assert.match(lost.why ?? "", /no pane/);
  log.tell(event("started", { provider: "codex", sessionID: "T", runID: uuid("turn") }), 1);
  const found = placeHook(log.state, inner);
  assert.deepEqual([found.surfaceID, found.parentRunID, found.rule], [
    PANE,
    uuid("turn"),
    "parent-session",
  ]);
});

Deno.test("the indexes follow panes and sessions, through a rollback too", () => {
  const log = new Log();
  const root = processID(SHELL);
  log.state.journal.begin();
  log.tell(opened(PANE, { root }), 0);
  log.event("started", 1, { process: processID(AGENT) });
  assert.deepEqual([log.state.roots.size, log.state.agents.size, log.state.residents.size], [
    1,
    1,
    1,
  ]);
  log.state.journal.rollback();
  assert.deepEqual([log.state.roots.size, log.state.agents.size, log.state.residents.size], [
    0,
    0,
    0,
  ]);
  const again = new Log();
  again.tell(opened(PANE, { root }), 0);
  again.event("started", 1, { process: processID(AGENT) });
  again.tell(closed(PANE, "gone"), 2);
  assert.deepEqual([again.state.roots.size, again.state.agents.size, again.state.residents.size], [
    0,
    0,
    0,
  ]);
  assert.deepEqual(snapshot(replay(initialState(), again.rows)), snapshot(again.state));
});

Deno.test("why a session is where it is stays known, a move is news", () => {
  const log = new Log(PANE);
  const rule = () => log.view(0).session?.placement?.rule;
  log.event("started", 1, { placement: { rule: "adopted" } });
  log.event("running", 2, { placement: { rule: "session" } });
  assert.equal(rule(), "adopted");
  log.event("running", 3, { placement: { rule: "process" }, host: "box" });
  assert.deepEqual([rule(), log.view(0).session?.host], ["process", "box"]);
});

Deno.test("another machine or container is told by what it says, unless the process is ours", () => {
  const here = { hostname: "desk.example.org", hasAgent: false };
  const cases: [Record<string, string>, boolean, string | null][] = [
    [{}, false, null],
    [{ HOSTNAME: "desk" }, false, null],
    [{ HOSTNAME: "DESK.local" }, false, null],
    [{ HOSTNAME: "4f1c9a7be2d0" }, false, "4f1c9a7be2d0"],
    [{ HOSTNAME: "4f1c9a7be2d0" }, true, null],
    [{ MYTTY_ORIGIN: "box", HOSTNAME: "desk" }, true, "box"],
  ];
  for (const [env, hasAgent, host] of cases) {
    const origin = originOf(env, { ...here, hasAgent });
    assert.deepEqual(origin, { host, isRelayed: false }, JSON.stringify(env));
  }
  assert.equal(originOf({ MYTTY_RELAY: "1", MYTTY_ORIGIN: "b" }, here).isRelayed, true);
});

Deno.test("what needs you comes by urgency, then by how long it has waited", () => {
  const place = (surfaceID: string, state: string, stateFor: number, items = 1) =>
    ({ surfaceID, state, stateFor, attention: Array(items).fill({}) }) as unknown as PlaceJson;
  const places = [
    place("idle", "idle", 9, 0),
    place("done", "succeeded", 9),
    place("asks", "waiting-input", 1),
    place("new", "waiting-approval", 1),
    place("old", "waiting-approval", 5, 0),
    place("works", "running", 9, 0),
    place("broke", "failed", 2),
  ];
  assert.deepEqual(needingPlaces(places).map(({ surfaceID }) => surfaceID), [
    "old",
    "new",
    "asks",
    "broke",
    "done",
  ]);
});

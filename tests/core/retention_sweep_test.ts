/** Forgetting what is old, and ending what an earlier server left running. */

import assert from "node:assert/strict";
import { isLive } from "../../src/core/log/event.ts";
import { replay } from "../../src/core/log/reduce.ts";
import { forget, type Prunable, prunable, RETENTION_MS } from "../../src/core/log/retention.ts";
import { initialState } from "../../src/core/log/state.ts";
import { sweepCandidates, sweepEvent } from "../../src/core/log/sweep.ts";
import {
  Agent,
  closed,
  HOUR,
  Log,
  MINUTE,
  PANE,
  sessionEnded,
  sessionStarted,
  uuid,
} from "./log.ts";
import { remaining, visible } from "./retention_view.ts";

const DAY = 24 * HOUR;
const B = uuid("b");

function prune(log: Log, now: number): Prunable {
  const gone = prunable(log.state, { now });
  forget(log.state, gone);
  log.rows.splice(0, log.rows.length, ...remaining(log.rows, gone));
  const folded = replay(initialState(), log.rows);
  assert.deepEqual(visible(log.state), visible(folded));
  return gone;
}

function forgotten({ runIDs, sessionKeys, surfaceIDs }: Prunable): string[] {
  return [...runIDs, ...sessionKeys, ...surfaceIDs];
}

Deno.test("a finished run is forgotten once it is older than the retention time", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("succeeded", 2);
  assert.deepEqual(prune(log, 2 + RETENTION_MS).runIDs, []);
  assert.deepEqual(prune(log, 3 + RETENTION_MS).runIDs, [uuid("run")]);
  assert.deepEqual([log.state.runs.size, log.state.latest.size, log.items()], [0, 0, []]);
});

Deno.test("live runs are never forgotten, however old", () => {
  const log = new Log(PANE, B);
  log.event("started", 1);
  log.event("approval-requested", 2, { runID: B, surfaceID: B, sessionID: "B" });
  assert.deepEqual(forgotten(prune(log, 99 * RETENTION_MS)), []);
});

Deno.test("what was rejected because its session was over does not come back without the session", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.tell(sessionEnded("S", 2), 2);
  log.event("approval-requested", 2, { runID: B, parentRunID: uuid("run"), occurredAt: 1 });
  assert.deepEqual(log.items(), []);
  prune(log, 9 * DAY);
  assert.deepEqual([log.items(), log.state.runs.size], [[], 0]);
});

Deno.test("a run with an item that nobody has seen is kept until somebody has", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("failed", 2);
  const [item] = log.items();
  assert.deepEqual(prune(log, 9 * DAY).runIDs, []);
  log.tell({ type: "acknowledged", id: uuid("ack"), itemIDs: [item!.id] }, 9 * DAY);
  assert.deepEqual(prune(log, 9 * DAY).runIDs, [uuid("run")]);
});

Deno.test("after the newest run is forgotten the older one with an open item is the latest again", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("failed", 2);
  log.event("started", 3, { runID: uuid("second") });
  log.event("succeeded", 4, { runID: uuid("second") });
  assert.deepEqual(prune(log, 9 * DAY).runIDs, [uuid("second")]);
  assert.equal(log.view(9 * DAY).run!.runID, uuid("run"));
  assert.equal(log.view(9 * DAY).attention.length, 1);
});

Deno.test("a completion that a person has not seen survives the turn it went on with", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S" });
  const tasks = [{ type: "subagent", status: "running" }];
  claude.hook("UserPromptSubmit", { prompt_id: "p1", prompt: "x" }, { at: 0 });
  claude.hook("Stop", { prompt_id: "p1", background_tasks: tasks }, { at: 4 * MINUTE });
  const notice = { prompt_id: "p2", prompt: "<task-notification>" };
  claude.hook("UserPromptSubmit", notice, { at: 4 * MINUTE + 1 });
  claude.hook("Stop", { prompt_id: "p2" }, { at: 6 * MINUTE });
  const gone = prune(log, 9 * DAY);
  assert.equal(gone.runIDs.length, 1);
  const restarted = replay(initialState(), log.rows);
  assert.deepEqual([...restarted.items.keys()], [...log.state.items.keys()]);
  assert.equal(restarted.items.size, 1);
});

Deno.test("an announced session in an open pane is kept without its runs, in a closed one it goes", () => {
  const log = new Log(PANE);
  log.tell(sessionStarted("S", 1), 1);
  log.event("started", 2);
  log.event("succeeded", 3);
  assert.deepEqual(prune(log, 9 * DAY).sessionKeys, []);
  assert.equal(log.view(9 * DAY).state, "idle");
  log.tell(closed(PANE, "closed"), 9 * DAY);
  const gone = prune(log, 17 * DAY);
  assert.deepEqual([gone.sessionKeys, gone.surfaceIDs], [["claude-code S"], [PANE]]);
  const { journal: _, position: _p, at: _a, ...maps } = log.state;
  for (const [name, map] of Object.entries(maps)) assert.equal(map.size, 0, name);
});

Deno.test("an ended session is forgotten with its last run; a closed pane once nothing of it is left", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("failed", 2);
  log.tell(sessionEnded("S", 3), 3);
  log.tell(closed(PANE, "gone"), 4);
  assert.deepEqual(forgotten(prune(log, 9 * DAY)), []);
  log.tell({ type: "acknowledged", id: uuid("a"), itemIDs: [log.items()[0]!.id] }, 9 * DAY);
  const gone = prune(log, 9 * DAY);
  assert.deepEqual([gone.runIDs.length, gone.sessionKeys.length, gone.surfaceIDs.length], [
    1,
    1,
    1,
  ]);
});

Deno.test("nothing of a run without pane and session is left behind", () => {
  const log = new Log();
  log.event("started", 1, { surfaceID: null, sessionID: null });
  log.event("succeeded", 2, { surfaceID: null, sessionID: null });
  prune(log, 9 * DAY);
  assert.deepEqual([log.state.runs.size, log.state.places.size], [0, 0]);
});

const P1 = { pid: 10, startTime: "100" };

function sweep(log: Log, isAlive: (pid: number, startTime: string) => boolean, at: number): void {
  for (const { run, process } of sweepCandidates(log.state)) {
    if (process !== null && isAlive(process.pid, process.startTime)) continue;
    log.tell(sweepEvent(run, at), at);
  }
}

Deno.test("what is still live at start-up and has no living process is lost, once", () => {
  const log = new Log(PANE);
  log.event("started", 1, { process: P1 });
  log.event("approval-requested", 2, { toolUseID: "a" });
  sweep(log, () => false, 10);
  assert.equal(log.run().state, "disconnected");
  assert.deepEqual(log.openItems().map((item) => item.kind), ["disconnect"]);
  const { entry } = log.rows.at(-1)!;
  assert.ok(entry.type === "agent-event" && entry.hookName === "mytty.startupSweep");
  const rows = log.rows.length;
  sweep(log, () => false, 20);
  assert.equal(log.rows.length, rows);
});

Deno.test("a sweep that is cut short and begun anew appends no second row", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  const { run } = sweepCandidates(log.state)[0]!;
  assert.equal(sweepEvent(run, 5).id, sweepEvent(run, 99).id, "the id does not depend on the time");
  log.event("running", 6);
  assert.notEqual(
    sweepEvent(log.run(), 5).id,
    sweepEvent(run, 5).id,
    "it does on what was last told",
  );
});

Deno.test("a run whose very process lives is spared; the same pid started later is another", () => {
  for (const [alive, state] of [["100", "running"], ["999", "disconnected"]] as const) {
    const log = new Log(PANE);
    log.event("started", 1, { process: P1 });
    sweep(log, (pid, startTime) => pid === 10 && startTime === alive, 10);
    assert.equal(log.run().state, state, alive);
  }
});

Deno.test("session and pane vouch for a run that has no process of its own", () => {
  const root = { pid: 7, startTime: "70" };
  const log = new Log();
  log.tell({ ...openedWith(root) }, 0);
  log.event("started", 1, { sessionID: null });
  assert.deepEqual(sweepCandidates(log.state)[0]!.process, root);
  const session = new Log(PANE);
  session.tell(sessionStarted("S", 1, { process: P1 }), 1);
  session.event("started", 2);
  assert.deepEqual(sweepCandidates(session.state)[0]!.process, P1);
  const nobody = new Log(PANE);
  nobody.event("started", 1);
  assert.equal(sweepCandidates(nobody.state)[0]!.process, null);
});

function openedWith(root: { pid: number; startTime: string }) {
  const nothing = { capabilityHash: null, label: null, cwd: null, tty: null, multiplexer: null };
  return {
    type: "surface-opened",
    id: uuid("open"),
    surfaceID: PANE,
    adopted: false,
    root,
    ...nothing,
  } as const;
}

Deno.test("the sweep leaves no sub-agent and no nested agent running", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: "p" });
  claude.hook("UserPromptSubmit", { prompt: "x" }, { at: 1 });
  claude.hook("SubagentStart", { agent_id: "a" }, { at: 2 });
  const nested = new Agent(log, "codex", { session_id: "C", turn_id: "t" });
  nested.hook("UserPromptSubmit", { prompt: "y" }, { at: 3, parentRunID: claude.runs[0]!.runID });
  sweep(log, () => false, 10);
  assert.deepEqual(claude.runs.filter((run) => isLive(run.state)), []);
  assert.equal(log.openItems().length, 1, "only the parent's loss is news");
});

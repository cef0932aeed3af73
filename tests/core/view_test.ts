/** What `list` shows of a pane at a given time. */

import assert from "node:assert/strict";
import {
  IDLE_AFTER_MS,
  isActive,
  placeView,
  surfaceViews,
  unplacedViews,
} from "../../src/core/view/view.ts";
import { placeJson } from "../../src/core/view/view_json.ts";
import { closed, HOUR, Log, PANE, sessionEnded, sessionStarted, uuid } from "./log.ts";

const B = uuid("b");

Deno.test("a pane in which nothing was heard of is unknown", () => {
  const log = new Log(PANE);
  const view = log.view(5);
  assert.deepEqual([view.state, view.run, view.session, view.stateAt], ["unknown", null, null, 0]);
  assert.equal(isActive(view), false);
});

Deno.test("of several agents in a pane the most urgent speaks, of equals the last", () => {
  const log = new Log(PANE);
  const other = (word: string) => ({ runID: uuid(word), sessionID: word, provider: word });
  log.event("started", 1, other("a"));
  log.event("started", 2, other("b"));
  log.event("started", 3, other("c"));
  assert.equal(log.view(3).run!.provider, "c");
  log.event("input-requested", 4, other("a"));
  assert.deepEqual([log.view(4).state, log.view(4).run!.provider], ["waiting-input", "a"]);
  log.event("approval-requested", 5, other("b"));
  assert.deepEqual([log.view(5).state, log.view(5).run!.provider], ["waiting-approval", "b"]);
  log.event("running", 6, other("c"));
  assert.equal(log.view(6).run!.provider, "b");
  log.event("failed", 7, other("b"));
  log.event("running", 8, other("a"));
  assert.deepEqual([log.view(8).state, log.view(8).run!.provider], ["running", "a"]);
});

Deno.test("an end is shown until it has been quiet for the idle time, to the millisecond", () => {
  for (const end of ["succeeded", "failed", "disconnected"] as const) {
    const log = new Log(PANE);
    log.event("started", 1);
    log.event(end, 100);
    assert.equal(log.view(100 + IDLE_AFTER_MS - 1).state, end);
    assert.equal(log.view(100 + IDLE_AFTER_MS).state, "idle");
    const soon = (now: number) => placeView(log.state, PANE, { now, idleAfter: 10 }).state;
    assert.deepEqual([soon(109), soon(110)], [end, "idle"]);
  }
});

Deno.test("nothing that is alive ever becomes quiet", () => {
  for (const kind of ["started", "input-requested", "approval-requested"] as const) {
    const log = new Log(PANE);
    log.event(kind, 1);
    assert.equal(log.view(999 * HOUR).state, log.run().state, kind);
  }
});

Deno.test("a session that is over is idle, a death stays to be seen", () => {
  for (const end of ["succeeded", "failed"] as const) {
    const log = new Log(PANE);
    log.event("started", 1);
    log.event(end, 2);
    assert.equal(isActive(log.view(2)), true);
    log.tell(sessionEnded("S", 3), 3);
    assert.deepEqual([log.view(3).state, isActive(log.view(3))], ["idle", false], end);
    assert.equal(log.view(3).attention.length, end === "failed" ? 1 : 0, "its items remain");
  }
  const log = new Log(PANE);
  log.event("started", 1);
  log.tell(sessionEnded("S", 3, { reason: "lost" }), 3);
  assert.deepEqual([log.view(4).state, isActive(log.view(4))], ["disconnected", false]);
  assert.equal(log.view(3 + IDLE_AFTER_MS).state, "idle");
});

Deno.test("time since the state began counts from its change, not from the last event", () => {
  const log = new Log(PANE);
  log.event("started", 10);
  log.event("running", 50);
  const { stateAt, statePosition } = log.view(60);
  assert.deepEqual([stateAt, statePosition], [10, 2]);
  log.event("approval-requested", 70, { toolUseID: "a" });
  log.event("approval-requested", 80, { toolUseID: "b" });
  log.event("running", 90, { toolUseID: "a" });
  assert.equal(log.view(99).stateAt, 70);
});

Deno.test("open panes are listed in order of opening, closed ones are not", () => {
  const log = new Log(PANE, B);
  const places = () => surfaceViews(log.state, { now: 9 }).map((view) => view.place);
  assert.deepEqual(places(), [PANE, B]);
  log.tell(closed(PANE, "closed"), 3);
  assert.deepEqual(places(), [B]);
});

Deno.test("a pane whose command ended badly is listed until that was seen, one that is gone is not", () => {
  for (const [reason, rows] of [["ended", ["failed"]], ["gone", []]] as const) {
    const log = new Log(PANE);
    const listed = () => surfaceViews(log.state, { now: 9 }).map((view) => view.state);
    log.event("started", 1);
    log.event("failed", 2, { hookName: "mytty.native.commandFinished", source: "process" });
    log.tell(closed(PANE, reason), 3);
    assert.deepEqual(listed(), rows);
    const itemIDs = log.openItems().map((item) => item.id);
    assert.equal(itemIDs.length, 1);
    log.tell({ type: "acknowledged", id: uuid(`ack ${reason}`), itemIDs }, 4);
    assert.deepEqual(listed(), []);
  }
  const well = new Log(PANE);
  well.event("started", 1);
  well.event("succeeded", 2);
  well.tell(closed(PANE, "ended"), 3);
  assert.deepEqual(surfaceViews(well.state, { now: 9 }), []);
});

Deno.test("a session without a pane is listed while it is open or fresh", () => {
  const log = new Log(PANE);
  const list = (now: number) => unplacedViews(log.state, { now }).map((view) => view.state);
  log.tell(sessionStarted("S", 1, { surfaceID: null }), 1);
  assert.deepEqual(list(HOUR), ["idle"]);
  log.event("started", 2, { surfaceID: null });
  assert.deepEqual(list(9 * HOUR), ["running"]);
  log.tell(sessionEnded("S", 10, { reason: "lost" }), 10);
  assert.deepEqual(list(10 + IDLE_AFTER_MS - 1), ["disconnected"]);
  assert.deepEqual(list(10 + IDLE_AFTER_MS), []);
});

Deno.test("a run with neither pane nor session is listed by itself", () => {
  const log = new Log();
  log.event("started", 1, { surfaceID: null, sessionID: null });
  log.event("started", 2, { surfaceID: null, sessionID: null, runID: uuid("second") });
  const views = unplacedViews(log.state, { now: 3 });
  assert.deepEqual(views.map((view) => [view.state, view.run!.runID]), [
    ["running", uuid("run")],
    ["running", uuid("second")],
  ]);
});

Deno.test("a late end of an earlier turn does not hide the turn that is running", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("started", 2, { runID: uuid("second") });
  log.event("failed", 3);
  assert.deepEqual([log.view(3).state, log.view(3).run!.runID], ["running", uuid("second")]);
  log.event("succeeded", 4, { runID: uuid("second") });
  assert.deepEqual([log.view(4).state, log.view(4).run!.runID], ["succeeded", uuid("second")]);
});

Deno.test("the JSON has no negative ages and no impossible dates", () => {
  const log = new Log(PANE);
  log.event("started", 100, { occurredAt: 9e15 });
  const json = placeJson(log.view(50), 50);
  assert.equal(json.stateFor, 0);
  assert.equal(json.startedAt, "1970-01-01T00:00:00.000Z");
  assert.equal(json.state, "running");
});

Deno.test("what has no session speaks for its pane when it is the newest there", () => {
  const log = new Log(PANE);
  const bare = { runID: B, sessionID: null, provider: "other" };
  log.event("started", 1);
  log.event("succeeded", 2);
  log.event("started", 3, bare);
  log.event("failed", 4, { ...bare, message: "Exit status 3" });
  const { state, run, session } = log.view(5);
  assert.deepEqual([state, run!.provider, session], ["failed", "other", null]);
  log.tell(sessionStarted("S", 6), 6);
  assert.deepEqual([log.view(6).run!.provider, log.view(6).session!.sessionID], [
    "claude-code",
    "S",
  ]);
});

Deno.test("a waiting row says what is asked first, whatever else goes on", () => {
  const log = new Log(PANE);
  const words = () => {
    const { message, toolName } = placeJson(log.view(9), 9);
    return [toolName, message];
  };
  log.event("started", 1, { message: "go" });
  assert.deepEqual(words(), [null, "go"]);
  const ask = (toolUseID: string, toolName: string, message: string) =>
    log.event("approval-requested", 2, { toolUseID, toolName, message });
  log.event("input-requested", 2, { toolUseID: "q", message: "Which colour?" });
  ask("a", "Bash", "rm x");
  ask("b", "Edit", "main.ts");
  log.event("running", 3, { toolUseID: "c", toolName: "Read", message: "read" });
  assert.deepEqual(words(), ["Bash", "rm x"]);
  log.event("running", 4, { toolUseID: "a", toolName: "Bash" });
  assert.deepEqual(words(), ["Edit", "main.ts"]);
  log.event("running", 5, { toolUseID: "b", toolName: "Edit" });
  assert.deepEqual(words(), [null, "Which colour?"]);
  log.event("running", 6, { toolUseID: "q", message: "going on" });
  assert.deepEqual(words(), [null, "going on"]);
});

Deno.test("a sub-agent's request is what the row of its parent says", () => {
  const log = new Log(PANE);
  log.event("started", 1, { message: "go" });
  const child = { runID: B, parentRunID: uuid("run") };
  log.event("running", 2, child);
  log.event("approval-requested", 3, { ...child, toolName: "Bash", message: "rm y" });
  const row = placeJson(log.view(4), 4);
  assert.deepEqual([row.state, row.toolName, row.message], ["waiting-approval", "Bash", "rm y"]);
  assert.deepEqual(row.children.map(({ message }) => message), ["rm y"]);
});

/** What a person is told to look at: which events make an item, and what closes it. */

import assert from "node:assert/strict";
import { isOpenItem, listedItems } from "../../src/core/log/attention.ts";
import { Agent, closed, HOUR, Log, MINUTE, PANE, reasonOf, uuid } from "./log.ts";

Deno.test("items come from applied events and have their ids", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  const approval = log.event("approval-requested", 2, { toolUseID: "a", message: "rm x" });
  const input = log.event("input-requested", 3, { toolUseID: "q" });
  const failure = log.event("failed", 4, { message: "boom" });
  assert.deepEqual(
    log.items().map((item) => [item.id, item.kind, item.createdAt, item.message]),
    [
      [approval[0]!.row.entry.id, "approval-request", 2, "rm x"],
      [input[0]!.row.entry.id, "input-request", 3, null],
      [failure[0]!.row.entry.id, "failure", 4, "boom"],
    ],
  );
  const [item] = log.items();
  assert.deepEqual(
    [item!.surfaceID, item!.runID, item!.sessionID, item!.provider, item!.child],
    [PANE, uuid("run"), "S", "claude-code", false],
  );
});

Deno.test("an event that changes nothing makes no item", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("succeeded", 10);
  assert.notEqual(reasonOf(log.event("approval-requested", 11, { occurredAt: 9 })), null);
  assert.notEqual(reasonOf(log.event("failed", 12, { occurredAt: 9 })), null);
  assert.notEqual(reasonOf(log.event("disconnected", 13)), null);
  assert.deepEqual(log.items(), []);
});

Deno.test("an interrupt makes no item, a lost run does", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("idle", 9 * MINUTE);
  assert.deepEqual(log.items(), []);
  log.event("started", 10 * MINUTE);
  log.event("disconnected", 11 * MINUTE);
  assert.deepEqual(log.openItems().map((item) => item.kind), ["disconnect"]);
});

Deno.test("a success is news only after five minutes of work", () => {
  for (const [worked, count] of [[5 * MINUTE - 1, 0], [5 * MINUTE, 1]] as const) {
    const log = new Log(PANE);
    log.event("started", 1_000);
    log.event("succeeded", 1_000 + worked);
    assert.equal(log.items().length, count, String(worked));
  }
});

Deno.test("five minutes are counted by the log's steady time, not by a clock that was set", () => {
  const forward = new Log(PANE);
  forward.event("started", 0, { occurredAt: 0 });
  forward.event("succeeded", MINUTE, { occurredAt: HOUR });
  assert.deepEqual(forward.items(), []);
  const back = new Log(PANE);
  back.event("started", HOUR, { occurredAt: HOUR });
  back.event("succeeded", HOUR + 6 * MINUTE, { occurredAt: 5 });
  assert.equal(back.items().length, 1);
});

Deno.test("waiting belongs to the work, a new start begins anew", () => {
  const log = new Log(PANE);
  log.event("started", 0);
  log.event("approval-requested", MINUTE, { toolUseID: "a" });
  log.event("running", 6 * MINUTE);
  log.event("succeeded", 6 * MINUTE + 1);
  assert.equal(log.openItems().length, 1);
  log.event("started", 7 * MINUTE);
  assert.deepEqual(log.openItems(), [], "the completion of before is no news any more");
  log.event("succeeded", 8 * MINUTE);
  assert.deepEqual(log.openItems(), []);
});

Deno.test("spooled events are judged by what their senders said", () => {
  const late = { late: true } as const;
  const long = new Log(PANE);
  long.event("started", HOUR, { occurredAt: 0, ...late });
  long.event("succeeded", HOUR + 1, { occurredAt: 6 * MINUTE, ...late });
  assert.equal(long.items().length, 1);
  const short = new Log(PANE);
  short.event("started", HOUR, { occurredAt: 0, ...late });
  short.event("succeeded", HOUR + 9 * MINUTE, { occurredAt: MINUTE, ...late });
  assert.deepEqual(short.items(), []);
  const startless = new Log(PANE);
  startless.event("succeeded", HOUR, { occurredAt: MINUTE, ...late });
  assert.deepEqual(startless.items(), []);
  assert.equal(short.run().late, true);
});

Deno.test("an answered request is resolved; asked once more in the turn it is the same item", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("approval-requested", 2, { toolUseID: "a" });
  log.event("running", 3, { toolUseID: "a" });
  assert.equal(log.items()[0]!.resolvedAt, 3);
  log.event("approval-requested", 4, { toolUseID: "a" });
  assert.equal(log.items().length, 1);
  assert.ok(isOpenItem(log.items()[0]!));
});

Deno.test("a request that was acknowledged and is asked anew is open again, for a guess it is not", () => {
  for (const weak of [false, true]) {
    const log = new Log(PANE);
    const ask = { requestKey: "k", ...(weak ? { weak: true as const } : {}) };
    log.event("started", 1);
    log.event("approval-requested", 2, ask);
    log.tell({ type: "acknowledged", id: uuid("ack"), itemIDs: [log.items()[0]!.id] }, 3);
    assert.deepEqual(log.openItems(), []);
    assert.equal(log.run().state, "waiting-approval", "seen is not answered");
    log.event("running", 4);
    log.event("approval-requested", 5, ask);
    assert.equal(log.openItems().length, weak ? 0 : 1);
  }
});

Deno.test("an item is acknowledged once; unknown ids are no error", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("failed", 2);
  const itemIDs = [log.items()[0]!.id, uuid("nothing")];
  assert.equal(reasonOf(log.tell({ type: "acknowledged", id: uuid("1"), itemIDs }, 3)), null);
  assert.equal(
    reasonOf(log.tell({ type: "acknowledged", id: uuid("2"), itemIDs }, 9)),
    "nothing left to acknowledge",
  );
  assert.equal(log.items()[0]!.acknowledgedAt, 3);
});

Deno.test("a failure resolves when the run comes back to life, and one item serves all its failures", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: "p" });
  claude.hook("UserPromptSubmit", { prompt: "x" }, { at: 0 });
  for (let i = 1; i <= 14; i++) {
    claude.hook("StopFailure", { error: "rate_limit" }, { at: i * 4_000 });
    assert.equal(log.openItems().length, 1, "failed");
    claude.hook("PostToolUse", { tool_name: "Bash" }, { at: i * 4_000 + 10 });
    assert.deepEqual(log.openItems(), [], "at work again");
  }
  assert.equal(log.items().length, 1);
});

Deno.test("a failed run that succeeds after all leaves no failure behind", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("failed", 2);
  log.event("succeeded", 3);
  assert.deepEqual(log.openItems(), []);
});

Deno.test("identical requests of one turn make one item, those of the next turn another", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S" });
  const notice = { notification_type: "permission_prompt", message: "needs you" };
  for (const turn of [1, 2]) {
    claude.hook("UserPromptSubmit", { prompt_id: `p${turn}` }, { at: turn * 100 });
    for (let i = 1; i <= 6; i++) {
      claude.hook("Notification", { prompt_id: `p${turn}`, ...notice }, { at: turn * 100 + i });
    }
    assert.equal(log.items().length, turn);
  }
});

Deno.test("closed items stay listed for 24 hours, open ones for ever, newest first", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("approval-requested", 10, { toolUseID: "a" });
  log.event("input-requested", 20, { toolUseID: "b" });
  log.event("approval-requested", 30, { toolUseID: "c" });
  log.event("running", 1_000, { toolUseID: "b" });
  const [a, b, c] = log.items().map((item) => item.id);
  assert.deepEqual(listedItems(log.state, 1_001).map((item) => item.id), [c, b, a]);
  const day = 24 * HOUR;
  assert.equal(listedItems(log.state, 1_000 + day - 1).length, 3);
  assert.deepEqual(listedItems(log.state, 1_000 + day).map((item) => item.id), [c, a]);
  assert.equal(listedItems(log.state, 1_000 + 99 * day).length, 2);
  // What counts is the first of the two ways to be closed.
  log.tell({ type: "acknowledged", id: uuid("ack"), itemIDs: [a!] }, 2_000);
  log.event("running", 3_000, { toolUseID: "a" });
  assert.deepEqual(listedItems(log.state, 2_000 + day).map((item) => item.id), [c]);
});

Deno.test("only a person who closes a pane has seen its items; one that ended or is gone keeps them", () => {
  for (const [reason, open] of [["closed", 0], ["ended", 1], ["gone", 1]] as const) {
    const log = new Log(PANE, uuid("b"));
    log.event("started", 1);
    log.event("failed", 2);
    log.event("started", 1, { runID: uuid("b"), surfaceID: uuid("b"), sessionID: "B" });
    log.event("failed", 2, { runID: uuid("b"), surfaceID: uuid("b"), sessionID: "B" });
    log.tell(closed(PANE, reason), 3);
    const here = log.openItems().filter((item) => item.surfaceID === PANE);
    const there = log.openItems().filter((item) => item.surfaceID === uuid("b"));
    assert.deepEqual([here.length, there.length], [open, 1], reason);
  }
});

Deno.test("an item is closed no earlier than it was made, though the clock was set back", () => {
  const log = new Log(PANE);
  log.event("started", 1_000, { occurredAt: HOUR });
  log.event("approval-requested", 1_001, { occurredAt: HOUR + 1, toolUseID: "a" });
  log.event("failed", 1_002, { occurredAt: HOUR + 2 });
  log.tell({ type: "acknowledged", id: uuid("ack"), itemIDs: [log.items()[1]!.id] }, 1_003);
  for (const item of log.items()) {
    const closedAt = Math.min(item.resolvedAt ?? Infinity, item.acknowledgedAt ?? Infinity);
    assert.ok(closedAt >= item.createdAt, `${closedAt} < ${item.createdAt}`);
  }
});

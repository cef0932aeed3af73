/** Requests are kept one by one: what settles which, and what a mere reminder may do. */

import assert from "node:assert/strict";
import type { AgentEvent, EventKind } from "../../src/core/log/event.ts";
import { REASONS } from "../../src/core/log/reduce_run.ts";
import { Log, PANE, reasonOf } from "./log.ts";

function story(...steps: [EventKind, Partial<AgentEvent>?][]): Log {
  const log = new Log(PANE);
  log.event("started", 1);
  steps.forEach(([kind, fields], index) => log.event(kind, index + 2, fields));
  return log;
}

function openKeys(log: Log): string[] {
  return log.run().requests.map((request) => request.key);
}

const ASK_A = ["approval-requested", { toolUseID: "a", toolName: "Bash" }] as const;
const ASK_B = ["approval-requested", { toolUseID: "b", toolName: "Bash" }] as const;

Deno.test("of two parallel tools that ask, one finished answers its own request only", () => {
  const log = story([...ASK_A], [...ASK_B], ["running", { toolUseID: "a" }]);
  assert.deepEqual([log.run().state, openKeys(log)], ["waiting-approval", ["b"]]);
  log.event("running", 9, { toolUseID: "a" });
  assert.equal(log.run().state, "waiting-approval");
  log.event("running", 10, { toolUseID: "b" });
  assert.deepEqual([log.run().state, openKeys(log)], ["running", []]);
});

Deno.test("a third tool that finishes answers neither of two requests", () => {
  const log = story([...ASK_A], [...ASK_B], ["running", { toolUseID: "c" }]);
  assert.deepEqual([log.run().state, openKeys(log)], ["waiting-approval", ["a", "b"]]);
});

Deno.test("a bare sign of work, a start and an end answer all", () => {
  for (const kind of ["running", "started", "succeeded", "failed", "idle"] as const) {
    const log = story([...ASK_A], [...ASK_B], [kind]);
    assert.deepEqual(openKeys(log), [], kind);
    assert.deepEqual(log.openItems().filter((item) => item.kind === "approval-request"), [], kind);
  }
});

Deno.test("a sign of work that names no answer settles nothing", () => {
  const log = story([...ASK_A], ["running", { settles: "none" }]);
  assert.deepEqual([log.run().state, openKeys(log)], ["waiting-approval", ["a"]]);
  log.event("running", 9, { settles: ["x", "y"] });
  assert.equal(log.run().state, "waiting-approval");
  log.event("running", 10, { settles: "all" });
  assert.equal(log.run().state, "running");
});

Deno.test("a request is found by its key, or by its tool use id", () => {
  const ask: Partial<AgentEvent> = { requestKey: "K", toolUseID: "id" };
  for (const settles of [["K"], ["id"], ["other", "id"]]) {
    const log = story(["approval-requested", ask], ["running", { settles }]);
    assert.deepEqual(openKeys(log), [], settles.join());
  }
  const log = story(["approval-requested", { requestKey: "K" }], ["running", { settles: ["id"] }]);
  assert.deepEqual(openKeys(log), ["K"]);
});

Deno.test("without key and id, tool and words tell two requests apart", () => {
  const log = story(
    ["approval-requested", { toolName: "Bash", message: "ls" }],
    ["approval-requested", { toolName: "Bash", message: "rm" }],
  );
  assert.equal(log.run().requests.length, 2);
  const again = log.event("approval-requested", 9, { toolName: "Bash", message: "ls" });
  assert.equal(reasonOf(again), REASONS.stillAsked);
});

Deno.test("an approval is more urgent than a question; when it is settled the question remains", () => {
  const log = story(
    ["input-requested", { toolUseID: "q" }],
    ["approval-requested", { toolUseID: "a" }],
  );
  assert.equal(log.run().state, "waiting-approval");
  log.event("running", 8, { toolUseID: "a" });
  assert.equal(log.run().state, "waiting-input");
  log.event("running", 9, { toolUseID: "q" });
  assert.equal(log.run().state, "running");
});

const REMINDER = { weak: true, requestKey: "permission_prompt", message: "needs you" } as const;

Deno.test("a reminder only confirms a request that is open", () => {
  const log = story([...ASK_A]);
  const told = log.event("approval-requested", 9, { ...REMINDER });
  assert.equal(reasonOf(told), REASONS.confirms);
  assert.equal(log.items().length, 1);
  const question = story(["input-requested", { toolUseID: "q" }]);
  question.event("approval-requested", 9, { ...REMINDER });
  assert.deepEqual([question.run().state, question.items().length], ["waiting-input", 1]);
});

Deno.test("a reminder alone is a request, which the firm one replaces and any finished tool answers", () => {
  const log = story(["approval-requested", { ...REMINDER }]);
  assert.equal(log.run().state, "waiting-approval");
  log.event("approval-requested", 8, { toolUseID: "a" });
  assert.deepEqual(openKeys(log), ["a"]);
  assert.deepEqual(log.openItems().map((item) => item.key), ["a"]);

  const other = story(["approval-requested", { ...REMINDER }], ["running", { toolUseID: "x" }]);
  assert.equal(other.run().state, "running");
  assert.deepEqual(other.openItems(), []);
});

Deno.test("an idle reminder ends a running turn, but no open request and no background work", () => {
  assert.equal(story(["idle", { weak: true }]).run().state, "idle");
  const waiting = story([...ASK_A]);
  assert.equal(reasonOf(waiting.event("idle", 9, { weak: true })), REASONS.busy);
  assert.equal(waiting.run().state, "waiting-approval");
  const background = story(["running", { background: true }]);
  assert.equal(reasonOf(background.event("idle", 9, { weak: true })), REASONS.busy);
  assert.equal(background.run().state, "running");
  background.event("idle", 10);
  assert.equal(background.run().state, "idle");
});

Deno.test("a firm end dated just before the idle reminder corrects it; a much earlier one does not", () => {
  for (const [occurredAt, state] of [[9_500, "succeeded"], [8_000, "succeeded"], [7_999, "idle"]]) {
    const log = new Log(PANE);
    log.event("started", 1);
    log.event("idle", 10_000, { weak: true });
    log.event("succeeded", 10_100, { occurredAt: occurredAt as number });
    assert.equal(log.run().state, state, String(occurredAt));
  }
  const firm = new Log(PANE);
  firm.event("started", 1);
  firm.event("idle", 10_000);
  firm.event("succeeded", 10_100, { occurredAt: 9_500 });
  assert.equal(firm.run().state, "idle", "an interrupt is no guess");
  const undated = new Log(PANE);
  undated.event("started", 1);
  undated.event("idle", 10_000, { weak: true });
  undated.event("succeeded", 10_100, { undated: true });
  assert.equal(undated.run().state, "idle");
});

Deno.test("a request ends the state of mere background work", () => {
  const log = story(["running", { background: true }], [...ASK_A]);
  assert.deepEqual([log.run().state, log.run().background], ["waiting-approval", false]);
  log.event("running", 9, { toolUseID: "a" });
  log.event("idle", 10, { weak: true });
  assert.equal(log.run().state, "idle");
});

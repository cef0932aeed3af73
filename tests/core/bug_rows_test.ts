/** Public bug reports (rows A2 … A27) that hooks can decide: none of them happens here. */

import assert from "node:assert/strict";
import { isActive, surfaceViews, unplacedViews } from "../../src/core/view/view.ts";
import { Agent, HOUR, Log, MINUTE, PANE, sessionEnded } from "./log.ts";

function claudeIn(log: Log, prompt = "p"): Agent {
  const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: prompt });
  claude.hook("UserPromptSubmit", { prompt: "x" }, { at: 1 });
  return claude;
}

const BASH = { tool_name: "Bash", tool_input: { command: "npm test" } };

Deno.test("A2: a Codex turn without Stop ends as interrupted when the next begins", () => {
  const log = new Log(PANE);
  const codex = new Agent(log, "codex");
  codex.hook("UserPromptSubmit", { turn_id: "T1", prompt: "one" }, { at: 0 });
  codex.hook("UserPromptSubmit", { turn_id: "T2", prompt: "two" }, { at: 9 * MINUTE });
  assert.deepEqual(codex.runs.map((run) => run.state), ["idle", "running"]);
  assert.deepEqual([log.view(9 * MINUTE).run!.message, log.items()], ["two", []]);
});

Deno.test("A3: a StopFailure that is the person's interrupt leaves the pane idle, without alarm", () => {
  const log = new Log(PANE);
  claudeIn(log).hook("StopFailure", { error: "user_interrupted" }, { at: 2 });
  assert.deepEqual([log.view(3).state, log.items()], ["idle", []]);
});

Deno.test("A7: after a compaction nobody is waited for", () => {
  for (const trigger of ["manual", "auto"]) {
    const log = new Log(PANE);
    const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: "p" });
    claude.hook("SessionStart", { source: "startup" }, { at: 1 });
    claude.hook("PreCompact", { trigger }, { at: 2 });
    claude.hook("SessionStart", { source: "compact" }, { at: 3 });
    const idle = { notification_type: "idle_prompt", message: "Claude is waiting for your input" };
    claude.hook("Notification", idle, { at: 61_000 });
    assert.deepEqual([log.view(61_000).state, log.items()], ["idle", []], trigger);
  }
});

Deno.test("A8: a login notice, and one of an unknown type, change nothing", () => {
  for (const ask of [false, true]) {
    const log = new Log(PANE);
    const claude = claudeIn(log);
    if (ask) claude.hook("PermissionRequest", BASH, { at: 2 });
    const { state, statePosition } = log.view(3);
    for (const notification_type of ["auth_success", "brand_new", undefined]) {
      const notice = { message: "needs you", ...(notification_type ? { notification_type } : {}) };
      assert.deepEqual(claude.hook("Notification", notice, { at: 4 }), []);
    }
    assert.deepEqual([log.view(5).state, log.view(5).statePosition], [state, statePosition]);
    assert.equal(log.items().length, ask ? 1 : 0);
  }
});

Deno.test("A9: a question and the permission notice that follows it are one request, for input", () => {
  const log = new Log(PANE);
  const claude = claudeIn(log);
  const question = { tool_name: "AskUserQuestion", tool_input: { questions: [] } };
  claude.hook("PreToolUse", { ...question, tool_use_id: "t" }, { at: 2 });
  claude.hook("PermissionRequest", question, { at: 3 });
  const notice = { notification_type: "permission_prompt", message: "Claude needs you" };
  claude.hook("Notification", notice, { at: 6_000 });
  assert.equal(log.view(6_000).state, "waiting-input");
  assert.deepEqual(log.items().map((item) => item.kind), ["input-request"]);
  claude.hook("PostToolUse", { ...question, tool_use_id: "t" }, { at: 7_000 });
  assert.deepEqual([log.view(7_000).state, log.openItems()], ["running", []]);
});

Deno.test("A12: a request that is approved by itself is kept, and over at once; a real one stays", () => {
  const log = new Log(PANE);
  const claude = claudeIn(log);
  claude.hook("PermissionRequest", BASH, { at: 100 });
  claude.hook("PostToolUse", { ...BASH, tool_use_id: "t1" }, { at: 400 });
  assert.deepEqual([log.view(400).state, log.openItems()], ["running", []]);
  assert.deepEqual(log.items().map((item) => item.resolvedAt! - item.createdAt), [300]);
  const other = { tool_name: "Bash", tool_input: { command: "rm -rf x" } };
  claude.hook("PermissionRequest", other, { at: 500 });
  assert.deepEqual(log.openItems().map((item) => item.message), ["rm -rf x"]);
});

Deno.test("A13: six identical notices in a turn are one item", () => {
  const log = new Log(PANE);
  const claude = claudeIn(log);
  for (let i = 0; i < 6; i++) {
    const notice = { notification_type: "permission_prompt", message: "needs your permission" };
    claude.hook("Notification", notice, { at: 10 + 2 * i });
    claude.hook("PostToolUse", { ...BASH, tool_use_id: `t${i}` }, { at: 11 + 2 * i });
  }
  assert.equal(log.items().length, 1);
});

Deno.test("A14: a helper's StopFailure does not end a turn that goes on; fourteen make one item", () => {
  const log = new Log(PANE);
  const claude = claudeIn(log);
  for (let i = 1; i <= 14; i++) {
    claude.hook("StopFailure", { error: "rate_limit" }, { at: i * 4_000 });
    claude.hook("PostToolUse", { ...BASH, tool_use_id: `t${i}` }, { at: i * 4_000 + 500 });
    assert.equal(log.view(i * 4_000 + 500).state, "running");
  }
  claude.hook("Stop", { last_assistant_message: "done" }, { at: MINUTE });
  assert.deepEqual([log.view(MINUTE).state, log.openItems()], ["succeeded", []]);
  assert.equal(log.items().length, 1);
});

Deno.test("A15: a usage limit ends the turn as failed, with its reason and one item", () => {
  const log = new Log(PANE);
  const payload = { error: "rate_limit", error_details: "limit resets at 18:00" };
  claudeIn(log).hook("StopFailure", payload, { at: 2 });
  assert.deepEqual([log.view(3).state, log.view(3).run!.message], [
    "failed",
    "limit resets at 18:00",
  ]);
  assert.deepEqual(log.openItems().map((item) => [item.kind, item.message]), [
    ["failure", "limit resets at 18:00"],
  ]);
});

Deno.test("A18: another session's end on the same pane leaves the pane's run alone", () => {
  const log = new Log(PANE);
  const claude = claudeIn(log);
  const child = new Agent(log, "claude-code", { session_id: "C", prompt_id: "c" });
  child.hook("Stop", {}, { at: 5 });
  child.hook("SessionEnd", { reason: "other" }, { at: 6 });
  assert.equal(claude.runs[0]!.state, "running");
  const view = log.view(7);
  assert.deepEqual([view.state, view.session!.sessionID, isActive(view)], ["running", "S", true]);
});

Deno.test("A22: a late hook does not revive an ended turn, dated or not; the next prompt does", () => {
  for (const fed of [{ occurredAt: 9 }, { occurredAt: 10 }, { undated: true }]) {
    const log = new Log(PANE);
    const claude = claudeIn(log);
    claude.hook("Stop", {}, { at: 10 });
    claude.hook("PreToolUse", { ...BASH, tool_use_id: "t" }, { at: 11, ...fed });
    claude.hook("PermissionRequest", BASH, { at: 12, ...fed });
    assert.deepEqual([log.view(13).state, log.items()], ["succeeded", []], JSON.stringify(fed));
    claude.hook("UserPromptSubmit", { prompt_id: "q" }, { at: 14, undated: true });
    assert.equal(log.view(15).state, "running");
  }
  const log = new Log(PANE);
  const claude = claudeIn(log);
  claude.hook("Stop", {}, { at: 10 });
  claude.hook("UserPromptSubmit", {}, { at: 14, undated: true });
  assert.equal(log.view(15).state, "running", "also with the same prompt id");
});

Deno.test("A23: a clock that jumps back and forth changes neither order nor durations", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S" });
  const turn = (prompt_id: string, at: number, occurredAt: number, endedAt: number) => {
    claude.hook("UserPromptSubmit", { prompt_id, prompt: prompt_id }, { at, occurredAt });
    claude.hook("PostToolUse", { prompt_id, ...BASH }, { at: at + 10, occurredAt: endedAt - 1 });
    assert.equal(log.view(at + 10).state, "running");
    claude.hook("Stop", { prompt_id }, { at: at + 20, occurredAt: endedAt });
    assert.deepEqual([log.view(at + 20).state, log.view(at + 20).run!.message], [
      "succeeded",
      null,
    ]);
  };
  turn("p1", 2 * HOUR, 2 * HOUR, HOUR);
  turn("p2", 2 * HOUR + 100, HOUR + 100, 9 * HOUR);
  turn("p3", 2 * HOUR + 200, HOUR, HOUR + 1);
  for (const run of claude.runs) assert.ok(run.updatedAt >= run.startedAt!);
  assert.deepEqual(log.items(), [], "no jump made five minutes of work");
  const back = log.rows.map((row) => row.at);
  assert.deepEqual(back, back.toSorted((a, b) => a - b));
});

Deno.test("A24: a session first heard of in the middle of a turn appears, and ends", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: "p" });
  claude.hook("PostToolUse", { ...BASH, tool_use_id: "t" }, { at: 1 });
  assert.deepEqual([log.view(1).state, log.view(1).run!.startSeen], ["running", false]);
  claude.hook("Stop", {}, { at: 2 });
  assert.deepEqual([log.view(2).state, claude.runs.length], ["succeeded", 1]);
});

Deno.test("A25: /clear without a start event leaves one live row, and no ghost", () => {
  for (const stopped of [true, false]) {
    const log = new Log(PANE);
    const claude = new Agent(log, "claude-code", {});
    claude.hook("UserPromptSubmit", { session_id: "S1", prompt_id: "a", prompt: "one" }, { at: 1 });
    if (stopped) claude.hook("Stop", { session_id: "S1", prompt_id: "a" }, { at: 2 });
    claude.hook("UserPromptSubmit", { session_id: "S2", prompt_id: "b", prompt: "two" }, { at: 3 });
    const views = [
      ...surfaceViews(log.state, { now: 4 }),
      ...unplacedViews(log.state, { now: 4 }),
    ];
    assert.deepEqual(views.map((view) => [view.state, view.session!.sessionID]), [
      ["running", "S2"],
    ]);
    assert.notEqual(log.state.sessions.get("claude-code S1")!.endedAt, null);
    assert.equal(claude.runs.filter((run) => run.state === "running").length, 1);
  }
});

Deno.test("A26: Gemini's turn without an end is closed by the next, or lost with its process", () => {
  const log = new Log(PANE);
  const gemini = new Agent(log, "gemini");
  gemini.hook("BeforeAgent", { prompt: "one" }, { at: 1 });
  gemini.hook("AfterTool", { tool_name: "ls" }, { at: 2 });
  gemini.hook("BeforeAgent", { prompt: "two" }, { at: 3 });
  assert.deepEqual(gemini.runs.map((run) => run.state), ["idle", "running"]);
  gemini.hook("AfterTool", { tool_name: "ls" }, { at: 4 });
  assert.deepEqual(gemini.runs.map((run) => run.state), ["idle", "running"]);
  log.tell(sessionEnded("S", 5, { provider: "gemini", reason: "lost" }), 5);
  assert.deepEqual(gemini.runs.map((run) => run.state), ["idle", "disconnected"]);
  assert.equal(log.view(6).state, "disconnected");
});

Deno.test("A27: Codex shows that it waits for an approval, and the install asks for that event", () => {
  const log = new Log(PANE);
  const codex = new Agent(log, "codex", { session_id: "S", turn_id: "T" });
  codex.hook("UserPromptSubmit", { prompt: "x" }, { at: 1 });
  codex.hook("PermissionRequest", BASH, { at: 2 });
  assert.equal(log.view(2).state, "waiting-approval");
  codex.hook("PostToolUse", { ...BASH, tool_use_id: "c" }, { at: 3 });
  assert.equal(log.view(3).state, "running");
  codex.hook("PermissionRequest", BASH, { at: 4 });
  codex.hook("Interrupt", {}, { at: 5 });
  assert.deepEqual([log.view(5).state, log.openItems()], ["idle", []]);
  const events = codex.record.install.targets.flatMap((target) =>
    target.kind === "json-hooks" ? target.subscriptions.map(({ event }) => event) : []
  );
  assert.ok(events.includes("PermissionRequest"));
});

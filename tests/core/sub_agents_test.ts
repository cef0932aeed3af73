/** Sub-agents, nested agents and background work: listed under their parent, never speaking for it. */

import assert from "node:assert/strict";
import { readingEntries } from "../../src/core/estimate/estimate_reading.ts";
import type { Reading } from "../../src/core/estimate/reading.ts";
import { REASONS } from "../../src/core/log/reduce_run.ts";
import { type Run, sessionKey } from "../../src/core/log/state.ts";
import { servedRun } from "../../src/core/placement/nested_agent.ts";
import { unplacedViews } from "../../src/core/view/view.ts";
import { Agent, Log, MINUTE, PANE, reasonOf, sessionEnded, sessionStarted } from "./log.ts";

const ASK = { tool_name: "Bash", tool_input: { command: "ls" } };

function parentAndChild(): { log: Log; claude: Agent; parent: () => Run; child: () => Run } {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: "p" });
  claude.hook("UserPromptSubmit", { prompt: "x" }, { at: 1 });
  claude.hook("SubagentStart", { agent_id: "a", agent_type: "reviewer" }, { at: 2 });
  return { log, claude, parent: () => claude.runs[0]!, child: () => claude.runs[1]! };
}

Deno.test("a sub-agent is listed under its parent while it runs", () => {
  const { log, claude, parent, child } = parentAndChild();
  assert.equal(child().parentRunID, parent().runID);
  assert.deepEqual(log.view(3).children.map((run) => run.message), ["reviewer"]);
  assert.equal(log.view(3).run!.runID, parent().runID);
  claude.hook("SubagentStop", { agent_id: "a", last_assistant_message: "ok" }, { at: 4 });
  assert.deepEqual([log.view(5).children, log.view(5).state], [[], "running"]);
  assert.equal(child().state, "succeeded");
});

Deno.test("a sub-agent's end ends neither its parent nor the session, and is no news", () => {
  const { log, claude, parent, child } = parentAndChild();
  claude.hook("SubagentStop", { agent_id: "a" }, { at: 20 * MINUTE });
  log.event("failed", 21 * MINUTE, {
    runID: child().runID,
    parentRunID: parent().runID,
  });
  assert.equal(parent().state, "running");
  assert.deepEqual(log.items(), []);
});

Deno.test("an end of a sub-agent nobody saw start makes no run", () => {
  const { claude, log } = parentAndChild();
  const told = claude.hook("SubagentStop", { agent_id: "unseen" }, { at: 3 });
  assert.equal(reasonOf(told), REASONS.unknownChild);
  assert.equal(claude.runs.length, 2);
  assert.equal(log.view(4).children.length, 1);
});

Deno.test("a sub-agent that asks makes its parent's pane wait, until it is answered", () => {
  const { log, claude, parent } = parentAndChild();
  claude.hook("PermissionRequest", { agent_id: "a", ...ASK }, { at: 3 });
  assert.deepEqual([log.view(3).state, parent().state], ["waiting-approval", "running"]);
  assert.deepEqual(log.view(3).attention.map((item) => [item.kind, item.child]), [
    ["approval-request", true],
  ]);
  claude.hook("PostToolUse", { agent_id: "a", tool_use_id: "t", ...ASK }, { at: 4 });
  assert.deepEqual([log.view(4).state, log.openItems()], ["running", []]);
});

Deno.test("the parent's own request and the sub-agent's are two", () => {
  const { log, claude } = parentAndChild();
  claude.hook("PermissionRequest", { agent_id: "a", ...ASK }, { at: 3 });
  claude.hook("PreToolUse", { tool_name: "AskUserQuestion", tool_input: {} }, { at: 4 });
  assert.equal(log.view(4).state, "waiting-approval", "the more urgent of both");
  claude.hook("PostToolUse", { agent_id: "a", ...ASK }, { at: 5 });
  assert.equal(log.view(5).state, "waiting-input");
});

Deno.test("the parent's end ends its sub-agents, whatever they asked", () => {
  for (const [name, payload] of [["Stop", {}], ["StopFailure", { error: "unknown" }]] as const) {
    const { log, claude, child } = parentAndChild();
    claude.hook("PermissionRequest", { agent_id: "a", ...ASK }, { at: 3 });
    claude.hook(name, payload, { at: 4 });
    assert.equal(child().requests.length, 0, name);
    assert.equal(child().state, name === "Stop" ? "idle" : "running", name);
    assert.notEqual(log.view(4).state, "waiting-approval", name);
    assert.deepEqual(log.openItems().filter((item) => item.child), [], name);
  }
});

Deno.test("a parent that is lost takes its sub-agents with it", () => {
  for (const end of ["event", "session"] as const) {
    const { log, parent, child } = parentAndChild();
    if (end === "event") log.event("disconnected", 3, { runID: parent().runID });
    else log.tell(sessionEnded("S", 3, { reason: "lost" }), 3);
    assert.deepEqual([parent().state, child().state], ["disconnected", "idle"], end);
    assert.deepEqual(log.openItems().map((item) => item.kind), ["disconnect"]);
  }
});

Deno.test("what a sub-agent said before its parent's turn ended is late", () => {
  const { log, claude } = parentAndChild();
  claude.hook("Stop", {}, { at: 10 });
  for (const fed of [{ at: 11, occurredAt: 9 }, { at: 12, undated: true }]) {
    assert.equal(
      reasonOf(claude.hook("SubagentStart", { agent_id: "b" }, fed)),
      REASONS.parentOver,
    );
    assert.equal(
      reasonOf(claude.hook("PermissionRequest", { agent_id: "a", ...ASK }, fed)),
      REASONS.parentOver,
    );
  }
  assert.deepEqual([log.view(13).state, log.view(13).children], ["succeeded", []]);
  claude.hook("SubagentStart", { agent_id: "b" }, { at: 14 });
  assert.equal(log.view(14).children.length, 1);
});

Deno.test("an interrupt answers what sub-agents asked and leaves them at work", () => {
  const { log, claude, parent, child } = parentAndChild();
  claude.hook("PermissionRequest", { agent_id: "a", ...ASK }, { at: 3 });
  log.event("idle", 4, { runID: parent().runID });
  assert.deepEqual([child().state, log.view(4).state, log.openItems()], ["running", "idle", []]);
});

Deno.test("a background agent keeps the turn going; its notice goes on with the same work", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S" });
  const running = [{ type: "subagent", status: "running" }];
  claude.hook("UserPromptSubmit", { prompt_id: "p1", prompt: "x" }, { at: 0 });
  for (const turn of [1, 2]) {
    const at = turn * 2 * MINUTE;
    claude.hook("Stop", { prompt_id: `p${turn}`, background_tasks: running }, { at });
    assert.deepEqual([log.view(at).state, log.view(at).run!.message], [
      "running",
      "Waiting for a background agent",
    ]);
    claude.hook("UserPromptSubmit", {
      prompt_id: `p${turn + 1}`,
      prompt: "<task-notification>done",
    }, { at: at + 1 });
  }
  assert.deepEqual(log.items(), []);
  claude.hook("Stop", { prompt_id: "p3", background_tasks: [] }, { at: 5 * MINUTE });
  assert.deepEqual(claude.runs.map((run) => run.state), ["idle", "idle", "succeeded"]);
  assert.deepEqual(log.openItems().map((item) => item.kind), ["completion"], "five minutes in all");
});

Deno.test("a notice after the work had ended begins its own five minutes", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S" });
  claude.hook("UserPromptSubmit", { prompt_id: "p1", prompt: "x" }, { at: 0 });
  claude.hook("Stop", { prompt_id: "p1" }, { at: MINUTE });
  const notice = { prompt_id: "p2", prompt: "<task-notification>done" };
  claude.hook("UserPromptSubmit", notice, { at: 9 * MINUTE });
  claude.hook("Stop", { prompt_id: "p2" }, { at: 10 * MINUTE });
  assert.deepEqual(log.items(), []);
});

Deno.test("a notice is no answer: what a sub-agent asked stays asked", () => {
  const { log, claude } = parentAndChild();
  claude.hook("PermissionRequest", { agent_id: "a", ...ASK }, { at: 3 });
  const notice = { prompt_id: "p2", prompt: "<task-notification>other" };
  claude.hook("UserPromptSubmit", notice, { at: 4 });
  assert.equal(log.view(4).state, "waiting-approval");
  claude.hook("UserPromptSubmit", { prompt_id: "p3", prompt: "typed" }, { at: 5 });
  assert.equal(log.view(5).state, "running");
});

Deno.test("a nested agent without turn ids lives and ends under its parent", () => {
  const { log, claude, parent } = parentAndChild();
  claude.hook("SubagentStop", { agent_id: "a" }, { at: 3 });
  const parentRunID = parent().runID;
  const nested = new Agent(log, "gemini", { session_id: "G" });
  nested.hook("SessionStart", { source: "startup" }, { at: 4, parentRunID });
  nested.hook("BeforeAgent", { prompt: "one" }, { at: 5, parentRunID });
  assert.deepEqual(log.view(5).children.map((run) => run.provider), ["gemini"]);
  assert.deepEqual([log.view(5).run!.provider, log.view(5).session!.sessionID], [
    "claude-code",
    "S",
  ]);
  assert.deepEqual(unplacedViews(log.state, { now: 5 }), []);
  nested.hook("BeforeAgent", { prompt: "two" }, { at: 6, parentRunID });
  assert.equal(log.view(6).children.length, 1, "one turn at a time");
  nested.hook("AfterAgent", { prompt_response: "done" }, { at: 20 * MINUTE, parentRunID });
  assert.deepEqual([log.view(7).children, log.view(7).state, log.items()], [[], "running", []]);
});

Deno.test("a nested agent is a child also while the session that started it has no run", () => {
  for (const turn of [{ prompt_id: "t" }, {}]) {
    const log = new Log(PANE);
    log.tell(sessionStarted("outer", 1), 1);
    const outer = log.state.sessions.get(sessionKey("claude-code", "outer"))!;
    const parentRunID = servedRun(outer);
    const nested = new Agent(log, "claude-code", { session_id: "inner", ...turn });
    nested.hook("SessionStart", { source: "startup" }, { at: 2, parentRunID });
    nested.hook("UserPromptSubmit", { prompt: "x" }, { at: 3, parentRunID });
    const shown = () => {
      const { state, session, run, children } = log.view(9);
      return [state, session?.sessionID, run?.message, children.map((child) => child.sessionID)];
    };
    assert.deepEqual(shown(), ["idle", "outer", undefined, ["inner"]]);
    nested.hook("PermissionRequest", ASK, { at: 4, parentRunID });
    assert.deepEqual(shown(), ["waiting-approval", "outer", undefined, ["inner"]]);
    nested.hook("PostToolUse", ASK, { at: 5, parentRunID });
    log.event("started", 6, { sessionID: "outer", message: "now" });
    assert.deepEqual(shown(), ["running", "outer", "now", ["inner"]]);
    nested.hook("Stop", {}, { at: 7, parentRunID });
    assert.deepEqual(shown(), ["running", "outer", "now", []]);
    assert.deepEqual(unplacedViews(log.state, { now: 9 }), []);
  }
});

Deno.test("what a nested agent's file tells before its hooks is its parent's too", () => {
  const log = new Log(PANE);
  log.tell(sessionStarted("outer", 1), 1);
  const parentRunID = servedRun(log.state.sessions.get(sessionKey("claude-code", "outer"))!);
  const fact = { fact: "run", sessionID: "inner", kind: "started", turnKey: "t" } as const;
  const reading: Reading = { fact: { ...fact, hookName: "mytty.x" }, at: 3, mark: "1" };
  const ref = { provider: "claude-code", sessionID: "inner", surfaceID: PANE, opens: null };
  const rest = { process: null, cwd: null, transcript: null, isHeadless: true };
  const nested = new Agent(log, "claude-code", { session_id: "inner" });
  nested.hook("SessionStart", { source: "startup" }, { at: 2, parentRunID });
  for (
    const entry of readingEntries(log.state, { ...ref, ...rest, parentRunID: null }, reading, 3)
  ) {
    log.tell(entry, 3);
  }
  const { session, run, children } = log.view(4);
  assert.deepEqual([session?.sessionID, run, children.length], ["outer", null, 1]);
});

Deno.test("a nested agent that dies while it asks does not leave its parent waiting", () => {
  const { log, parent } = parentAndChild();
  const parentRunID = parent().runID;
  const nested = new Agent(log, "codex", { session_id: "C", turn_id: "t" });
  nested.hook("UserPromptSubmit", { prompt: "x" }, { at: 4, parentRunID });
  nested.hook("PermissionRequest", ASK, { at: 5, parentRunID });
  assert.equal(log.view(5).state, "waiting-approval");
  log.tell(sessionEnded("C", 6, { provider: "codex", reason: "lost" }), 6);
  assert.deepEqual([log.view(6).state, log.openItems()], ["running", []]);
});

Deno.test("a nested agent of the same provider does not replace its parent's session", () => {
  const { log, parent } = parentAndChild();
  const inner = new Agent(log, "claude-code", { session_id: "INNER", prompt_id: "i" });
  inner.hook("UserPromptSubmit", { prompt: "x" }, { at: 4, parentRunID: parent().runID });
  assert.equal(parent().state, "running");
  inner.hook("Stop", {}, { at: 5, parentRunID: parent().runID });
  assert.deepEqual([log.view(6).state, log.view(6).session!.sessionID], ["running", "S"]);
});

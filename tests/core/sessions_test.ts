/** One active run per session; conversations that are cleared, resumed, replaced, ended or lost. */

import assert from "node:assert/strict";
import { derivedID } from "../../src/core/ids.ts";
import { REASONS } from "../../src/core/log/reduce_run.ts";
import { isActive, unplacedViews } from "../../src/core/view/view.ts";
import { Agent, closed, Log, PANE, reasonOf, sessionEnded, sessionStarted, uuid } from "./log.ts";

const P1 = { pid: 10, startTime: "100" };
const P2 = { pid: 20, startTime: "200" };

Deno.test("a start of another run of the session ends the earlier as interrupted, with a row of its own", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("approval-requested", 2, { toolUseID: "a" });
  const told = log.event("started", 3, { runID: uuid("second") });
  assert.equal(told.length, 2);
  const { entry } = told[1]!.row;
  assert.ok(entry.type === "agent-event");
  assert.deepEqual(
    [entry.kind, entry.hookName, entry.runID, entry.id],
    [
      "idle",
      "mytty.runSuperseded",
      uuid("run"),
      derivedID(
        "event",
        "mytty.runSuperseded",
        uuid("run"),
        told[0]!.row.entry.id,
      ),
    ],
  );
  assert.equal(log.run().state, "idle");
  assert.equal(log.run("second").state, "running");
  assert.deepEqual(log.openItems(), []);
  assert.deepEqual([log.view(4).state, log.view(4).run!.runID], ["running", uuid("second")]);
});

Deno.test("a late hook of an earlier turn does not bring it back beside the newer one", () => {
  for (const end of ["started", "succeeded", "failed"] as const) {
    const log = new Log(PANE);
    log.event("started", 1);
    if (end !== "started") log.event(end, 2);
    log.event("started", 3, { runID: uuid("second") });
    for (const kind of ["running", "approval-requested", "input-requested"] as const) {
      assert.equal(reasonOf(log.event(kind, 4, { toolUseID: kind })), REASONS.superseded);
    }
    assert.equal(log.view(4).run!.runID, uuid("second"));
    log.event("succeeded", 5, { runID: uuid("second") });
    log.event("running", 6);
    assert.equal(log.view(6).state, "succeeded");
    log.event("started", 7);
    assert.equal(log.view(7).state, "running", "a turn that is taken up again is news");
  }
});

Deno.test("a superseded run does not become the current one again", () => {
  const log = new Log(PANE);
  const gemini = new Agent(log, "gemini");
  gemini.hook("BeforeAgent", { prompt: "one" }, { at: 1 });
  gemini.hook("BeforeAgent", { prompt: "two" }, { at: 2 });
  gemini.hook("AfterAgent", {}, { at: 3 });
  assert.deepEqual(gemini.runs.map((run) => run.state), ["idle", "succeeded"]);
  assert.equal(log.view(4).state, "succeeded");
});

Deno.test("a start from a clock that was set back ends the earlier run for good", () => {
  const log = new Log(PANE);
  log.event("started", 1_000);
  log.event("running", 1_010);
  log.event("started", 1_020, { runID: uuid("second"), occurredAt: 5 });
  assert.equal(reasonOf(log.event("running", 1_030, { occurredAt: 1_005 })), REASONS.beforeEnd);
  assert.deepEqual([log.run().state, log.run("second").state], ["idle", "running"]);
});

Deno.test("the same for a pane's runs that have no session", () => {
  const log = new Log(PANE);
  const agent = new Agent(log, "gemini", {});
  agent.hook("BeforeAgent", { prompt: "one" }, { at: 1 });
  agent.hook("BeforeAgent", { prompt: "two" }, { at: 2 });
  agent.hook("AfterAgent", {}, { at: 3 });
  assert.deepEqual(agent.runs.map((run) => run.state), ["idle", "succeeded"]);
});

Deno.test("runs of other sessions, panes and providers are left alone by a start", () => {
  const log = new Log(PANE, uuid("b"));
  log.event("started", 1, { process: P1 });
  log.event("started", 2, { runID: uuid("T"), sessionID: "T", process: P2 });
  log.event("started", 3, { runID: uuid("codex"), provider: "codex" });
  log.event("started", 4, { runID: uuid("b"), sessionID: "B", surfaceID: uuid("b") });
  for (const word of ["run", "T", "codex", "b"]) assert.equal(log.run(word).state, "running", word);
});

Deno.test("/clear: the old session ends, the new one is idle until its first prompt", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", {});
  claude.hook("UserPromptSubmit", { session_id: "S1", prompt_id: "p1", prompt: "x" }, { at: 1 });
  claude.hook("Stop", { session_id: "S1", prompt_id: "p1" }, { at: 2 });
  claude.hook("SessionEnd", { session_id: "S1", reason: "clear" }, { at: 3 });
  assert.equal(isActive(log.view(3)), false);
  claude.hook("SessionStart", { session_id: "S2", source: "clear" }, { at: 4 });
  assert.deepEqual([log.view(4).state, log.view(4).session!.sessionID], ["idle", "S2"]);
  assert.equal(log.view(4).run, null);
  assert.equal(isActive(log.view(4)), true);
});

Deno.test("/clear without any session hook: the next prompt replaces the session in its pane", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", {});
  claude.hook("UserPromptSubmit", { session_id: "S1", prompt_id: "p1", prompt: "x" }, { at: 1 });
  claude.hook("PermissionRequest", { session_id: "S1", prompt_id: "p1", tool_name: "Bash" }, {
    at: 2,
  });
  const told = claude.hook("UserPromptSubmit", { session_id: "S2", prompt_id: "p2" }, { at: 3 });
  assert.deepEqual(
    told.slice(1).map(({ row }) => "hookName" in row.entry && row.entry.hookName),
    ["mytty.sessionReplaced", "mytty.sessionEnded"],
  );
  assert.deepEqual(claude.runs.map((run) => run.state), ["idle", "running"]);
  assert.deepEqual([log.view(4).session!.sessionID, log.openItems()], ["S2", []]);
});

Deno.test("a new session replaces one of the same process, or of an unknown one, not of another", () => {
  const cases = [
    [P1, P1, "idle"],
    [P1, undefined, "idle"],
    [undefined, P1, "idle"],
    [P1, P2, "running"],
    [P1, { ...P1, startTime: "999" }, "running"],
  ] as const;
  for (const [first, second, state] of cases) {
    const log = new Log(PANE);
    log.event("started", 1, { sessionID: "S1", ...(first ? { process: first } : {}) });
    log.tell(sessionStarted("S2", 2, second ? { process: second } : {}), 2);
    assert.equal(log.run().state, state, `${first?.startTime} ${second?.startTime}`);
  }
});

Deno.test("a resumed session is idle until its prompt, whatever its last turn came to", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("failed", 2);
  log.tell(sessionEnded("S", 3), 3);
  assert.equal(log.view(3).state, "idle");
  log.tell(sessionStarted("S", 4), 4);
  assert.deepEqual([log.view(4).state, log.view(4).run], ["idle", null]);
  log.event("started", 5, { runID: uuid("second") });
  assert.equal(log.view(5).state, "running");
});

Deno.test("a start told again in a session that goes on changes nothing of its turn", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.tell(sessionStarted("S", 2), 2);
  assert.deepEqual([log.view(3).state, log.view(3).run!.runID], ["running", uuid("run")]);
});

Deno.test("a session that the person ends leaves no alarm; a lost one says so", () => {
  for (
    const [reason, state, kinds] of [["closed", "idle", []], ["lost", "disconnected", [
      "disconnect",
    ]]] as const
  ) {
    const log = new Log(PANE);
    log.event("started", 1);
    log.event("input-requested", 2, { toolUseID: "q" });
    log.tell(sessionEnded("S", 3, { reason }), 3);
    assert.deepEqual([log.run().state, log.view(3).state], [state, state], reason);
    assert.deepEqual(log.openItems().map((item) => item.kind), kinds);
    assert.equal(isActive(log.view(3)), false);
    assert.equal(reasonOf(log.tell(sessionEnded("S", 4), 4)), "the session had already ended");
  }
  const log = new Log(PANE);
  assert.equal(reasonOf(log.tell(sessionEnded("X", 1), 1)), "the session is not known");
});

Deno.test("a process that ends after its turn ended is no failure", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("succeeded", 2);
  log.tell(sessionEnded("S", 3, { reason: "lost" }), 3);
  assert.deepEqual([log.run().state, log.items()], ["succeeded", []]);
});

Deno.test("a late hook does not bring an ended session back, the next prompt does", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: "p" });
  claude.hook("UserPromptSubmit", { prompt: "x" }, { at: 1 });
  claude.hook("Stop", {}, { at: 3 });
  claude.hook("SessionEnd", { reason: "other" }, { at: 10 });
  const ask = { tool_name: "Bash", tool_input: { command: "ls" } };
  for (const fed of [{ at: 11, occurredAt: 5 }, { at: 12, undated: true }]) {
    const told = claude.hook("PermissionRequest", ask, fed);
    assert.equal(reasonOf(told), REASONS.sessionOver);
  }
  claude.hook("UserPromptSubmit", { prompt: "spooled" }, { at: 13, occurredAt: 2, late: true });
  claude.hook("Stop", { last_assistant_message: "late" }, { at: 14, occurredAt: 9 });
  assert.deepEqual([log.view(15).state, isActive(log.view(15))], ["idle", false]);
  claude.hook("UserPromptSubmit", { prompt_id: "p2" }, { at: 16, occurredAt: 4 });
  assert.deepEqual([log.view(17).state, isActive(log.view(17))], ["running", true]);
});

Deno.test("a closed pane ends what ran there without alarm, a pane that is gone with one", () => {
  const ends = [["closed", "idle"], ["ended", "idle"], ["gone", "disconnected"]] as const;
  for (const [reason, state] of ends) {
    const log = new Log(PANE);
    log.event("started", 1);
    log.event("started", 1, { runID: uuid("bare"), provider: "generic", sessionID: null });
    log.event("approval-requested", 2, { toolUseID: "a" });
    log.tell(closed(PANE, reason), 3);
    assert.deepEqual([log.run().state, log.run("bare").state], [state, state]);
    const open = log.openItems().map((item) => item.kind);
    assert.deepEqual(open, reason === "gone" ? ["disconnect", "disconnect"] : []);
    assert.equal(
      reasonOf(log.tell({ ...closed(PANE, reason), id: uuid("again") }, 4)),
      "the surface is already closed",
    );
  }
});

Deno.test("a closed pane ends a run whose session has gone on in another pane", () => {
  const log = new Log(PANE, uuid("b"));
  log.event("started", 1);
  log.event("started", 2, { runID: uuid("second"), surfaceID: uuid("b") });
  log.tell(closed(PANE, "closed"), 3);
  assert.deepEqual([log.run().state, log.run("second").state], ["idle", "running"]);
});

Deno.test("a queued prompt is told in the running turn and starts no second one", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: "p" });
  claude.hook("UserPromptSubmit", { prompt: "one" }, { at: 1 });
  claude.hook("UserPromptSubmit", { prompt: "two" }, { at: 2 });
  assert.deepEqual(claude.runs.map((run) => [run.state, run.startedAt, run.message]), [
    ["running", 1, "two"],
  ]);
  claude.hook("Stop", {}, { at: 3 });
  claude.hook("Stop", {}, { at: 9 });
  assert.deepEqual([log.view(10).state, claude.runs[0]!.endedAt], ["succeeded", 9]);
});

Deno.test("compaction: asked for it is work of its own, automatic it is part of the turn", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: "p" });
  claude.hook("SessionStart", { source: "startup" }, { at: 1 });
  claude.hook("PreCompact", { trigger: "manual" }, { at: 2 });
  assert.deepEqual([log.view(2).state, log.view(2).run!.message], ["running", "Compacting"]);
  claude.hook("SubagentStop", { agent_type: "" }, { at: 3 });
  claude.hook("SessionStart", { source: "compact" }, { at: 4 });
  assert.equal(log.view(4).state, "running");
  claude.hook("PostCompact", { trigger: "manual" }, { at: 5 });
  assert.equal(log.view(5).state, "succeeded");
  claude.hook("PreCompact", { trigger: "manual" }, { at: 6 });
  assert.equal(log.view(6).state, "running", "and once more");
  claude.hook("PostCompact", { trigger: "manual" }, { at: 7 });

  claude.hook("UserPromptSubmit", { prompt_id: "q", prompt: "x" }, { at: 10 });
  claude.hook("PreCompact", { prompt_id: "q", trigger: "auto" }, { at: 11 });
  claude.hook("SessionStart", { prompt_id: "q", source: "compact" }, { at: 12 });
  claude.hook("PostCompact", { prompt_id: "q", trigger: "auto" }, { at: 13 });
  assert.deepEqual([log.view(14).state, log.view(14).run!.message], ["running", "x"]);
});

Deno.test("a session without a pane is listed by itself, and no longer once it has found its pane", () => {
  const log = new Log(PANE);
  log.event("started", 1, { surfaceID: null });
  assert.deepEqual(unplacedViews(log.state, { now: 2 }).map((view) => view.state), ["running"]);
  log.event("running", 3);
  assert.deepEqual(unplacedViews(log.state, { now: 4 }), []);
  assert.deepEqual([log.view(4).state, log.run().surfaceID], ["running", PANE]);
  log.event("succeeded", 5);
  assert.equal(log.view(5).state, "succeeded");
});

/** When a `wait` is over. */

import assert from "node:assert/strict";
import {
  isWaitOver,
  type WaitCondition,
  type WaitTarget,
  waitView,
} from "../../src/core/view/wait.ts";
import { Agent, Log, PANE, sessionEnded, sessionStarted, uuid } from "./log.ts";

const PLACE: WaitTarget = { place: PANE, runID: null, session: null };
const SESSION: WaitTarget = {
  place: null,
  runID: null,
  session: { provider: "claude-code", sessionID: "S" },
};
const RUN: WaitTarget = { place: null, runID: uuid("run"), session: null };

/** The conditions that are met now. */
function met(log: Log, after = 0, target = PLACE): WaitCondition[] {
  const all = ["idle", "attention", "finished", "change"] as const;
  return all.filter((until) => isWaitOver(log.state, { target, until, after }));
}

Deno.test("each state of a pane meets its conditions", () => {
  const log = new Log(PANE);
  assert.deepEqual(met(log), [], "nothing was heard of");
  log.tell(sessionStarted("S", 1), 1);
  assert.deepEqual(met(log), ["idle", "change"], "an agent that had no turn has not finished one");
  log.event("started", 2);
  assert.deepEqual(met(log), ["change"]);
  log.event("input-requested", 3, { toolUseID: "q" });
  assert.deepEqual(met(log), ["attention", "change"]);
  log.event("approval-requested", 4, { toolUseID: "a" });
  assert.deepEqual(met(log), ["attention", "change"]);
  log.event("succeeded", 5);
  assert.deepEqual(met(log), ["idle", "finished", "change"]);
  for (const end of ["failed", "disconnected", "idle"] as const) {
    log.event("started", 10);
    assert.deepEqual(met(log), ["change"]);
    log.event(end, 10);
    assert.deepEqual(met(log), ["idle", "finished", "change"], end);
  }
});

Deno.test("a state that was entered before the given position does not count", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("succeeded", 2);
  const { position } = log.state;
  assert.deepEqual(met(log, position - 1), ["idle", "finished", "change"]);
  assert.deepEqual(met(log, position), []);
  log.event("started", 3, { runID: uuid("second") });
  assert.deepEqual(met(log, position), ["change"]);
  log.event("succeeded", 4, { runID: uuid("second") });
  assert.deepEqual(met(log, position), ["idle", "finished", "change"]);
});

Deno.test("a run without a session that ends after a session's is waited for", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("succeeded", 2);
  const { position } = log.state;
  assert.deepEqual(met(log, position), []);
  const bare = { runID: uuid("bare"), sessionID: null };
  log.event("started", 3, bare);
  log.event("failed", 4, bare);
  assert.deepEqual(met(log, position), ["idle", "finished", "change"]);
});

Deno.test("events that leave the state as it is are no change", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  const { position } = log.state;
  log.event("running", 2);
  log.event("running", 3, { toolName: "Bash" });
  assert.deepEqual(met(log, position), []);
});

Deno.test("a turn of which only the end was told has finished, though the pane looks the same", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("succeeded", 2);
  const { position } = log.state;
  log.event("succeeded", 3, { runID: uuid("second") });
  assert.deepEqual(met(log, position), ["finished"]);
  assert.deepEqual(met(log, log.state.position), []);
});

Deno.test("the state changes by a sub-agent's request, and back by its answer", () => {
  const log = new Log(PANE);
  const claude = new Agent(log, "claude-code", { session_id: "S", prompt_id: "p" });
  claude.hook("UserPromptSubmit", { prompt: "x" }, { at: 1 });
  claude.hook("SubagentStart", { agent_id: "a" }, { at: 2 });
  const begun = log.state.position;
  assert.deepEqual(met(log, begun), []);
  const ask = { agent_id: "a", tool_name: "Bash", tool_input: { command: "ls" } };
  claude.hook("PermissionRequest", ask, { at: 3 });
  assert.deepEqual(met(log, begun), ["attention", "change"]);
  const asked = log.state.position;
  claude.hook("PostToolUse", ask, { at: 4 });
  assert.deepEqual(met(log, asked), ["change"]);
  assert.equal(waitView(log.state, PLACE).state, "running");
});

Deno.test("a run is waited for by itself", () => {
  const log = new Log(PANE);
  assert.deepEqual(waitView(log.state, RUN), {
    state: "unknown",
    runID: uuid("run"),
    position: 0,
  });
  assert.deepEqual(met(log, 0, RUN), []);
  log.event("started", 1);
  log.event("started", 2, { runID: uuid("second") });
  assert.deepEqual(met(log, 0, RUN), ["idle", "finished", "change"], "superseded");
  assert.deepEqual(met(log, 0, PLACE), ["change"]);
});

Deno.test("a session is waited for wherever it is", () => {
  const log = new Log(PANE);
  assert.deepEqual([met(log, 0, SESSION), waitView(log.state, SESSION).state], [[], "unknown"]);
  log.event("started", 1, { surfaceID: null });
  assert.deepEqual(met(log, 0, SESSION), ["change"]);
  log.event("approval-requested", 2);
  assert.deepEqual(met(log, 0, SESSION), ["attention", "change"]);
  log.tell(sessionEnded("S", 3), 3);
  assert.deepEqual(met(log, 0, SESSION), ["idle", "finished", "change"]);
});

Deno.test("a superseding start is one change, not a moment of idleness", () => {
  const log = new Log(PANE);
  log.event("started", 1);
  log.event("approval-requested", 2);
  const { position } = log.state;
  for (const { row } of log.event("started", 3, { runID: uuid("second") })) void row;
  assert.deepEqual(met(log, position), ["change"]);
  assert.deepEqual([waitView(log.state, PLACE).state], ["running"]);
});

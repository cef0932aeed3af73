/** How a command ended in a surface whose shell says so, and what waits for it. */

import assert from "node:assert/strict";
import { commandEnds, REPORT_MS } from "../../src/core/log/command_end.ts";
import type { AgentSight } from "../../src/core/estimate/agent_sight.ts";
import { ProcessEstimate } from "../../src/core/estimate/estimate_processes.ts";
import type { ProcessID } from "../../src/core/log/event.ts";
import { closed, Log, MINUTE, opened, PANE, sessionEnded } from "./log.ts";

const AGENT: ProcessID = { pid: 7, startTime: "1" };
function dead(_process: ProcessID): boolean {
  return false;
}

function reported(): Log {
  const log = new Log();
  log.tell(opened(PANE, { reportsEnds: true }), 0);
  return log;
}

function finish(log: Log, exitCode: number, at: number, isAlive = dead): void {
  for (const end of commandEnds(log.state, PANE, { exitCode, now: at, isAlive })) log.tell(end, at);
}

Deno.test("an exit status that is told late corrects what was only concluded", () => {
  for (const [exitCode, state, kinds] of [[0, "succeeded", []], [137, "failed", ["failure"]]]) {
    const log = reported();
    log.event("started", 1);
    log.tell(sessionEnded("S", 5, { reason: "lost", source: "server" }), 5);
    assert.deepEqual(log.openItems().map(({ kind }) => kind), ["disconnect"]);
    finish(log, exitCode as number, 5);
    assert.equal(log.run().state, state);
    assert.deepEqual(log.openItems().map(({ kind }) => kind), kinds);
    assert.equal(log.view(6).state, exitCode === 0 ? "idle" : "failed");
  }
});

Deno.test("it corrects nothing that an agent said itself, nor what was lost long ago", () => {
  const said = reported();
  said.event("started", 1);
  said.event("disconnected", 2, { hookName: "Disconnected" });
  finish(said, 0, 3);
  assert.equal(said.run().state, "disconnected");
  const old = reported();
  old.event("started", 1);
  old.tell(sessionEnded("S", 5, { reason: "lost", source: "server" }), 5);
  finish(old, 0, 5 + MINUTE);
  assert.equal(old.run().state, "disconnected");
});

Deno.test("a command that ends says nothing of an agent that still runs beside it", () => {
  const log = reported();
  log.event("started", 1, { process: AGENT });
  finish(log, 148, 2, ({ pid }) => pid === AGENT.pid);
  assert.equal(log.run().state, "running");
  finish(log, 3, 3);
  assert.deepEqual([log.run().state, log.run().message], ["failed", "Exit status 3"]);
});

/** A hook-less agent, seen long enough to count as at work. */
function watched(log: Log): ProcessEstimate {
  const estimate = new ProcessEstimate();
  const sight: AgentSight = {
    provider: "goose",
    process: AGENT,
    surfaceID: PANE,
    opens: null,
    parentRunID: null,
    cwd: null,
    isHeadless: false,
    isForeground: true,
    startedAt: 0,
    children: [],
  };
  look(log, { estimate, sights: [sight], at: 9_000 });
  assert.equal(log.view(9_000).state, "running");
  return estimate;
}

function look(
  log: Log,
  { estimate, sights = [], at }: {
    estimate: ProcessEstimate;
    sights?: AgentSight[];
    at: number;
  },
): void {
  for (const decide of estimate.scan(log.state, sights, at)) {
    decide(log.state).forEach((entry) => log.tell(entry, at));
  }
}

Deno.test("a hook-less agent that vanished is over when nobody has said how it ended", () => {
  const log = reported();
  const estimate = watched(log);
  look(log, { estimate, at: 10_000 });
  look(log, { estimate, at: 10_000 + REPORT_MS - 1 });
  assert.equal(log.view(12_000).state, "running");
  look(log, { estimate, at: 10_000 + REPORT_MS });
  assert.deepEqual([log.view(12_000).state, log.openItems()], ["idle", []]);
});

Deno.test("what its shell says first is the end, and nothing is said after it", () => {
  const log = reported();
  const estimate = watched(log);
  look(log, { estimate, at: 10_000 });
  finish(log, 0, 10_500);
  look(log, { estimate, at: 20_000 });
  assert.deepEqual([log.view(20_000).state, log.openItems()], ["succeeded", []]);
});

Deno.test("nobody is waited for where nobody reports: an unknown shell, a pane that is closed", () => {
  const plain = new Log(PANE);
  const ofPlain = watched(plain);
  look(plain, { estimate: ofPlain, at: 10_000 });
  assert.equal(plain.view(10_000).state, "idle");
  const gone = reported();
  const ofGone = watched(gone);
  gone.tell(closed(PANE, "gone"), 9_500);
  look(gone, { estimate: ofGone, at: 10_000 });
  assert.deepEqual([gone.view(10_000).state, gone.openItems()], ["idle", []]);
});

/** Quitting an agent is no death: what the end of a process or command means (section 9). */

import assert from "node:assert/strict";
import { endOfCommand } from "../../src/core/log/run_end.ts";
import { sweepCandidates, sweepEvent } from "../../src/core/log/sweep.ts";
import { closed, Log, PANE } from "./log.ts";

const LAUNCH = { source: "process", sessionID: null } as const;

/** Each way in which a run's process is found to be gone, with nobody who tells how. */
const WAYS: Readonly<Record<string, (log: Log) => void>> = {
  "its pane is gone": (log) => void log.tell(closed(PANE, "gone"), 10),
  "the server was started anew": (log) => {
    for (const { run } of sweepCandidates(log.state)) log.tell(sweepEvent(run, 10), 10);
  },
};

for (const [what, leave] of Object.entries(WAYS)) {
  Deno.test(`${what}: a run known by its process alone just ended`, () => {
    const log = new Log(PANE);
    log.event("started", 1, LAUNCH);
    leave(log);
    assert.deepEqual([log.run().state, log.run().message], ["idle", "Its process ended"]);
    assert.deepEqual(log.items(), []);
  });

  Deno.test(`${what}: a turn at work, or a question, is lost`, () => {
    const turn = new Log(PANE);
    turn.event("started", 1);
    leave(turn);
    const status = new Log(PANE);
    status.event("started", 1, { source: "process" });
    leave(status);
    const asked = new Log(PANE);
    asked.event("started", 1, LAUNCH);
    asked.event("input-requested", 2, LAUNCH);
    leave(asked);
    for (const log of [turn, status, asked]) {
      assert.equal(log.run().state, "disconnected");
      assert.deepEqual(log.openItems().map(({ kind }) => kind), ["disconnect"]);
    }
  });
}

Deno.test("an exit status tells success, an interrupt by somebody, or a failure", () => {
  const kinds = [0, 129, 130, 143, 1, 2, 134, 137, 139, 255, null].map((code) =>
    endOfCommand(code).kind
  );
  const { idle, failed } = { idle: "idle", failed: "failed" };
  const failures = [failed, failed, failed, failed, failed, failed];
  assert.deepEqual(kinds, ["succeeded", idle, idle, idle, ...failures, "disconnected"]);
});

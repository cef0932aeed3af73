/** The real Cline: no hook tells that it asks, so such a run is shown as running, and not as more. */

import assert from "node:assert/strict";
import type { PlaceJson } from "../../src/core/view/view_json.ts";
import { CLINE, signIn } from "./cline_home.ts";
import { isIn, type Real, realTest } from "./harness.ts";
import type { Pane } from "./panes.ts";
import { comesAndGoes, ENDLESS } from "./steps.ts";

const HOOKS = ["TaskStart", "TaskComplete", "TaskError", "SessionShutdown"];

realTest(CLINE, "a run without a terminal works, and is done", async (real) => {
  await signedIn(real);
  const printed = real.print("hello [[slow 5 Hi there]]");
  const row = await real.untilRow("a run at work", ({ state }) => state === "running");
  assert.equal(row.tty, null);
  const { code, stdout } = await printed;
  assert.equal(code, 0);
  assert.match(stdout, /Hi there/);
  await real.untilEvent("its success", ({ kind }) => kind === "succeeded");
  assert.deepEqual(await real.attention(), []);
});

realTest(CLINE, "prompt and ESC are shown, and a dialog as work that goes on", async (real) => {
  await signedIn(real);
  const pane = await opened(real);
  // Before its first word only the process is known.
  await real.untilRow("its process", (row) => isIn(row, pane));

  await pane.say("hello [[slow 3 Hi there]]");
  const working = await real.untilRow("its prompt", isTold("running"));
  const done = await real.untilRow("its answer", ({ state }) => state === "succeeded");
  assert.equal(done.runID, working.runID);

  await pane.say("go [[tool touch made]] [[text Made it]]");
  const asking = await real.untilRow("its prompt", isTold("running"));
  await pane.untilScreen(/Approve|\(y\/n\)/);
  assert.equal((await real.rows()).find(({ runID }) => runID === asking.runID)?.state, "running");
  assert.deepEqual(await real.attention(), []);
  await pane.press("y");
  await real.untilRow(
    "its answer",
    (row) => row.state === "succeeded" && row.runID === asking.runID,
  );

  await pane.say(ENDLESS);
  const stopped = await real.untilRow("its prompt", isTold("running"));
  await pane.untilScreen(/Never/);
  await pane.press("Escape");
  await real.untilRow("idle", (row) => row.state === "idle" && row.runID === stopped.runID);
});

realTest(CLINE, "an API error is a failure", async (real) => {
  await signedIn(real);
  const pane = await opened(real);
  await pane.say("go [[error 400]]");
  await real.untilRow("its failure", ({ state }) => state === "failed");
  await real.untilAsked("failure");
});

realTest(CLINE, "quitting leaves the active list, although no hook tells it", async (real) => {
  await signedIn(real);
  const pane = await opened(real);
  await pane.say("hello [[text Hi there]]");
  await real.untilRow("its answer", ({ state }) => state === "succeeded");
  await pane.press("C-c", "C-c");
  await real.untilGone((row) => isIn(row, pane));
});

realTest(CLINE, "its hook files are written, heard and taken out again", async (real) => {
  await signedIn(real);
  await comesAndGoes(real, {
    made: HOOKS.map((name) => `.cline/hooks/${name}`),
    use: () => real.print("hello [[text Hi there]]"),
  });
}, { hooks: false });

/** Told by a hook, not only seen as a process. */
function isTold(state: PlaceJson["state"]): (row: PlaceJson) => boolean {
  return (row) => row.state === state && row.evidence?.source === "hook";
}

async function opened(real: Real): Promise<Pane> {
  const pane = await real.open();
  await pane.press("Escape");
  await pane.untilScreen(/What can I do/);
  return pane;
}

async function signedIn(real: Real): Promise<void> {
  const { code, stdout, stderr } = await real.print(...signIn(real.place));
  assert.equal(code, 0, stdout + stderr);
}

/** The real GitHub Copilot CLI: what its hooks leave open, its `events.jsonl` tells. */

import assert from "node:assert/strict";
import { COPILOT } from "./copilot_home.ts";
import { isIn, type Real, realTest } from "./harness.ts";
import type { Pane } from "./panes.ts";
import {
  answersPrompt,
  begunRuns,
  closingIsTold,
  comesAndGoes,
  ENDLESS,
  failsAndGoesOn,
  goesOnAfter,
  killIsLost,
  printsAlone,
  quits,
  untilAsks,
} from "./steps.ts";

const ASKS = "go [[tool touch made && sleep 3]] [[text Made it]]";
const DIALOG = /Do you want to run/;

realTest(COPILOT, "a print run works, and is done without a pane", async (real) => {
  await printsAlone(real, "-p");
});

realTest(COPILOT, "prompt, approval, denial and ESC, each shown on the way", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await answersPrompt(real, pane);

  await pane.say(ASKS);
  const item = await untilAsks(real, pane, DIALOG);
  await goesOnAfter(real, pane, item);

  await pane.say(ASKS);
  const denied = await untilAsks(real, pane, DIALOG);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  await real.untilSettled(denied);

  await pane.say(ENDLESS);
  await real.untilState(pane, "running");
  await pane.untilScreen(/Never/);
  await stop(real, pane);
  assert.deepEqual(await real.attention(), []);
  assert.equal(await begunRuns(real), 4);
});

realTest(COPILOT, "a question waits for an answer", async (real) => {
  const pane = await real.open();
  await pane.say("go [[question Which colour?|Red|Blue]] [[slow 3 Red it is]]");
  await real.untilState(pane, "waiting-input");
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/Blue/);
  await goesOnAfter(real, pane, item);
});

realTest(COPILOT, "an API error is a failure, and the next prompt goes on", async (real) => {
  await failsAndGoesOn(real);
});

realTest(COPILOT, "quitting leaves the active list", async (real) => {
  await quits(real, (pane) => pane.say("/exit"));
});

realTest(COPILOT, "kill -9 at work is lost", async (real) => {
  await killIsLost(real, /Never/);
});

realTest(COPILOT, "a pane that is closed at work: its last word is told", async (real) => {
  await closingIsTold(real, /Never/);
});

realTest(COPILOT, "without hooks its events.jsonl tells the turns", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await pane.say("hello [[slow 5 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.equal(working.evidence?.source, "transcript");
  assert.match(working.message ?? "", /^hello/);
  assert.equal((await real.untilState(pane, "succeeded")).runID, working.runID);

  await pane.say(ASKS);
  const item = await untilAsks(real, pane, DIALOG);
  await goesOnAfter(real, pane, item);

  await pane.say(ENDLESS);
  await real.untilState(pane, "running");
  await pane.untilScreen(/Never/);
  await stop(real, pane);
  assert.equal((await real.rows()).length, 1);
}, { hooks: false });

realTest(COPILOT, "its hooks file is written, heard and taken out again", async (real) => {
  await comesAndGoes(real, {
    made: [".copilot/hooks/mytty.json"],
    use: () => real.print("-p", "hello [[text Hi there]]"),
  });
}, { hooks: false });

/** Two presses in quick succession, which a busy machine may not see as one gesture. */
async function stop(real: Real, pane: Pane): Promise<void> {
  await real.until("idle after ESC", async () => {
    await pane.press("Escape", "Escape");
    return (await real.rows()).find((row) => isIn(row, pane) && row.state === "idle");
  });
}

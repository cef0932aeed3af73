/** The real Gemini CLI: half of what a person does is told by no hook, but by its chat file. */

import assert from "node:assert/strict";
import { GEMINI } from "./gemini_home.ts";
import { isIn, realTest } from "./harness.ts";
import {
  answersPrompt,
  begunRuns,
  comesAndGoes,
  ENDLESS,
  failsAndGoesOn,
  goesOnAfter,
  killIsLost,
  printsAlone,
  quits,
  untilAsks,
} from "./steps.ts";

const ASKS = "go [[tool touch made && sleep 5]] [[text Made it]]";
const DIALOG = /Allow execution|Allow once/;

realTest(GEMINI, "a print run works, and is done without a pane", async (real) => {
  await printsAlone(real, "-p");
});

realTest(GEMINI, "prompt, approval and denial, each shown on the way", async (real) => {
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
  assert.deepEqual(await real.attention(), []);
});

realTest(
  GEMINI,
  "ESC in the middle of an answer ends the turn, however it is called",
  async (real) => {
    const pane = await real.open();
    await pane.say(ENDLESS);
    const working = await real.untilState(pane, "running");
    await pane.untilScreen(/✦ Never/);
    await pane.press("Escape");
    // Its hook is the same as after a full answer, and comes a moment after what tells them apart,
    // a line in its file: nearly always the hook is heard first.
    const ended = await real.untilRow(
      "an end",
      (row) => isIn(row, pane) && row.state !== "running",
    );
    assert.ok(ended.state === "idle" || ended.state === "succeeded", ended.state);
    assert.equal(ended.runID, working.runID);

    await pane.say("again [[slow 3 Hi again]]");
    const next = await real.untilState(pane, "running");
    assert.notEqual(next.runID, working.runID);
    await real.untilState(pane, "succeeded");
    assert.deepEqual(await real.attention(), []);
    assert.equal(await begunRuns(real), 2);
  },
);

realTest(GEMINI, "a question waits for an answer", async (real) => {
  const pane = await real.open();
  await pane.say("go [[question Which colour?|Red|Blue]] [[slow 3 Red it is]]");
  await real.untilState(pane, "waiting-input");
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/Blue/);
  await goesOnAfter(real, pane, item);
});

realTest(GEMINI, "an API error is a failure, and the next prompt goes on", async (real) => {
  await failsAndGoesOn(real);
});

realTest(GEMINI, "quitting leaves the active list", async (real) => {
  await quits(real, (pane) => pane.say("/quit"));
});

realTest(GEMINI, "kill -9 at work is lost", async (real) => {
  await killIsLost(real, /✦ Never/);
});

realTest(GEMINI, "without hooks its chat file tells the turns", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await pane.say("hello [[slow 5 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.equal(working.evidence?.source, "transcript");
  assert.match(working.message ?? "", /^hello/);
  assert.equal((await real.untilState(pane, "succeeded")).runID, working.runID);

  // A dialog is not written down, only its refusal.
  await pane.say(ASKS);
  await real.untilState(pane, "running");
  await pane.untilScreen(DIALOG);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  await pane.say("again [[error 400]]");
  await real.untilState(pane, "failed");
  assert.equal((await real.rows()).length, 1);
}, { hooks: false });

realTest(GEMINI, "its hooks are written, heard and taken out again", async (real) => {
  // Gemini itself leaves settings alone that are as it wants them.
  await comesAndGoes(real, {
    kept: [".gemini/settings.json"],
    use: () => real.print("-p", "hello [[text Hi there]]"),
  });
}, { hooks: false });

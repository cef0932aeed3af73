/** The real Kimi Code: its hooks tell nearly everything; without them, its wire file does. */

import assert from "node:assert/strict";
import { realTest } from "./harness.ts";
import { KIMI } from "./kimi_home.ts";
import {
  answersPrompt,
  begunRuns,
  closingIsLost,
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
const DIALOG = /Approve once/;

realTest(KIMI, "a print run works, and is done without a pane", async (real) => {
  await printsAlone(real, "-p");
});

realTest(KIMI, "prompt, approval, refusal and ESC, each shown on the way", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await answersPrompt(real, pane);

  await pane.say(ASKS);
  const item = await untilAsks(real, pane, DIALOG);
  assert.equal(item.toolName, "Bash");
  await goesOnAfter(real, pane, item);

  // A refusal is told to the model, which goes on.
  await pane.say("go [[tool touch made]] [[slow 3 Then not]]");
  const refused = await untilAsks(real, pane, DIALOG);
  await pane.press("Escape");
  await real.untilState(pane, "running");
  await real.untilSettled(refused);
  await real.untilState(pane, "succeeded");

  await pane.say(ENDLESS);
  await real.untilState(pane, "running");
  await pane.untilScreen(/Never/);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  assert.deepEqual(await real.attention(), []);
  assert.equal(await begunRuns(real), 4);
});

realTest(KIMI, "a question waits for an answer", async (real) => {
  const pane = await real.open();
  await pane.say("go [[question Which colour?|Red|Blue]] [[slow 3 Red it is]]");
  const row = await real.untilState(pane, "waiting-input");
  assert.match(row.message ?? "", /Which colour\?/);
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/Blue/);
  await pane.press("Enter");
  await pane.untilScreen(/Ready to submit/);
  await goesOnAfter(real, pane, item);
});

realTest(KIMI, "an API error is a failure, and the next prompt goes on", async (real) => {
  await failsAndGoesOn(real);
});

realTest(KIMI, "quitting leaves the active list", async (real) => {
  await quits(real, (pane) => pane.say("/exit"));
});

realTest(KIMI, "kill -9 at work is lost", async (real) => {
  await killIsLost(real, /Never/);
});

realTest(KIMI, "a pane that is closed at work: is lost", async (real) => {
  await closingIsLost(real, /Never/);
});

realTest(KIMI, "without hooks its wire file tells the turns", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await pane.say("hello [[slow 5 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.equal(working.evidence?.source, "transcript");
  assert.match(working.message ?? "", /^hello/);
  assert.equal((await real.untilState(pane, "succeeded")).runID, working.runID);

  await pane.say(ASKS);
  const item = await untilAsks(real, pane, DIALOG);
  assert.equal(item.toolName, "Bash");
  await goesOnAfter(real, pane, item);

  await pane.say(ENDLESS);
  await real.untilState(pane, "running");
  await pane.untilScreen(/Never/);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  await pane.say("go [[error 400]]");
  await real.untilState(pane, "failed");
  assert.equal((await real.rows()).length, 1);
}, { hooks: false });

realTest(KIMI, "its hooks are written, heard and taken out again to the byte", async (real) => {
  await comesAndGoes(real, {
    kept: [".kimi-code/config.toml"],
    use: () => real.print("-p", "hello [[text Hi there]]"),
  });
}, { hooks: false });

/** The real Pi: its extension tells everything; without it, its session file tells the turns. */

import assert from "node:assert/strict";
import { realTest } from "./harness.ts";
import { PI } from "./pi_home.ts";
import {
  begunRuns,
  closingIsTold,
  comesAndGoes,
  ENDLESS,
  goesOnAfter,
  killIsLost,
  printsAlone,
  quits,
  untilAsks,
} from "./steps.ts";

const ASKS = "go [[tool touch made && sleep 3]] [[text Made it]]";
const DIALOG = /Allow this command/;

realTest(PI, "a print run works, and is done without a pane", async (real) => {
  await printsAlone(real, "-p");
});

realTest(PI, "prompt, dialog, refusal and ESC, each shown on the way", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await pane.say("hello [[slow 3 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.match(working.message ?? "", /^hello/);
  const done = await real.untilState(pane, "succeeded");
  assert.equal(done.runID, working.runID);
  assert.match(done.message ?? "", /^Hi there/);

  await pane.say(ASKS);
  const item = await untilAsks(real, pane, DIALOG);
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

realTest(PI, "an API error is a failure, and the next prompt goes on", async (real) => {
  const pane = await real.open();
  await pane.say("go [[error 400]]");
  const row = await real.untilState(pane, "failed");
  assert.match(row.message ?? "", /400/);
  await real.untilAsked("failure");
  await pane.say("again [[text Better now]]");
  await real.untilState(pane, "succeeded");
  assert.equal((await real.rows()).length, 1);
});

realTest(PI, "quitting leaves the active list", async (real) => {
  await quits(real, (pane) => pane.press("C-d"));
});

realTest(PI, "kill -9 at work is lost", async (real) => {
  await killIsLost(real, /Never/);
});

realTest(PI, "a pane that is closed at work: its last word is told", async (real) => {
  await closingIsTold(real, /Never/);
  // Nor is it called lost when its process and its pane have gone.
  await real.until("the pane closed", async () => (await real.rows()).length === 0);
  const ends = (await real.events()).filter(({ kind }) => /idle|disconnected/.test(kind ?? ""));
  assert.equal(ends.at(-1)?.kind, "idle");
  assert.deepEqual(await real.attention("--all"), []);
});

realTest(PI, "without the extension its session file tells the turns", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await pane.say("hello [[slow 4 Hi there]]");
  // The file is made with the first answer: until then it sits at its prompt, as far as is known.
  const done = await real.untilState(pane, "succeeded");
  assert.equal(done.evidence?.source, "transcript");
  assert.match(done.message ?? "", /^Hi there/);

  await pane.say("again [[slow 4 Hi again]]");
  const working = await real.untilState(pane, "running");
  assert.equal(working.evidence?.source, "transcript");
  assert.match(working.message ?? "", /^again/);
  assert.equal((await real.untilState(pane, "succeeded")).runID, working.runID);

  await pane.say(ENDLESS);
  await real.untilState(pane, "running");
  await pane.untilScreen(/Never/);
  await pane.press("Escape");
  await real.untilState(pane, "idle");

  await pane.say("go [[error 400]]");
  await real.untilState(pane, "failed");
  assert.equal((await real.rows()).length, 1);
}, { hooks: false });

realTest(PI, "its extension is written, heard and taken out again", async (real) => {
  await comesAndGoes(real, {
    kept: [".pi/agent/settings.json"],
    made: [".pi/agent/extensions/mytty.ts"],
    use: () => real.print("-p", "hello [[text Hi there]]"),
  });
}, { hooks: false });

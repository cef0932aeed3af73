/** The real Gemini CLI: half of what a person does is told by no hook, but by its chat file. */

import assert from "node:assert/strict";
import { GEMINI } from "./gemini_home.ts";
import { isIn, realTest } from "./harness.ts";
import { ENDLESS, killIsLost, untilAsks } from "./steps.ts";

const ASKS = "go [[tool touch made && sleep 5]] [[text Made it]]";
const DIALOG = /Allow execution|Allow once/;

realTest(GEMINI, "a print run works, and is done without a pane", async (real) => {
  const printed = real.print("-p", "hello [[slow 5 Hi there]]");
  const row = await real.untilRow("a print run at work", ({ state }) => state === "running");
  assert.equal(row.tty, null);
  const { code, stdout } = await printed;
  assert.equal(code, 0);
  assert.match(stdout, /Hi there/);
  await real.untilEvent("its success", ({ kind }) => kind === "succeeded");
  await real.untilGone(({ runID }) => runID === row.runID);
  assert.deepEqual(await real.attention(), []);
});

realTest(GEMINI, "prompt, approval and denial, each shown on the way", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await pane.say("hello [[slow 3 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.match(working.message ?? "", /^hello/);
  assert.equal((await real.untilState(pane, "succeeded")).runID, working.runID);

  await pane.say(ASKS);
  const item = await untilAsks(real, pane, DIALOG);
  await pane.press("Enter");
  // No hook tells an approval: the command that has begun does.
  await real.untilState(pane, "running");
  await real.untilSettled(item);
  await real.untilState(pane, "succeeded");

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
    // Its hook is the same as after a full answer; its file tells them apart, and may come later.
    const ended = await real.untilRow(
      "an end",
      (row) => isIn(row, pane) && row.state !== "running",
    );
    assert.ok(ended.state === "idle" || ended.state === "succeeded", ended.state);
    assert.equal(ended.runID, working.runID);
  },
);

realTest(GEMINI, "a question waits for an answer", async (real) => {
  const pane = await real.open();
  await pane.say("go [[question Which colour?|Red|Blue]] [[slow 3 Red it is]]");
  await real.untilState(pane, "waiting-input");
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/Blue/);
  await pane.press("Enter");
  await real.untilState(pane, "running");
  await real.untilSettled(item);
  await real.untilState(pane, "succeeded");
});

realTest(GEMINI, "an API error is a failure, and the next prompt goes on", async (real) => {
  const pane = await real.open();
  await pane.say("go [[error 400]]");
  await real.untilState(pane, "failed");
  await real.untilAsked("failure");
  await pane.say("again [[text Better now]]");
  await real.untilState(pane, "succeeded");
  assert.equal((await real.rows()).length, 1);
});

realTest(GEMINI, "quitting leaves the active list", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[text Hi there]]");
  await real.untilState(pane, "succeeded");
  await pane.say("/quit");
  await real.untilGone((row) => isIn(row, pane));
  assert.deepEqual(await real.attention(), []);
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
  const path = `${real.place.home}/.gemini/settings.json`;
  const before = JSON.parse(Deno.readTextFileSync(path));
  await real.ok("install", "gemini");
  await real.print("-p", "hello [[text Hi there]]");
  await real.until("its hooks heard", async () => await real.health() === "receiving");
  await real.ok("uninstall", "gemini");
  // Gemini writes its settings itself meanwhile: only our part must be gone.
  const { hooks = {}, ...rest } = JSON.parse(Deno.readTextFileSync(path));
  assert.ok(!JSON.stringify(hooks).includes("mytty"));
  assert.deepEqual(rest.security, before.security);
}, { hooks: false });

/** The real OpenCode: its plugin tells everything; its database nearly so. */

import assert from "node:assert/strict";
import { isIn, type Real, realTest } from "./harness.ts";
import { OPENCODE } from "./opencode_home.ts";
import { answersPrompt, goesOnAfter, printsAlone, quits } from "./steps.ts";
import type { Pane } from "./panes.ts";
import { signal } from "./running.ts";

const ASKS = "go [[tool touch made && sleep 3]] [[text Made it]]";
const ASK_DIALOG = /Permission required/;

realTest(OPENCODE, "opencode run works, and is done without a pane", async (real) => {
  await printsAlone(real, "run");
});

realTest(OPENCODE, "prompt, approval, denial and ESC, each shown on the way", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await answersPrompt(real, pane);

  await pane.say(ASKS);
  const item = await untilAsks(real, pane);
  assert.equal(item.toolName, "bash");
  await goesOnAfter(real, pane, item);

  await pane.say("hello [[slow 100 Never said to the end]]");
  await real.untilState(pane, "running");
  await pane.untilScreen(/esc interrupt/);
  await twice(pane, "Escape");
  await real.untilState(pane, "idle");

  await pane.say(ASKS);
  const denied = await untilAsks(real, pane);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  await real.untilSettled(denied);
  assert.deepEqual(await real.attention(), []);
});

realTest(OPENCODE, "a question waits for an answer, or is left by ESC", async (real) => {
  const pane = await real.open();
  await pane.say("go [[question Which colour?|Red|Blue]] [[slow 3 Red it is]]");
  const row = await real.untilState(pane, "waiting-input");
  assert.match(row.message ?? "", /Which colour\?/);
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/2\. Blue/);
  await goesOnAfter(real, pane, item);

  await pane.say("go [[question Which colour now?|Red|Blue]]");
  await real.untilState(pane, "waiting-input");
  const left = await real.untilAsked("input-request");
  await pane.untilScreen(/2\. Blue/);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  await real.untilSettled(left);
});

realTest(OPENCODE, "an API error is a failure, and the next prompt goes on", async (real) => {
  const pane = await real.open();
  await pane.say("go [[error 400]]");
  const row = await real.untilState(pane, "failed");
  assert.match(row.message ?? "", /400/);
  await real.untilAsked("failure");
  await pane.say("again [[text Better now]]");
  await real.untilState(pane, "succeeded");

  // Tried again and again: at work all the while, until the person stops it.
  await pane.say("again [[error 429]]");
  await real.untilState(pane, "running");
  await pane.untilScreen(/retrying|attempt|429/i);
  await twice(pane, "Escape");
  await real.untilState(pane, "idle");
});

realTest(OPENCODE, "quitting leaves the active list", async (real) => {
  await quits(real, (pane) => pane.press("C-c"));
});

realTest(OPENCODE, "kill -9 at work is lost, and so is a closed pane", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[slow 100 Never said to the end]]");
  const working = await real.untilState(pane, "running");
  signal(await pane.foreground(), "SIGKILL");
  await real.untilState(pane, "disconnected");
  assert.equal((await real.untilAsked("disconnect")).runID, working.runID);
  await real.ok("attention", "ack", "--all");

  const second = await real.open();
  await second.say("hello [[slow 100 Never said to the end]]");
  const again = await real.untilState(second, "running");
  await second.kill();
  assert.equal((await real.untilAsked("disconnect")).runID, again.runID);
  await real.untilGone((row) => row.runID === again.runID);
});

realTest(OPENCODE, "without the plugin its database tells the turns", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await pane.say("hello [[slow 4 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.equal(working.evidence?.source, "transcript");
  assert.match(working.message ?? "", /^hello/);
  const done = await real.untilState(pane, "succeeded");
  assert.equal(done.runID, working.runID);

  await pane.say("go [[question Which colour?|Red|Blue]] [[slow 4 Red it is]]");
  const asking = await real.untilState(pane, "waiting-input");
  assert.equal(asking.message, "Which colour?");
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/2\. Blue/);
  await goesOnAfter(real, pane, item);

  await pane.say("go [[error 400]]");
  await real.untilState(pane, "failed");
  await pane.say("hello [[slow 100 Never said to the end]]");
  await real.untilState(pane, "running");
  await pane.untilScreen(/esc interrupt/);
  await twice(pane, "Escape");
  await real.untilState(pane, "idle");

  // A permission that is asked for is not written down: it looks like work, and never like a wait.
  await pane.say(ASKS);
  await real.untilState(pane, "running");
  await pane.untilScreen(ASK_DIALOG);
  assert.equal((await real.rows()).find((row) => isIn(row, pane))?.state, "running");
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  assert.equal((await real.rows()).length, 1);
}, { hooks: false });

realTest(OPENCODE, "its plugin is written, heard and taken out again", async (real) => {
  const path = `${real.place.home}/.config/opencode/opencode.json`;
  const original = Deno.readTextFileSync(path);
  await real.ok("install", "opencode");
  const { code } = await real.print("run", "hello [[text Hi there]]");
  assert.equal(code, 0);
  assert.equal(await real.health(), "receiving");
  await real.ok("uninstall", "opencode");
  assert.equal(Deno.readTextFileSync(path), original);
  const plugins = `${real.place.home}/.config/opencode/plugins/mytty.js`;
  assert.throws(() => Deno.statSync(plugins), Deno.errors.NotFound);
}, { hooks: false });

/** The pane waits, and the drawer says so too. */
async function untilAsks(real: Real, pane: Pane) {
  await real.untilState(pane, "waiting-approval");
  const item = await real.untilAsked("approval-request");
  await pane.untilScreen(ASK_DIALOG);
  return item;
}

/** The first press only asks whether it is meant. */
async function twice(pane: Pane, key: string): Promise<void> {
  await pane.press(key);
  await pane.untilScreen(/again to interrupt/);
  await pane.press(key);
}

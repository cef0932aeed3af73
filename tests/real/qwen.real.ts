/** The real Qwen Code: its hooks tell nearly everything; without them, its chat file the turns. */

import assert from "node:assert/strict";
import { isIn, type Real, realTest } from "./harness.ts";
import type { Pane } from "./panes.ts";
import { QWEN } from "./qwen_home.ts";
import {
  answersPrompt,
  begunRuns,
  comesAndGoes,
  ENDLESS,
  failsAndGoesOn,
  goesOnAfter,
  killIsLost,
  printsAlone,
  untilAsks,
} from "./steps.ts";

const ASKS = "go [[tool touch made && sleep 3]] [[text Made it]]";
const DIALOG = /Yes, allow once|Allow execution/;

realTest(QWEN, "a print run works, and is done without a pane", async (real) => {
  await printsAlone(real, "-p");
});

realTest(QWEN, "prompt, approval, denial and ESC, each shown on the way", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await answersPrompt(real, pane);

  await pane.say(ASKS);
  const item = await untilAsks(real, pane, DIALOG);
  assert.equal(item.toolName, "run_shell_command");
  await goesOnAfter(real, pane, item);

  await pane.say(ASKS);
  const denied = await untilAsks(real, pane, DIALOG);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  await real.untilSettled(denied);

  await pane.say(ENDLESS);
  await real.untilState(pane, "running");
  await pane.untilScreen(/◆\S* Never/);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  assert.deepEqual(await real.attention(), []);
  assert.equal(await begunRuns(real), 4);
});

realTest(QWEN, "a question waits for an answer", async (real) => {
  const pane = await real.open();
  await pane.say("go [[question Which colour?|Red|Blue]] [[slow 3 Red it is]]");
  const row = await real.untilState(pane, "waiting-input");
  assert.match(row.message ?? "", /Which colour\?/);
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/2\. Blue/);
  await goesOnAfter(real, pane, item);
});

realTest(QWEN, "an API error is a failure, and the next prompt goes on", async (real) => {
  await failsAndGoesOn(real);
});

realTest(QWEN, "quitting leaves the active list", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[text Hi there]]");
  await real.untilState(pane, "succeeded");
  await quit(real, pane);
  assert.deepEqual(await real.attention(), []);
});

realTest(QWEN, "kill -9 at work is lost", async (real) => {
  await killIsLost(real, /◆\S* Never/);
});

realTest(
  QWEN,
  "a pane that is closed at work: its last word is told, if it comes",
  async (real) => {
    const pane = await real.open();
    await pane.say(ENDLESS);
    const { runID } = await real.untilState(pane, "running");
    await pane.untilScreen(/◆\S* Never/);
    await pane.kill();
    await real.until("the pane closed", async () => (await real.rows()).length === 0);
    // At a hang-up Qwen ends often before its hook has said so; without it the run is lost.
    const isTold = (await real.events()).some(({ hookName, applied }) =>
      hookName === "SessionEnd" && applied !== false
    );
    const asked = (await real.attention()).map((item) => [item.kind, item.runID]);
    assert.deepEqual(asked, isTold ? [] : [["disconnect", runID]]);
  },
);

realTest(QWEN, "without hooks its chat file tells the turns", async (real) => {
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
  assert.equal((await real.rows()).length, 1);
}, { hooks: false });

realTest(QWEN, "its hooks are written, heard and taken out again", async (real) => {
  const path = `${real.place.home}/.qwen/settings.json`;
  const before = JSON.parse(Deno.readTextFileSync(path));
  await real.ok("install", "qwen");
  await real.print("-p", "hello [[text Hi there]]");
  await real.until("its hooks heard", async () => await real.health() === "receiving");
  await real.ok("uninstall", "qwen");
  // The first run writes the file anew, with a version; everything else is the person's own.
  const { $version, ...after } = JSON.parse(Deno.readTextFileSync(path));
  assert.notEqual($version, undefined);
  assert.deepEqual(after, before);
  // Later runs leave it alone, and so its bytes come back.
  await comesAndGoes(real, {
    kept: [".qwen/settings.json"],
    use: () => real.print("-p", "hello again [[text Hi again]]"),
  });
}, { hooks: false });

/** The first press may only clear the line, the next only ask whether it is meant. */
async function quit(real: Real, pane: Pane): Promise<void> {
  await real.until("the end after Ctrl-C", async () => {
    if ((await real.rows("--active")).every((row) => !isIn(row, pane))) return true;
    await pane.press("C-c", "C-c");
    return false;
  });
}

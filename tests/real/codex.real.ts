/**
 * The real Codex: what mytty shows on the way, not only at the end.
 *
 * Its hooks run only once the person has trusted them, its `SessionStart` comes with the first
 * prompt, no hook tells an API error or an approval given, and by default all panes share one
 * background process.
 */

import assert from "node:assert/strict";
import { CODEX } from "./codex_home.ts";
import { failsAndGoesOn, goesOnAfter } from "./steps.ts";
import { isIn, type Real, realTest } from "./harness.ts";
import type { Pane } from "./panes.ts";
import { signal } from "./running.ts";

/** Wants to leave the sandbox, so a person is asked. */
const ASKS = "go [[tool !touch made && sleep 5]] [[text Made it]]";

const EXEC = ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"];

const DIALOG = /Would you like to run|Yes, proceed/;

realTest(CODEX, "exec works, and is done without a pane", async (real) => {
  const printed = real.print(...EXEC, "hello [[slow 4 Hi there]]");
  const row = await real.untilRow("an exec run at work", ({ state }) => state === "running");
  assert.equal(row.provider, "codex");
  assert.equal(row.tty, null);
  const { code, stdout } = await printed;
  assert.equal(code, 0);
  assert.match(stdout, /Hi there/);
  await real.untilEvent("its success", ({ kind }) => kind === "succeeded");
  await real.untilGone(({ runID }) => runID === row.runID);
  assert.deepEqual(await real.attention(), []);
}, { short: true });

realTest(CODEX, "trust, prompt, approval, denial and ESC, each shown on the way", async (real) => {
  assert.equal(await real.health(), "untrusted");
  const pane = await real.open();
  await real.untilRow("the process, before any hook", (row) => isIn(row, pane));

  await pane.say("hello [[slow 3 Hi there]]");
  const working = await real.untilState(pane, "running");
  const done = await real.untilState(pane, "succeeded");
  assert.match(done.message ?? "", /^Hi there/);
  assert.equal(done.sessionID, working.sessionID);
  assert.equal(await real.health(), "receiving");

  await pane.say(ASKS);
  const item = await untilAsks(real, pane);
  assert.equal(item.toolName, "Bash");
  await pane.answer("Enter", DIALOG);
  // Before the tool has finished, so before any hook could tell: its process is seen.
  await real.untilState(pane, "running");
  assert.equal((await real.untilState(pane, "succeeded")).message, "Made it");
  await real.untilSettled(item);

  await pane.say(ASKS);
  const denied = await untilAsks(real, pane);
  await pane.answer("Escape", DIALOG);
  await real.untilState(pane, "idle");
  await real.untilSettled(denied);

  await pane.say("hello [[slow 100 Never said to the end]]");
  await real.untilState(pane, "running");
  await pane.untilScreen(/Never/);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  assert.deepEqual(await real.attention(), []);
}, { short: true });

realTest(CODEX, "an API error is a failure, and the next prompt goes on from it", async (real) => {
  await failsAndGoesOn(real);
});

realTest(CODEX, "a stream that breaks is a failure", async (real) => {
  const pane = await real.open();
  await pane.say("go [[cut]]");
  await real.untilState(pane, "failed");
});

realTest(CODEX, "/clear begins another session in the same pane", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[text Hi there]]");
  const before = await real.untilState(pane, "succeeded");
  await pane.say("/clear");
  await real.untilReady(pane);
  await pane.say("hello again [[slow 3 Hi again]]");
  const working = await real.untilState(pane, "running");
  assert.notEqual(working.sessionID, before.sessionID);
  assert.equal((await real.untilState(pane, "succeeded")).sessionID, working.sessionID);
  assert.equal((await real.rows()).length, 1);
});

realTest(CODEX, "/quit leaves the active list, resume goes on with the session", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[text Hi there]]");
  const before = await real.untilState(pane, "succeeded");
  await pane.say("/quit");
  await real.untilGone((row) => isIn(row, pane));
  await real.untilEvent("the end", ({ type }) => type === "session-ended");
  await pane.say(`clear; codex --no-daemon resume ${before.sessionID}`);
  await real.untilReady(pane);
  await pane.say("and now [[slow 3 Hi again]]");
  const resumed = await real.untilState(pane, "running");
  assert.equal(resumed.sessionID, before.sessionID);
  assert.notEqual(resumed.runID, before.runID);
  await real.untilState(pane, "succeeded");
});

realTest(CODEX, "a pane that is closed at work is lost", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[slow 100 Never said to the end]]");
  const working = await real.untilState(pane, "running");
  await pane.kill();
  await untilLost(real, working.runID);
});

realTest(CODEX, "kill -9 at work is lost, and the pane shows it", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[slow 100 Never said to the end]]");
  const working = await real.untilState(pane, "running");
  // The launcher and the program below it, as one group.
  signal(-await pane.foreground(), "SIGKILL");
  await real.untilState(pane, "disconnected");
  await untilLost(real, working.runID);
});

realTest(CODEX, "an agent that it runs is a child, and never speaks for the pane", async (real) => {
  const pane = await real.open("codex --no-daemon --dangerously-bypass-approvals-and-sandbox");
  const nested = `${real.program} ${EXEC.join(" ")} 'hello [[slow 5 Nested]]'`;
  await pane.say(`go [[tool ${nested}]] [[slow 3 All done]]`);
  const row = await real.untilRow("a child", ({ children }) => children.length > 0);
  assert.ok(isIn(row, pane));
  assert.equal(row.state, "running");
  assert.match(row.message ?? "", /^go/);
  const done = await real.untilState(pane, "succeeded");
  assert.equal(done.runID, row.runID);
  assert.equal(done.sessionID, row.sessionID);
  assert.equal((await real.rows()).filter((row) => row.tty !== null).length, 1);
});

realTest(CODEX, "without hooks it is estimated; hooks take over the same session", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[slow 4 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.notEqual(working.evidence?.source, "hook");
  await real.untilState(pane, "succeeded");
  await pane.say("/quit");
  await real.untilGone((row) => isIn(row, pane));

  await real.ok("install", "codex");
  await pane.say(`clear; codex --no-daemon resume ${working.sessionID}`);
  await real.untilReady(pane);
  await pane.say("and now [[slow 3 By hooks]]");
  await real.untilEvent("a hook's prompt", (event) => event.hookName === "UserPromptSubmit");
  const hooked = await real.untilState(pane, "succeeded");
  assert.equal(hooked.evidence?.source, "hook");
  assert.equal(hooked.sessionID, working.sessionID);
  assert.equal((await real.rows()).length, 1);
}, { hooks: false });

realTest(CODEX, "without hooks an approval, ESC and an error are seen", async (real) => {
  const pane = await real.open();
  await pane.say(ASKS);
  const item = await untilAsks(real, pane);
  await goesOnAfter(real, pane, item);

  await pane.say(ASKS);
  const denied = await untilAsks(real, pane);
  await pane.answer("Escape", DIALOG);
  await real.untilState(pane, "idle");
  await real.untilSettled(denied);

  await pane.say("go [[error 400]]");
  await real.untilState(pane, "failed");
  assert.equal((await real.rows()).length, 1);
}, { hooks: false });

realTest(CODEX, "a question in the plan mode waits for an answer", async (real) => {
  const pane = await real.open();
  await pane.say("/plan");
  await pane.untilScreen(/Plan mode/);
  await pane.say("go [[question Which colour?|Red|Blue]] [[slow 3 Red it is]]");
  const row = await real.untilState(pane, "waiting-input");
  assert.match(row.message ?? "", /Which colour\?/);
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/1\. Red/);
  await goesOnAfter(real, pane, item);

  await pane.say("again [[question Which one now?|Red|Blue]]");
  await real.untilState(pane, "waiting-input");
  await pane.untilScreen(/now\?[\s\S]*1\. Red/);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  assert.deepEqual(await real.attention(), []);
});

realTest(CODEX, "two panes of one background process, in two folders", async (real) => {
  const other = `${real.place.home}/other`;
  Deno.mkdirSync(other);
  const first = await real.open("codex");
  const second = await real.open("codex", other);
  // The other way round: not by the order in which they began.
  await second.say("second [[slow 15 Two]]");
  await first.say("first [[slow 15 One]]");
  const two = await real.untilState(second, "running");
  const one = await real.untilState(first, "running");
  assert.match(two.message ?? "", /^second/);
  assert.match(one.message ?? "", /^first/);
  await real.untilState(first, "succeeded");
  await real.untilState(second, "succeeded");
  assert.equal((await real.rows()).length, 2);

  // No hook tells it: the background process keeps the session.
  await first.say("/quit");
  await real.untilGone((row) => row.sessionID === one.sessionID);
  const left = await real.rows("--active");
  assert.deepEqual(left.map(({ sessionID }) => sessionID), [two.sessionID]);
});

realTest(
  CODEX,
  "two panes of one background process, in one folder: never swapped",
  async (real) => {
    const first = await real.open("codex");
    const second = await real.open("codex");
    await second.say("second [[slow 8 Two]]");
    await first.say("first [[slow 8 One]]");
    for (const [pane, words] of [[first, /^(first|One)/], [second, /^(second|Two)/]] as const) {
      const row = await real.untilRow(`${words}`, ({ message }) => words.test(message ?? ""));
      assert.ok(isIn(row, pane) || row.tty === null, `${words} is in the other's pane`);
    }
    await real.until("both done", async () => {
      const done = (await real.rows()).filter(({ state }) => state === "succeeded");
      return done.length === 2;
    });
  },
);

realTest(CODEX, "its hooks are tried and taken out again to the byte", async (real) => {
  const path = `${real.place.home}/.codex/hooks.json`;
  const original = '{\n   "hooks": {\n\t"Stop": []  }}\n\n';
  Deno.writeTextFileSync(path, original);
  await real.ok("install", "codex");
  assert.notEqual(Deno.readTextFileSync(path), original);
  assert.match(await real.ok("test", "codex"), /✔ server/);
  const { code } = await real.print(...EXEC, "hello [[text Hi there]]");
  assert.equal(code, 0);
  await real.ok("uninstall", "codex");
  assert.equal(Deno.readTextFileSync(path), original);
}, { hooks: false, short: true });

/** The pane waits, and the drawer says so too. */
async function untilAsks(real: Real, pane: Pane) {
  await real.untilState(pane, "waiting-approval");
  const item = await real.untilAsked("approval-request");
  await pane.untilScreen(DIALOG);
  return item;
}

async function untilLost(real: Real, runID: string | null): Promise<void> {
  const item = await real.untilAsked("disconnect");
  assert.equal(item.runID, runID);
  const ended = await real.untilEvent("the end", ({ type }) => type === "session-ended");
  assert.equal(ended.kind, "lost");
  await real.untilGone((row) => row.runID === runID);
}

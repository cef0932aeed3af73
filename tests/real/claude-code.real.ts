/**
 * The real Claude Code: what mytty shows on the way, not only at the end.
 *
 * No hook tells ESC, a denial or an approval: those are seen by the estimator, in the file that
 * Claude Code keeps about each of its sessions.
 */

import assert from "node:assert/strict";
import { CLAUDE } from "./claude_code_home.ts";
import { isIn, type Real, realTest } from "./harness.ts";
import type { Pane } from "./panes.ts";
import { signal } from "./running.ts";

/** Commands run without being asked for. */
const ALLOWED = "claude --permission-mode default --allowedTools Bash";

/** Asks for a permission in the manual mode. */
const ASKS = "go [[tool touch made && sleep 3]] [[text Made it]]";

const DIALOG = /Do you want to proceed/;

realTest(CLAUDE, "a print run works, and is done without a pane", async (real) => {
  const printed = real.print("-p", "hello [[slow 4 Hi there]]");
  const row = await real.untilRow("a print run at work", ({ state }) => state === "running");
  assert.equal(row.provider, "claude-code");
  assert.equal(row.tty, null);
  const { code, stdout } = await printed;
  assert.equal(code, 0);
  assert.match(stdout, /^Hi there/);
  await real.untilEvent("its success", ({ kind }) => kind === "succeeded");
  await real.untilGone(({ runID }) => runID === row.runID);
  assert.deepEqual(await real.attention(), []);
}, { short: true });

realTest(CLAUDE, "prompt, approval, denial and ESC, each shown on the way", async (real) => {
  const pane = await real.open();
  await real.untilState(pane, "idle");

  await pane.say("hello [[slow 3 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.match(working.message ?? "", /^hello/);
  const done = await real.untilState(pane, "succeeded");
  assert.equal(done.runID, working.runID);
  assert.match(done.message ?? "", /^Hi there/);

  await pane.say(ASKS);
  const item = await untilAsks(real, pane);
  assert.equal(item.toolName, "Bash");
  await pane.answer("Enter", DIALOG);
  // Before the tool has finished, so before any hook could tell.
  await real.untilState(pane, "running");
  await real.untilSettled(item);
  assert.equal((await real.untilState(pane, "succeeded")).message, "Made it");

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

realTest(CLAUDE, "an approval is refused by its last choice", async (real) => {
  const pane = await real.open();
  await pane.say(ASKS);
  const item = await untilAsks(real, pane);
  await pane.untilScreen(/4\. No/);
  await pane.answer("4", DIALOG);
  await real.untilState(pane, "idle");
  await real.untilSettled(item);
});

realTest(CLAUDE, "ESC before any output, and in a running tool", async (real) => {
  const pane = await real.open(ALLOWED);
  await pane.say("hello [[silent 100]]");
  await real.untilState(pane, "running");
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  await pane.press("C-u");
  await pane.say("go [[tool timeout 100 tail -f /dev/null]]");
  await real.untilState(pane, "running");
  await pane.untilScreen(/Running/);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
});

realTest(CLAUDE, "a question waits for an answer", async (real) => {
  const pane = await real.open();
  await pane.say("go [[question Which colour?|Red|Blue]] [[slow 3 Blue it is]]");
  const row = await real.untilState(pane, "waiting-input");
  assert.match(row.message ?? "", /Which colour\?/);
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/2\. Blue/);
  await pane.press("2");
  await real.untilState(pane, "running");
  await real.untilSettled(item);
  await real.untilState(pane, "succeeded");
});

realTest(CLAUDE, "a question that is left by ESC is settled", async (real) => {
  const pane = await real.open();
  await pane.say("go [[question Which colour?|Red|Blue]]");
  await real.untilState(pane, "waiting-input");
  const item = await real.untilAsked("input-request");
  await pane.untilScreen(/2\. Blue/);
  await pane.press("Escape");
  await real.untilState(pane, "idle");
  await real.untilSettled(item);
});

realTest(CLAUDE, "an API error is a failure, and the next prompt goes on from it", async (real) => {
  const pane = await real.open();
  await pane.say("go [[error 400]]");
  const row = await real.untilState(pane, "failed");
  assert.match(row.message ?? "", /400/);
  await real.untilAsked("failure");
  await pane.say("again [[text Better now]]");
  await real.untilState(pane, "succeeded");
  assert.deepEqual((await real.rows()).length, 1);
});

realTest(CLAUDE, "/clear begins another session in the same pane", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[text Hi there]]");
  const before = await real.untilState(pane, "succeeded");
  await pane.say("/clear");
  const cleared = await real.untilRow(
    "another session in the pane",
    (row) => isIn(row, pane) && row.sessionID !== before.sessionID,
  );
  assert.equal(cleared.state, "idle");
  assert.equal((await real.rows()).length, 1);
  await pane.say("hello again [[slow 3 Hi again]]");
  const working = await real.untilState(pane, "running");
  assert.equal(working.sessionID, cleared.sessionID);
  await real.untilState(pane, "succeeded");
});

realTest(CLAUDE, "/exit leaves the active list, --continue resumes the session", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[text Hi there]]");
  const before = await real.untilState(pane, "succeeded");
  await pane.say("/exit");
  await real.untilGone((row) => isIn(row, pane));
  const ended = await real.untilEvent("the end", ({ type }) => type === "session-ended");
  assert.equal(ended.kind, "closed");
  await pane.say("clear; claude --permission-mode default --continue");
  await real.untilReady(pane);
  await pane.say("and now [[slow 3 Hi again]]");
  const resumed = await real.untilState(pane, "running");
  assert.equal(resumed.sessionID, before.sessionID);
  assert.notEqual(resumed.runID, before.runID);
  await real.untilState(pane, "succeeded");
});

realTest(CLAUDE, "a pane that is closed at work is lost", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[slow 100 Never said to the end]]");
  const working = await real.untilState(pane, "running");
  await pane.kill();
  await untilLost(real, working.runID);
});

realTest(CLAUDE, "kill -9 at work is lost, and the pane shows it", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[slow 100 Never said to the end]]");
  const working = await real.untilState(pane, "running");
  signal(await pane.foreground(), "SIGKILL");
  await real.untilState(pane, "disconnected");
  await untilLost(real, working.runID);
}, { short: true });

realTest(
  CLAUDE,
  "an agent that it runs is a child, and never speaks for the pane",
  async (real) => {
    const pane = await real.open(ALLOWED);
    await pane.say("go [[tool claude -p 'hello [[slow 5 Nested]]']] [[slow 3 All done]]");
    const row = await real.untilRow("a child", ({ children }) => children.length > 0);
    assert.ok(isIn(row, pane));
    assert.equal(row.state, "running");
    assert.match(row.message ?? "", /^go/);
    const done = await real.untilState(pane, "succeeded");
    assert.equal(done.runID, row.runID);
    assert.equal(done.sessionID, row.sessionID);
    assert.equal((await real.rows()).filter((row) => row.tty !== null).length, 1);
  },
);

realTest(CLAUDE, "without hooks it is estimated; hooks take over the same run", async (real) => {
  const pane = await real.open();
  await pane.say("hello [[slow 4 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.notEqual(working.evidence?.source, "hook");
  await real.untilState(pane, "succeeded");

  // Estimated while they come, then told by them: Claude Code reads its settings while it runs.
  await pane.say("go [[slow 20 Long enough to be taken over]] ");
  const estimated = await real.untilState(pane, "running");
  await real.ok("install", "claude-code");
  const done = await real.untilState(pane, "succeeded");
  assert.equal(done.runID, estimated.runID);

  await pane.say("and now [[slow 3 By hooks]]");
  await real.untilEvent("a hook's prompt", (event) => event.hookName === "UserPromptSubmit");
  const hooked = await real.untilState(pane, "succeeded");
  assert.equal(hooked.evidence?.source, "hook");
  assert.equal(hooked.sessionID, estimated.sessionID);
  assert.equal((await real.rows()).length, 1);
  const started = (await real.events()).filter(({ kind, applied }) =>
    kind === "started" && applied
  );
  assert.equal(new Set(started.map(({ runID }) => runID)).size, 3);
}, { hooks: false });

realTest(
  CLAUDE,
  "without hooks an approval, a question, ESC and an error are seen",
  async (real) => {
    const pane = await real.open();
    await pane.say(ASKS);
    const item = await untilAsks(real, pane);
    await pane.answer("Enter", DIALOG);
    await real.untilState(pane, "running");
    await real.untilSettled(item);
    await real.untilState(pane, "succeeded");

    await pane.say("go [[question Which colour?|Red|Blue]]");
    await real.untilAsked("input-request");
    await pane.untilScreen(/2\. Blue/);
    await pane.press("Escape");
    await real.untilState(pane, "idle");

    await pane.say("go [[error 400]]");
    await real.untilState(pane, "failed");
    assert.equal((await real.rows()).length, 1);
  },
  { hooks: false },
);

realTest(CLAUDE, "its hooks are tried, counted and taken out again to the byte", async (real) => {
  const path = `${real.place.home}/.claude/settings.json`;
  const original = '{\n   "theme": "dark",\n\t"hooks": {}}\n\n';
  Deno.writeTextFileSync(path, original);
  await real.ok("install", "claude-code");
  assert.notEqual(Deno.readTextFileSync(path), original);
  assert.match(await real.ok("test", "claude-code"), /✔ server/);
  assert.equal(await real.health(), "installed");
  const { code } = await real.print("-p", "hello [[text Hi there]]");
  assert.equal(code, 0);
  assert.equal(await real.health(), "receiving");
  await real.ok("uninstall", "claude-code");
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

/** What the tests of several agents do alike. */

import assert from "node:assert/strict";
import type { AttentionJson, PlaceJson } from "../../src/core/view/view_json.ts";
import { isIn, type Real } from "./harness.ts";
import type { Pane } from "./panes.ts";
import { signal } from "./running.ts";

/** More than anybody waits for: what ends it is the test. */
export const ENDLESS = "hello [[slow 300 Never said to the end]]";

/** The pane waits, the drawer says so, and the dialog can be answered. */
export async function untilAsks(real: Real, pane: Pane, dialog: RegExp): Promise<AttentionJson> {
  await real.untilState(pane, "waiting-approval");
  const item = await real.untilAsked("approval-request");
  await pane.untilScreen(dialog);
  return item;
}

/** Without a terminal: it works, is done, and has no pane; `words` come before the prompt. */
export async function printsAlone(real: Real, ...words: string[]): Promise<void> {
  const printed = real.print(...words, "hello [[slow 5 Hi there]]");
  const row = await real.untilRow("a print run at work", ({ state }) => state === "running");
  assert.equal(row.tty, null);
  const { code, stdout } = await printed;
  assert.equal(code, 0);
  assert.match(stdout, /Hi there/);
  await real.untilEvent("its success", ({ kind }) => kind === "succeeded");
  await real.untilGone(({ runID }) => runID === row.runID);
  assert.deepEqual(await real.attention(), []);
}

/** A prompt is work with its words, and then done: one run. */
export async function answersPrompt(real: Real, pane: Pane): Promise<PlaceJson> {
  await pane.say("hello [[slow 3 Hi there]]");
  const working = await real.untilState(pane, "running");
  assert.match(working.message ?? "", /^hello/);
  const done = await real.untilState(pane, "succeeded");
  assert.equal(done.runID, working.runID);
  return done;
}

/** The person says yes: work again before the command has ended, the item settled, then done. */
export async function goesOnAfter(real: Real, pane: Pane, item: AttentionJson): Promise<void> {
  await pane.press("Enter");
  await real.untilState(pane, "running");
  await real.untilSettled(item);
  await real.untilState(pane, "succeeded");
}

/** An API error is a failure in the drawer; the next prompt of the same pane goes well. */
export async function failsAndGoesOn(real: Real): Promise<void> {
  const pane = await real.open();
  await pane.say("go [[error 400]]");
  await real.untilState(pane, "failed");
  await real.untilAsked("failure");
  await pane.say("again [[text Better now]]");
  await real.untilState(pane, "succeeded");
  assert.equal((await real.rows()).length, 1);
}

/** Whoever leaves by the agent's own way leaves the active list, and nobody is alarmed. */
export async function quits(real: Real, leave: (pane: Pane) => Promise<unknown>): Promise<void> {
  const pane = await real.open();
  await pane.say("hello [[text Hi there]]");
  await real.untilState(pane, "succeeded");
  await leave(pane);
  await real.untilGone((row) => isIn(row, pane));
  assert.deepEqual(await real.attention(), []);
}

/** `kill -9` at work: the pane says so, and the drawer too. */
export async function killIsLost(real: Real, shown: RegExp): Promise<void> {
  const pane = await real.open();
  await pane.say(ENDLESS);
  const row = await real.untilState(pane, "running");
  await pane.untilScreen(shown);
  signal(-await pane.foreground(), "SIGKILL");
  await real.untilState(pane, "disconnected");
  assert.equal((await real.untilAsked("disconnect")).runID, row.runID);
  await real.ok("attention", "ack", "--all");
  await pane.kill();
}

/** A pane that is closed at work: its run is lost, where the agent has no last word. */
export async function closingIsLost(real: Real, shown: RegExp): Promise<void> {
  const row = await closed(real, shown);
  assert.equal((await real.untilAsked("disconnect")).runID, row.runID);
  await real.untilGone(({ runID }) => runID === row.runID);
}

/** The same where the agent still says that it was stopped: nobody is told of a death. */
export async function closingIsTold(real: Real, shown: RegExp): Promise<void> {
  const row = await closed(real, shown);
  await real.untilGone(({ runID }) => runID === row.runID);
  assert.deepEqual(await real.attention(), []);
}

async function closed(real: Real, shown: RegExp) {
  const pane = await real.open();
  await pane.say(ENDLESS);
  const row = await real.untilState(pane, "running");
  await pane.untilScreen(shown);
  await pane.kill();
  return row;
}

/** Runs that were begun, each once however often it was told. */
export async function begunRuns(real: Real): Promise<number> {
  const started = (await real.events()).filter(({ kind, applied }) =>
    kind === "started" && applied !== false
  );
  return new Set(started.map(({ runID }) => runID)).size;
}

/** What `install` does to the agent's own file is undone to the byte; new files go again. */
export async function comesAndGoes(
  real: Real,
  { kept = [], made = [], use }: {
    readonly kept?: readonly string[];
    readonly made?: readonly string[];
    /** Makes the agent's hooks speak once. */
    readonly use: () => Promise<unknown>;
  },
): Promise<void> {
  const { home } = real.place;
  const originals = kept.map((path) => Deno.readTextFileSync(`${home}/${path}`));
  await real.ok("install", real.agent.package.id);
  await use();
  await real.until("its hooks heard", async () => await real.health() === "receiving");
  await real.ok("uninstall", real.agent.package.id);
  kept.forEach((path, index) =>
    assert.equal(Deno.readTextFileSync(`${home}/${path}`), originals[index], path)
  );
  for (const path of made) {
    assert.throws(() => Deno.statSync(`${home}/${path}`), Deno.errors.NotFound, path);
  }
}

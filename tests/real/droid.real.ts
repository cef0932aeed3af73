/** The real Factory Droid, `droid exec` only: its terminal interface needs an account. */

import assert from "node:assert/strict";
import { DROID, MODEL } from "./droid_home.ts";
import { realTest } from "./harness.ts";
import { comesAndGoes } from "./steps.ts";

const EXEC = ["exec", "-m", MODEL];

realTest(
  DROID,
  "a run is seen with its first finished tool, and is done at its end",
  async (real) => {
    // No event tells the prompt; one tells a finished tool.
    const script = "go [[tool touch made]] [[slow 6 Made it]]";
    const printed = real.print(...EXEC, "--auto", "high", script);
    await real.untilEvent("its session", ({ type }) => type === "session-started");
    const row = await real.untilRow("a run at work", ({ state }) => state === "running");
    assert.equal(row.tty, null);
    const { code, stdout } = await printed;
    assert.equal(code, 0);
    assert.match(stdout, /Made it/);
    Deno.statSync(`${real.place.project}/made`);
    await real.untilEvent("its success", ({ kind }) => kind === "succeeded");
    await real.untilGone(({ sessionID }) => sessionID === row.sessionID);
    assert.deepEqual(await real.attention(), []);
  },
);

realTest(
  DROID,
  "an API error looks like an end, and is not made a success of its own",
  async (real) => {
    const { code } = await real.print(...EXEC, "go [[error 400]]");
    assert.notEqual(code, 0);
    await real.untilEvent("its end", ({ type }) => type === "session-ended");
    await real.untilGone(({ provider }) => provider === "droid");
    const kinds = (await real.events()).map(({ kind }) => kind);
    // Both end in the same event; `list --explain` says so.
    assert.ok(!kinds.includes("failed"));
  },
);

realTest(DROID, "its hooks are written, heard and taken out again to the byte", async (real) => {
  await comesAndGoes(real, {
    kept: [".factory/settings.json"],
    use: () => real.print(...EXEC, "hello [[text Hi there]]"),
  });
}, { hooks: false });

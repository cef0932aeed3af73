/**
 * An agent whose hooks name no turn: whichever speaks first, its hook or its file, and however the
 * estimator's looks fall in between, one prompt is one run.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import { withFolder } from "../helpers/daemon.ts";
import { World } from "../helpers/estimator_world.ts";

const SESSION = "11111111-1111-4111-8111-111111111111";
const FILE = `.pi/agent/sessions/--proj--/2026-11-30_${SESSION}.jsonl`;

/** Milliseconds from the prompt to what tells it; the file's line is dated when it is written. */
const turn = fc.record({
  hookAfter: fc.integer({ min: 0, max: 4_500 }),
  fileAfter: fc.integer({ min: 0, max: 4_500 }),
  lasts: fc.integer({ min: 5_000, max: 9_000 }),
  looks: fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 12 }),
  /** Until the next prompt: people may have typed it already. */
  pause: fc.integer({ min: 60, max: 3_000 }),
});

type Step = { readonly at: number; readonly does: () => Promise<void> | void };

function hook(world: World, event: string): void {
  world.hook("pi", { event, session_id: SESSION, text: "done" }, 10);
}

function line(world: World, message: Record<string, string>): void {
  const id = `${message.role} ${world.now}`;
  world.write(FILE, { type: "message", id, timestamp: world.iso(), message });
}

/** Whatever has been told: until the turn's end nothing may have ended it. */
async function look(world: World): Promise<void> {
  const before = world.shown(10);
  await world.pass();
  if (before === "running") assert.equal(world.shown(10), "running", world.names().join(", "));
}

Deno.test("hook and file, in any order, tell of one run for each prompt", async () => {
  const turns = fc.array(turn, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(turns, (turns) =>
      withFolder(async (folder) => {
        const world = new World(folder);
        world.run({
          pid: 10,
          argv: ["node", "/x/@earendil-works/pi-coding-agent/dist/cli.js"],
          cwd: "/proj",
        });
        await world.passes(4_000);
        for (const { hookAfter, fileAfter, lasts, looks, pause } of turns) {
          const begin = world.now;
          const steps: Step[] = [
            { at: hookAfter, does: () => hook(world, "agent_start") },
            { at: fileAfter, does: () => line(world, { role: "user", content: "go" }) },
            { at: lasts, does: () => line(world, { role: "assistant", stopReason: "stop" }) },
            { at: lasts + 50, does: () => hook(world, "agent_settled") },
            ...looks.filter((at) => at < lasts).map((at) => ({ at, does: () => look(world) })),
          ];
          for (const { at, does } of steps.toSorted((a, b) => a.at - b.at)) {
            world.now = Math.max(world.now, begin + at);
            await does();
          }
          assert.equal(world.shown(10), "succeeded");
          await world.passes(pause, 60);
          assert.equal(world.shown(10), "succeeded");
        }
        await world.passes(3_000);
        assert.equal(world.shown(10), "succeeded");
        const begun = world.rows.flatMap(({ entry }) =>
          entry.type === "agent-event" && entry.kind === "started" ? [entry.runID] : []
        );
        assert.equal(new Set(begun).size, turns.length, world.names().join(", "));
        assert.ok(!world.names().some((name) => name.endsWith("Superseded")));
      })),
    { numRuns: 60 },
  );
});

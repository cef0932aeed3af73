/** A server that is stopped and goes on: hooks keep their time, and nothing is lost or doubled. */

import assert from "node:assert/strict";
import { BUILT } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { allEvents } from "../helpers/events.ts";
import { promptPayload } from "../helpers/hooks.ts";
import { installLauncher, runHook } from "./hooks.ts";
import { assertTold, Victim } from "./victim.ts";

const HOOKS = 8;

/** The budget is 400 ms; a busy machine starts a process slowly. */
const PATIENCE_MS = 5_000;

Deno.test("while the server is stopped hooks end in time; when it goes on all are there, in order, none twice", async () => {
  await withFolder(async (folder) => {
    const commands = [await installLauncher(folder), [BUILT, "hook"]];
    const victim = await Victim.start(folder);
    try {
      await tell(folder, commands[0]!, "before");
      victim.signal("SIGSTOP");
      const sessions: string[] = [];
      for (let turn = 0; turn < HOOKS; turn++) {
        const session = `stopped-${turn}`;
        const began = performance.now();
        await tell(folder, commands[turn % commands.length]!, session);
        assert.ok(performance.now() - began < PATIENCE_MS, "the agent is not held up");
        sessions.push(session);
      }
      victim.signal("SIGCONT");
      await assertTold(victim, ["before", ...sessions]);
      const started = (await allEvents(victim.control)).filter(({ kind }) => kind === "started")
        .map(({ sessionID }) => sessionID);
      assert.deepEqual(started, [...new Set(started)], "none twice");
      assert.deepEqual(started.filter((id) => sessions.includes(id!)), sessions, "in their order");
    } finally {
      await victim.end("SIGKILL");
    }
  });
});

async function tell(folder: string, command: readonly string[], session: string): Promise<void> {
  const stdin = JSON.stringify(promptPayload(session));
  const { code } = await runHook([...command, "claude-code"], { folder, stdin });
  assert.equal(code, 0);
}

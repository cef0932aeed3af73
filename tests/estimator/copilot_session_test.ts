/** Copilot without hooks: its process holds a file beside its session's events open. */

import assert from "node:assert/strict";
import { withFolder } from "../helpers/daemon.ts";
import { World } from "../helpers/estimator_world.ts";

const SESSION = "5a61794e-d3b0-4e64-8097-8f37d35d5746";
const OTHER = "11111111-1111-4111-8111-111111111111";

function folderOf(session: string): string {
  return `.copilot/session-state/${session}`;
}

function event(
  world: World,
  session: string,
  type: string,
  data: Record<string, string | never[]>,
) {
  const id = `${type} ${world.now}`;
  world.write(`${folderOf(session)}/events.jsonl`, { type, id, timestamp: world.iso(), data });
}

Deno.test("Copilot's session is the one whose lock its process holds", async () => {
  await withFolder(async (folder) => {
    const it = new World(folder);
    const openFiles = [`${folder}/${folderOf(SESSION)}/inuse.10.hold`];
    it.run({ pid: 10, argv: ["/x/@github/copilot-linux-x64/copilot"], openFiles });
    await it.passes(4_000);
    assert.equal(it.shown(10), "idle");

    event(it, OTHER, "user.message", { content: "in another pane" });
    await it.passes(4_000);
    assert.equal(it.shown(10), "idle");

    event(it, SESSION, "user.message", { content: "go" });
    await it.passes(1_000);
    assert.equal(it.shown(10), "running");
    assert.equal(it.view(10).run?.message, "go");

    event(it, SESSION, "assistant.message", { toolRequests: [] });
    event(it, SESSION, "assistant.turn_end", {});
    await it.passes(1_000);
    assert.equal(it.shown(10), "succeeded");
  });
});

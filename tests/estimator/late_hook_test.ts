/** One prompt, told by a file and by a hook that names no turn, a moment apart. */

import assert from "node:assert/strict";
import { withFolder } from "../helpers/daemon.ts";
import { World } from "../helpers/estimator_world.ts";

const SESSION = "11111111-1111-4111-8111-111111111111";
const FILE = `.pi/agent/sessions/--proj--/2026-11-30_${SESSION}.jsonl`;

function world(name: string, task: (world: World) => Promise<void>): void {
  Deno.test(name, () =>
    withFolder(async (folder) => {
      const world = new World(folder);
      world.run({
        pid: 10,
        argv: ["node", "/x/@earendil-works/pi-coding-agent/dist/cli.js"],
        cwd: "/proj",
      });
      await world.passes(4_000);
      await task(world);
    }));
}

function hook(world: World, event: string, rest: Record<string, string> = {}): void {
  world.hook("pi", { event, session_id: SESSION, ...rest }, 10);
}

function line(world: World, message: Record<string, string>): void {
  const id = `${message.role} ${world.now}`;
  world.write(FILE, { type: "message", id, timestamp: world.iso(), message });
}

world("a hook takes over the run that its file has begun", async (it) => {
  line(it, { role: "user", content: "go" });
  await it.passes(2_500);
  const seen = it.view(10).run?.runID;
  assert.equal(it.shown(10), "running");
  hook(it, "agent_start", { prompt: "go" });
  assert.equal(it.view(10).run?.runID, seen);
  assert.equal(it.view(10).run?.source, "hook");
  it.now += 2_000;
  hook(it, "agent_settled", { text: "done" });
  assert.equal(it.shown(10), "succeeded");
  assert.equal(it.view(10).run?.runID, seen);
  assert.ok(!it.names().some((name) => name.endsWith("Superseded")));
});

world("a hook that comes much later is of the next prompt", async (it) => {
  line(it, { role: "user", content: "go" });
  await it.passes(9_000);
  const seen = it.view(10).run?.runID;
  assert.equal(it.shown(10), "running");
  hook(it, "agent_start", { prompt: "something else" });
  assert.notEqual(it.view(10).run?.runID, seen);
  assert.equal(it.shown(10), "running");
});

world("the end of a turn, read when the next has begun, ends nothing", async (it) => {
  hook(it, "session_start");
  hook(it, "agent_start", { prompt: "one" });
  line(it, { role: "user", content: "one" });
  await it.passes(3_000);
  // Hooks speak, so the file's word waits a moment, in which the person goes on.
  line(it, { role: "assistant", stopReason: "stop" });
  hook(it, "agent_settled", { text: "done" });
  await it.files(200);
  hook(it, "agent_start", { prompt: "two" });
  const second = it.view(10).run?.runID;
  await it.passes(2_000, 200);
  assert.equal(it.shown(10), "running");
  assert.equal(it.view(10).run?.runID, second);
});

world(
  "a file that is rewritten without the last turn does not bring the one before back",
  async (it) => {
    hook(it, "session_start");
    for (const prompt of ["one", "two"]) {
      hook(it, "agent_start", { prompt });
      line(it, { role: "user", content: prompt });
      await it.passes(3_000);
      if (prompt === "two") break;
      line(it, { role: "assistant", stopReason: "stop" });
      hook(it, "agent_settled", { text: "done" });
      await it.passes(3_000);
    }
    const earlier = Deno.readTextFileSync(`${it.home}/${FILE}`).split("\n").slice(0, 2);
    line(it, { role: "assistant", stopReason: "aborted" });
    await it.passes(1_000);
    assert.equal(it.shown(10), "idle");
    const second = it.view(10).run?.runID;
    Deno.writeTextFileSync(`${it.home}/${FILE}`, `${earlier.join("\n")}\n`);
    await it.passes(3_000);
    assert.equal(it.shown(10), "idle");
    assert.equal(it.view(10).run?.runID, second);
  },
);

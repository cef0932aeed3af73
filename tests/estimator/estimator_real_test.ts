/** Real programs in real terminals, seen by a real server without any hook. */

import assert from "node:assert/strict";
import { createEstimator } from "../../src/commands/_estimator.ts";
import type { AgentReport } from "../../src/core/ports.ts";
import { createProcesses } from "../../src/estimator/processes.ts";
import { type TestServer, withServer } from "../helpers/daemon.ts";
import { hasTmux, Tmux } from "../helpers/panes.ts";
import { Scene, until } from "../fixtures/processes/real.ts";

const ignore = !hasTmux();

type Stage = {
  readonly test: TestServer;
  readonly scene: Scene;
  readonly tmux: Tmux;
  /** The agents of this test: others run on the machine as well. */
  readonly agents: () => Promise<readonly AgentReport[]>;
};

async function onStage(task: (stage: Stage) => Promise<void>): Promise<void> {
  await using scene = new Scene();
  const tmux = new Tmux(scene.path("t.sock"), { HOME: scene.folder, HISTFILE: "/dev/null" });
  try {
    await withServer(async (test) => {
      const estimator = createEstimator(test.server.daemon, createProcesses());
      estimator.start();
      const agents = async () => {
        const all = await estimator.pass();
        return all.filter(({ cwd }) => cwd?.startsWith(scene.folder));
      };
      try {
        await task({ test, scene, tmux, agents });
      } finally {
        estimator.stop();
      }
    });
  } finally {
    tmux.ask("kill-server");
  }
}

function agentWhere(stage: Stage, is: (agent: AgentReport) => boolean): Promise<AgentReport> {
  return until("the agent", async () => (await stage.agents()).find(is));
}

Deno.test(
  { name: "an agent known by its process alone runs, and its end is no alarm", ignore },
  () =>
    onStage(async (stage) => {
      const { scene, tmux, test } = stage;
      const pane = tmux.pane(scene.folder);
      tmux.type(pane, `${scene.program("bin/goose")} -c 'read line'`);
      const agent = await agentWhere(stage, ({ state }) => state === "running");
      assert.equal(agent.provider, "goose");
      assert.equal(agent.evidence, "mytty.native.launchObserved");
      assert.match(agent.tty ?? "", /^\/dev\/pts\//);
      tmux.type(pane, "/exit");
      const { state } = test.server.daemon;
      const run = await until("its end", () => {
        const known = state.runs.get(agent.runID!);
        return Promise.resolve(known !== undefined && known.endedAt !== null ? known : null);
      });
      assert.deepEqual([run.state, run.hookName], ["idle", "mytty.native.processExited"]);
      assert.equal(state.items.size, 0);
    }),
);

Deno.test(
  { name: "Claude's own files show a turn, its question and its end", ignore },
  () =>
    onStage(async (stage) => {
      const { scene, tmux } = stage;
      const sessionID = crypto.randomUUID();
      tmux.type(tmux.pane(scene.folder), `${scene.program("bin/claude")} -c 'read line'`);
      const { pid } = await agentWhere(stage, () => true);
      const say = (words: Record<string, unknown>) =>
        Deno.writeTextFileSync(
          scene.path(`.claude/sessions/${pid}.json`),
          JSON.stringify({
            pid,
            sessionId: sessionID,
            cwd: scene.folder,
            statusUpdatedAt: Date.now(),
            ...words,
          }),
        );
      const slug = Deno.realPathSync(scene.folder).replace(/[^A-Za-z0-9]/g, "-");
      const transcript = scene.path(`.claude/projects/${slug}/${sessionID}.jsonl`);
      const write = (line: Record<string, unknown>) =>
        Deno.writeTextFileSync(
          transcript,
          `${JSON.stringify({ timestamp: new Date().toISOString(), ...line })}\n`,
          { append: true },
        );
      say({ status: "idle" });
      await agentWhere(stage, (agent) => agent.sessionID === sessionID && agent.state === "idle");
      write({ type: "user", uuid: "u1", promptId: "p1", message: { role: "user", content: "go" } });
      say({ status: "busy" });
      await agentWhere(stage, ({ state }) => state === "running");
      say({ status: "waiting", waitingFor: "permission prompt" });
      await agentWhere(stage, ({ state }) => state === "waiting-approval");
      say({ status: "busy" });
      await agentWhere(stage, ({ state }) => state === "running");
      write({
        type: "assistant",
        uuid: "a1",
        message: { role: "assistant", stop_reason: "end_turn", content: "Done" },
      });
      await agentWhere(stage, ({ state }) => state === "succeeded");
      const runs = [...stage.test.server.daemon.state.runs.values()]
        .filter((run) => run.sessionID === sessionID);
      assert.equal(runs.length, 1);
      Deno.kill(pid, "SIGKILL");
      await until("its end", async () => (await stage.agents()).length === 0);
    }),
);

Deno.test(
  { name: "npm Codex: launcher and child are one agent, idle at its prompt", ignore },
  () =>
    onStage(async (stage) => {
      const { scene, tmux } = stage;
      const native = scene.program("lib/vendor/x86_64-unknown-linux-musl/bin/codex");
      const launcher = scene.script(
        "lib/@openai/codex/bin/codex.js",
        `#!/usr/bin/env node
require("child_process").spawn(${
          JSON.stringify(native)
        }, process.argv.slice(2), { stdio: "inherit" });\n`,
      );
      const link = scene.link("bin/codex", launcher);
      tmux.type(tmux.pane(scene.folder), `${link} -c 'read line'`);
      const agent = await agentWhere(stage, ({ evidence }) => evidence !== null);
      assert.equal(agent.state, "idle");
      assert.equal((await stage.agents()).length, 1);
      assert.equal(Deno.readLinkSync(`/proc/${agent.pid}/exe`), Deno.realPathSync(native));
    }),
);

/** A surface opened by hand in a real terminal is that terminal's pane, whatever it was before. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type TestServer, withServer } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { hasTmux, listOf, rowOf, settled, Stage, Tmux } from "../helpers/panes.ts";
import { programEnv, runProgram } from "../helpers/program.ts";

const ignore = !hasTmux();
const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const PATIENCE_MS = 30_000;

type Scene = { readonly test: TestServer; readonly stage: Stage; readonly tmux: Tmux };

function withTmux(task: (scene: Scene) => Promise<void>): Promise<void> {
  return withServer(async (test) => {
    const folder = test.paths.state.replace(/\/state$/, "");
    const stage = await Stage.open(folder, test);
    const tmux = new Tmux(`${folder}/t.sock`, programEnv(folder));
    try {
      await task({ test, stage, tmux });
    } finally {
      tmux.end();
    }
  });
}

function prompt(sessionID: string): Record<string, unknown> {
  return { session_id: sessionID, hook_event_name: "UserPromptSubmit", prompt: "go", cwd: "/work" };
}

/** An agent in the pane tells one prompt of the session and ends. */
async function runAgent({ stage, tmux }: Scene, pane: string, sessionID: string): Promise<void> {
  const pipe = stage.pipe();
  const claude = `${stage.folder}/bin/claude`;
  tmux.type(pane, `${claude} -c '${stage.loop(pipe)}; true'`);
  await pipe.tell(stage.hook("claude-code", prompt(sessionID)));
  await settled(stage, pipe);
  pipe.close();
}

Deno.test({
  name:
    "opened in an adopted pane without a pid: it replaces that, gets its hooks, ends with its shell",
  ignore,
}, async () => {
  await withTmux(async (scene) => {
    const { test, stage, tmux } = scene;
    stage.program("bin/claude");
    const mytty = stage.script(
      "mytty",
      `#!/bin/sh\nexec "${Deno.execPath()}" run -A "${MAIN}" "$@"\n`,
    );
    const pane = tmux.pane(stage.folder);
    await runAgent(scene, pane, "before");
    assert.equal((await rowOf(test, "before")).adopted, true);
    tmux.type(pane, `eval "$('${mytty}' surface open --label mine)"`);
    const mine = await eventually(async () => {
      const { surfaces } = await listOf(test);
      return surfaces.length === 1 && !surfaces[0]!.adopted ? surfaces[0] : undefined;
    }, PATIENCE_MS);
    assert.equal(mine.tty, tmux.ask("display-message", "-p", "-t", pane, "#{pane_tty}"));
    const env = programEnv(stage.folder);
    const { stdout } = await runProgram(["list", "--explain"], { env });
    assert.ok(stdout.includes(`, tmux t.sock ${pane}, opened\n`), stdout);
    await runAgent(scene, pane, "after");
    const after = await rowOf(test, "after");
    assert.deepEqual([after.surfaceID, after.placement?.rule], [mine.surfaceID, "process"]);
    tmux.ask("kill-pane", "-t", pane);
    await eventually(async () => (await listOf(test)).surfaces.length === 0, PATIENCE_MS);
  });
});

Deno.test("a pid that is nobody's is refused; one that lives closes the surface by its end", async () => {
  await withServer(async (test) => {
    const env = programEnv(test.paths.state.replace(/\/state$/, ""));
    const child = new Deno.Command("sleep", { args: ["600"] }).spawn();
    const args = ["surface", "open", "--pid", String(child.pid)];
    assert.equal((await runProgram(args, { env })).code, 0);
    assert.equal((await listOf(test)).surfaces.length, 1);
    child.kill("SIGKILL");
    await child.status;
    const { code, stdout, stderr } = await runProgram(args, { env });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(
      stderr,
      new RegExp(`^mytty: Cannot open a surface for pid ${child.pid}: no such process; .*\\n$`),
    );
    await eventually(async () => (await listOf(test)).surfaces.length === 0, PATIENCE_MS);
  });
});

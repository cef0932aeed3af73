/** Beyond ordinary panes: containers, agents inside a shared process, spooled hooks, explanations. */

import assert from "node:assert/strict";
import {
  envelope,
  exchange,
  startTestServer,
  type TestServer,
  withFolder,
  withServer,
} from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { hasTmux, listOf, plainEnv, rowOf, settled, Stage, Tmux } from "../helpers/panes.ts";
import { programEnv, runProgram } from "../helpers/program.ts";
import { openRelay } from "../../src/socket/relay.ts";
import { postHook, promptPayload } from "../helpers/hooks.ts";

const ignore = !hasTmux();

function withStage(task: (test: TestServer, stage: Stage) => Promise<void>): Promise<void> {
  return withServer(async (test) => {
    const folder = test.paths.state.replace(/\/state$/, "");
    await task(test, await Stage.open(folder, test));
  });
}

function hasNamespaces(): boolean {
  try {
    const args = ["--pid", "--fork", "--mount-proc", "true"];
    return new Deno.Command("unshare", { args, stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "an agent in a container is placed by session, or by its capability",
  ignore: !hasNamespaces(),
}, async () => {
  await withStage(async (test, stage) => {
    const inside = async (sessionID: string, env: Record<string, string>) => {
      const line = stage.hook("claude-code", promptPayload(sessionID));
      const args = ["--pid", "--fork", "--mount-proc", "sh", "-c", `${line}; true`];
      const all = { ...plainEnv({ HOSTNAME: "4f1c9a7be2d0" }), ...env };
      await new Deno.Command("unshare", { args, env: all, clearEnv: true }).output();
      return await rowOf(test, sessionID);
    };
    const plain = await inside("plain", {});
    assert.deepEqual([plain.surfaceID, plain.host], [null, "4f1c9a7be2d0"]);
    const pane = await test.openSurface("pane");
    const { MYTTY_SURFACE_ID, MYTTY_EVENT_CAPABILITY } = pane.env as Record<string, string>;
    const own = await inside("own", {
      MYTTY_SURFACE_ID: MYTTY_SURFACE_ID!,
      MYTTY_EVENT_CAPABILITY: MYTTY_EVENT_CAPABILITY!,
    });
    assert.deepEqual([own.surfaceID, own.placement?.rule], [pane.surfaceID, "capability"]);
  });
});

Deno.test(
  { name: "an agent that a shared process started is under the session it names", ignore },
  async () => {
    await withStage(async (test, stage) => {
      const tmux = new Tmux(`${stage.folder}/t.sock`);
      const codex = stage.program("bin/codex");
      const claude = stage.program("bin/claude");
      const pipe = stage.pipe();
      const [first, second] = [tmux.pane(stage.folder), tmux.pane(stage.folder)];
      try {
        stage.script("app-server", `${stage.loop(pipe)}\n`);
        // The shared process is a child of the first pane's shell; its session is in the second.
        tmux.type(first, `set +m; setsid ${codex} app-server --managed-daemon &`);
        const { surfaceID } = await test.openSurface("second", tmux.rootOf(second));
        await test.openSurface("first", tmux.rootOf(first));
        await test.server.daemon.mailbox.submit(() => ({
          entries: [{
            type: "agent-event",
            id: crypto.randomUUID(),
            runID: crypto.randomUUID(),
            provider: "codex",
            kind: "started",
            occurredAt: Date.now(),
            source: "hook",
            sessionID: "thread",
            surfaceID,
            message: null,
            hookName: null,
            toolUseID: null,
            toolName: null,
          }],
        }));
        const hook = stage.hook("claude-code", promptPayload("inner"));
        const script = stage.script("inner.sh", `${hook}\nsleep 5\n`);
        await pipe.tell(`CODEX_THREAD_ID=thread ${claude} ${script} & :`);
        const row = await eventually(async () => {
          const found = (await listOf(test)).surfaces.find((row) => row.surfaceID === surfaceID);
          return found !== undefined && found.children.length > 0 && found;
        });
        assert.deepEqual(row.children.map((child) => child.sessionID), ["inner"]);
        // One that names none belongs to no pane, least of all to the first.
        const stranger = stage.hook("claude-code", promptPayload("stranger"));
        const other = stage.script("other.sh", `${stranger}\nsleep 5\n`);
        await pipe.tell(`${claude} ${other} & :`);
        assert.equal((await rowOf(test, "stranger")).surfaceID, null);
      } finally {
        pipe.close();
        tmux.end();
      }
    });
  },
);

Deno.test(
  { name: "panes survive a restart, and hooks spooled meanwhile find them", ignore },
  async () => {
    await withFolder(async (folder) => {
      let test = await startTestServer({ folder });
      const stage = await Stage.open(folder, test);
      const tmux = new Tmux(`${folder}/t.sock`);
      const pipe = stage.pipe();
      try {
        tmux.type(
          tmux.pane(folder),
          `${stage.program("bin/claude")} -c '${stage.loop(pipe)}; true'`,
        );
        await pipe.tell(stage.hook("claude-code", promptPayload("s1")));
        const { surfaceID } = await rowOf(test, "s1");
        await test.server.stop();
        await pipe.tell(stage.hook("claude-code", promptPayload("s2")));
        await settled(stage, pipe);
        test = await startTestServer({ folder });
        assert.equal((await rowOf(test, "s2")).surfaceID, surfaceID);
        assert.equal((await listOf(test)).surfaces.length, 1);
        const { stdout } = await runProgram(["list", "--explain"], { env: programEnv(folder) });
        assert.match(stdout, /placed by process: the agent's process descends from this pane's/);
      } finally {
        pipe.close();
        tmux.end();
        await test.server.stop();
      }
    });
  },
);

Deno.test("the relay speaks for its own pane only, and believes nothing about places", async () => {
  await withServer(async (test) => {
    const [mine, other] = [await test.openSurface("mine"), await test.openSurface("other")];
    const path = `${test.paths.runtime}/r.sock`;
    const relay = await openRelay({
      path,
      eventSocket: test.paths.eventSocket,
      claim: mine,
      host: "box",
    });
    try {
      const OK = '{"ok":true,"inserted":true}\n';
      const REFUSED = '{"ok":false,"error":"unauthorized"}\n';
      const bare = (surfaceID: string) => envelope({ surfaceID, capability: "" });
      assert.equal(await exchange(path, bare(mine.surfaceID)), OK);
      assert.equal(await exchange(path, bare(other.surfaceID)), REFUSED);
      assert.equal(await exchange(path, "nonsense\n"), '{"ok":false,"error":"invalid-request"}\n');
      const headers = {
        "mytty-pid": String(Deno.pid),
        "mytty-surface": other.surfaceID,
        "mytty-capability": other.capability,
        "mytty-env": "MYTTY_ORIGIN=elsewhere",
      };
      const reply = await postHook(path, { headers, body: promptPayload("s1") });
      assert.equal(reply.status, 200);
      const row = await rowOf(test, "s1");
      assert.deepEqual([row.surfaceID, row.host], [mine.surfaceID, "box"]);
      await postHook(path, { provider: "codex", headers, body: promptPayload("c1") });
      assert.equal((await rowOf(test, "c1")).surfaceID, mine.surfaceID);
    } finally {
      await relay.close();
    }
  });
});

Deno.test(
  { name: "a pane that was adopted first is one pane when it is opened", ignore },
  async () => {
    await withStage(async (test, stage) => {
      const tmux = new Tmux(`${stage.folder}/t.sock`);
      const pipe = stage.pipe();
      const pane = tmux.pane(stage.folder);
      try {
        tmux.type(pane, `${stage.program("bin/claude")} -c '${stage.loop(pipe)}; true'`);
        await pipe.tell(stage.hook("claude-code", promptPayload("s1")));
        await rowOf(test, "s1");
        const { surfaceID } = await test.openSurface("mine", tmux.rootOf(pane));
        assert.deepEqual((await listOf(test)).surfaces.map((row) => row.surfaceID), [surfaceID]);
        await pipe.tell(stage.hook("claude-code", promptPayload("s2")));
        assert.equal((await rowOf(test, "s2")).surfaceID, surfaceID);
        // The same surface is kept for whoever already has it, in the same terminal only.
        const again = async (within: unknown) => {
          const body = { pid: tmux.rootOf(pane), within };
          const reply = await test.control.request("/v1/surfaces", { method: "POST", body });
          return (reply.body as { surfaceID: string }).surfaceID;
        };
        const stranger = await test.openSurface("stranger");
        assert.notEqual(await again(stranger), stranger.surfaceID);
      } finally {
        pipe.close();
        tmux.end();
      }
    });
  },
);

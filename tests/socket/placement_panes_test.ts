/** Agents in ordinary terminals, with none of our variables: real tmux servers, real processes. */

import assert from "node:assert/strict";
import { eventually } from "../helpers/events.ts";
import { type TestServer, withServer } from "../helpers/daemon.ts";
import { hasTmux, listOf, type Pipe, plainEnv, rowOf, Stage, Tmux } from "../helpers/panes.ts";

const ignore = !hasTmux();

type Scene = { readonly test: TestServer; readonly stage: Stage };

function withStage(task: (scene: Scene) => Promise<void>): Promise<void> {
  return withServer(async (test) => {
    const folder = test.paths.state.replace(/\/state$/, "");
    await task({ test, stage: await Stage.open(folder, test) });
  });
}

function prompt(sessionID: string, cwd = "/work"): Record<string, unknown> {
  return { session_id: sessionID, hook_event_name: "UserPromptSubmit", prompt: "go", cwd };
}

/** Starts `agent` in a pane; it runs what the pipe tells. */
function startAgent(
  { stage, tmux, agent, cwd }: { stage: Stage; tmux: Tmux; agent: string; cwd: string },
): { pane: string; pipe: Pipe } {
  const pipe = stage.pipe();
  const pane = tmux.pane(cwd);
  tmux.type(pane, `${agent} -c '${stage.loop(pipe)}; true'`);
  return { pane, pipe };
}

Deno.test({
  name: "two tmux servers and a restarted one: every pane is its own surface",
  ignore,
}, async () => {
  await withStage(async ({ test, stage }) => {
    const claude = stage.link("bin/claude", stage.program("share/claude/versions/2.1.185"));
    const cwd = stage.cwd("proj");
    const servers = [new Tmux(`${stage.folder}/a,1.sock`), new Tmux(`${stage.folder}/b.sock`)];
    const pipes: Pipe[] = [];
    const begin = async (tmux: Tmux, sessionID: string) => {
      const { pane, pipe } = startAgent({ stage, tmux, agent: claude, cwd });
      pipes.push(pipe);
      await pipe.tell(stage.hook("claude-code", prompt(sessionID)));
      const row = await rowOf(test, sessionID);
      assert.deepEqual([row.adopted, row.placement?.rule], [true, "adopted"], sessionID);
      assert.equal(row.tty, tmux.ask("display-message", "-p", "-t", pane, "#{pane_tty}"));
      assert.ok(row.multiplexer?.endsWith(encodeURIComponent(pane)), row.multiplexer ?? "none");
      return row;
    };
    try {
      const rows = [await begin(servers[0]!, "s1"), await begin(servers[1]!, "s2")];
      rows.push(await begin(servers[0]!, "s3"));
      servers[0]!.end();
      await eventually(async () => (await listOf(test)).surfaces.length === 1);
      servers.push(new Tmux(servers[0]!.socket));
      rows.push(await begin(servers[2]!, "s4"));
      assert.equal(new Set(rows.map((row) => row.surfaceID)).size, 4);
      assert.equal(new Set(rows.map((row) => row.multiplexer)).size, 4);
    } finally {
      pipes.forEach((pipe) => pipe.close());
      servers.forEach((tmux) => tmux.end());
    }
  });
});

Deno.test(
  { name: "one pane is one surface, whichever agents come and go in it", ignore },
  async () => {
    await withStage(async ({ test, stage }) => {
      const tmux = new Tmux(`${stage.folder}/t.sock`);
      const claude = stage.program("bin/claude");
      const pane = tmux.pane(stage.folder);
      try {
        const ids: (string | null)[] = [];
        // The second one's environment was cleaned of the multiplexer's variables.
        for (const [sessionID, prefix] of [["s1", ""], ["s2", "env -u TMUX -u TMUX_PANE "]]) {
          const pipe = stage.pipe();
          tmux.type(pane, `${prefix}${claude} -c '${stage.loop(pipe)}; true'`);
          await pipe.tell(stage.hook("claude-code", prompt(sessionID!)));
          ids.push((await rowOf(test, sessionID!)).surfaceID);
          pipe.close();
          await eventually(async () =>
            !(await listOf(test)).surfaces.some((row) => row.state === "running")
          );
        }
        assert.equal(ids[0], ids[1]);
        assert.equal((await listOf(test)).surfaces.length, 1);
      } finally {
        tmux.end();
      }
    });
  },
);

Deno.test({ name: "twenty agents in one directory stay apart", ignore }, async () => {
  await withStage(async ({ test, stage }) => {
    const tmux = new Tmux(`${stage.folder}/t.sock`);
    const claude = stage.program("lib/claude-code/bin/claude.exe");
    const cwd = stage.cwd("proj");
    const agents = Array.from({ length: 20 }, (_, at) => ({
      sessionID: `s${at}`,
      ...startAgent({ stage, tmux, agent: claude, cwd }),
    }));
    try {
      await Promise.all(
        agents.map(({ pipe, sessionID }) =>
          pipe.tell(stage.hook("claude-code", prompt(sessionID, cwd)))
        ),
      );
      const surfaces = new Set<string>();
      for (const { sessionID, pane } of agents) {
        const row = await rowOf(test, sessionID);
        assert.ok(row.multiplexer?.endsWith(encodeURIComponent(pane)), sessionID);
        surfaces.add(row.surfaceID!);
      }
      assert.equal(surfaces.size, 20);
    } finally {
      agents.forEach(({ pipe }) => pipe.close());
      tmux.end();
    }
  });
});

const OUTER = [["in its turn", "UserPromptSubmit"], ["before it has one", "SessionStart"]] as const;

for (const [when, hook_event_name] of OUTER) {
  Deno.test(
    { name: `an agent that an agent started ${when} is a child run of its pane`, ignore },
    async () => {
      await withStage(async ({ test, stage }) => {
        const tmux = new Tmux(`${stage.folder}/t.sock`);
        const claude = stage.program("bin/claude");
        const codex = stage.program("bin/codex");
        stage.script("proj/exec", `eval "$HOOK"\nread -r wait < "${stage.folder}/hold"\n`);
        const outer = startAgent({ stage, tmux, agent: claude, cwd: stage.cwd("proj") });
        new Deno.Command("mkfifo", { args: [`${stage.folder}/hold`] }).outputSync();
        try {
          await outer.pipe.tell(stage.hook("claude-code", { ...prompt("outer"), hook_event_name }));
          const { surfaceID } = await rowOf(test, "outer");
          const nested = stage.hook("codex", { ...prompt("inner"), turn_id: "t1" });
          await outer.pipe.tell(`HOOK=${quote(nested)} ${codex} exec & sleep 0`);
          const row = await eventually(async () => {
            const found = (await listOf(test)).surfaces.find((row) => row.surfaceID === surfaceID);
            return found !== undefined && found.children.length > 0 && found;
          });
          assert.deepEqual([row.provider, row.sessionID], ["claude-code", "outer"]);
          assert.deepEqual(row.children.map((child) => [child.provider, child.sessionID]), [
            ["codex", "inner"],
          ]);
          assert.deepEqual((await listOf(test)).unplaced, []);
        } finally {
          // A writer that comes and goes lets the inner one read on to its end.
          Deno.openSync(`${stage.folder}/hold`, { read: true, write: true }).close();
          outer.pipe.close();
          tmux.end();
        }
      });
    },
  );
}

Deno.test({ name: "a background job and a shared server belong to no pane", ignore }, async () => {
  await withStage(async ({ test, stage }) => {
    const tmux = new Tmux(`${stage.folder}/t.sock`);
    const claude = stage.program("bin/claude");
    const { pipe } = startAgent({ stage, tmux, agent: claude, cwd: stage.folder });
    try {
      await pipe.tell(stage.hook("claude-code", prompt("mine")));
      const mine = await rowOf(test, "mine");
      await pipe.tell(`CLAUDE_JOB_DIR=/x; export CLAUDE_JOB_DIR`);
      await pipe.tell(stage.hook("claude-code", prompt("job")));
      const job = await rowOf(test, "job");
      assert.deepEqual([job.surfaceID, job.placement?.rule], [null, "background-job"]);
      const after = (await listOf(test)).surfaces.find((row) => row.surfaceID === mine.surfaceID);
      assert.equal(after?.sessionID, "mine");
    } finally {
      pipe.close();
      tmux.end();
    }
  });
});

Deno.test(
  { name: "a terminal without a multiplexer, and nested shells in it, is a pane", ignore },
  async () => {
    await withStage(async ({ test, stage }) => {
      const claude = stage.program("bin/claude");
      const pipe = stage.pipe();
      const line = `bash --norc -c "sh -c '${claude} -c \\"${
        stage.loop(pipe).replaceAll('"', '\\\\\\"').replaceAll("$", "\\\\\\$")
      }; true\\"; true'; true"`;
      const host = new Deno.Command("script", {
        args: ["-qec", line, "/dev/null"],
        env: plainEnv(),
        clearEnv: true,
        stdin: "piped",
        stdout: "null",
        stderr: "null",
      }).spawn();
      try {
        await pipe.tell(stage.hook("claude-code", prompt("s1")));
        const row = await rowOf(test, "s1");
        assert.deepEqual([row.placement?.rule, row.multiplexer], ["adopted", null]);
        assert.match(row.tty ?? "", /^\/dev\/pts\/\d+$/);
      } finally {
        pipe.close();
        host.kill("SIGKILL");
        await host.stdin.close().catch(() => {});
        await host.status;
      }
    });
  },
);

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

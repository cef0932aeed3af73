/** The shells' part in real terminals: one surface per shell, quiet prompts, command ends told. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Shell, shellInit, SHELLS } from "../../src/core/shell/shell_init.ts";
import { type TestServer, withServer } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { hasTmux, listOf, rowOf, Stage, Tmux } from "../helpers/panes.ts";
import { programEnv } from "../helpers/program.ts";
import { writeExecutable } from "../helpers/executable.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const START: Readonly<Record<string, { run: string; init: string; nested: string }>> = {
  bash: { run: "bash --norc --noprofile", init: 'eval "$(MYTTY shell-init bash)"', nested: "bash" },
  zsh: { run: "zsh -f", init: 'eval "$(MYTTY shell-init zsh)"', nested: "zsh" },
  fish: { run: "fish --no-config", init: "MYTTY shell-init fish | source", nested: "fish" },
};

function has(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
}

const uuid = "9e41b0b2-0000-4000-8000-000000000000";

type Shown = {
  readonly test: TestServer;
  readonly tmux: Tmux;
  readonly pane: string;
  readonly folder: string;
};

/** A pane with the shell in it, and `mytty` in front of its PATH. */
function withShell(shell: string, task: (shown: Shown) => Promise<void>): Promise<void> {
  return withServer(async (test) => {
    const folder = test.paths.state.replace(/\/state$/, "");
    const words = `"${Deno.execPath()}" run -A "${MAIN}" "$@"`;
    writeExecutable(`${folder}/mytty`, `#!/bin/sh\nexec ${words}\n`);
    const tmux = new Tmux(`${folder}/t.sock`, programEnv(folder));
    try {
      const pane = tmux.ask(
        ...["new-window", "-t", "main:", "-P", "-F", "#{pane_id}", "-e", `HOME=${folder}`],
        ...["-e", `MYTTY_RUNTIME_DIR=${folder}/run`, "-e", `MYTTY_STATE_DIR=${folder}/state`],
        ...["-e", `DENO_DIR=${Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`}`],
        START[shell]!.run,
      );
      await task({ test, tmux, pane, folder });
    } finally {
      tmux.end();
    }
  });
}

function init(shell: string, folder: string): string {
  return START[shell]!.init.replace("MYTTY", `${folder}/mytty`);
}

async function line({ tmux, pane, folder }: Shown, text: string): Promise<string> {
  const file = `${folder}/out-${crypto.randomUUID()}`;
  tmux.type(pane, `${text} > ${file}; true done > ${file}.done`);
  await eventually(() => {
    try {
      return Deno.statSync(`${file}.done`).isFile;
    } catch {
      return false;
    }
  }, 20_000);
  return Deno.readTextFileSync(file).trim();
}

for (const shell of SHELLS) {
  const ignore = !hasTmux() || !has(shell);

  Deno.test(
    { name: `${shell}: a surface per shell, and one only, however often`, ignore },
    async () => {
      await withShell(shell, async (shown) => {
        const { test, tmux, pane, folder } = shown;
        tmux.type(pane, init(shell, folder));
        const first = await eventually(async () => (await listOf(test)).surfaces[0], 20_000);
        assert.equal(first.tty, tmux.ask("display-message", "-p", "-t", pane, "#{pane_tty}"));
        assert.ok(first.multiplexer?.endsWith(encodeURIComponent(pane)));
        assert.equal(await line(shown, "echo $MYTTY_SURFACE_ID"), first.surfaceID);
        tmux.type(pane, init(shell, folder));
        assert.equal(await line(shown, "echo $MYTTY_SURFACE_ID"), first.surfaceID);
        // A shell in the shell, in the same terminal.
        tmux.type(pane, START[shell]!.run);
        tmux.type(pane, init(shell, folder));
        assert.equal(await line(shown, "echo $MYTTY_SURFACE_ID"), first.surfaceID);
        assert.equal((await listOf(test)).surfaces.length, 1);
      });
    },
  );

  Deno.test(
    { name: `${shell}: the end of an agent's command is told, $? stays`, ignore },
    async () => {
      await withShell(shell, async (shown) => {
        const { test, tmux, pane, folder } = shown;
        tmux.type(pane, init(shell, folder));
        const { surfaceID } = await eventually(
          async () => (await listOf(test)).surfaces[0],
          20_000,
        );
        const state = async () =>
          (await listOf(test)).surfaces.find((row) => row.surfaceID === surfaceID)?.state;
        tmux.type(pane, `${folder}/mytty emit --provider my-agent --kind started; sh -c 'exit 3'`);
        await eventually(async () => await state() === "failed", 20_000);
        const status = shell === "fish" ? "$status" : "$?";
        tmux.type(pane, "sh -c 'exit 7'");
        assert.equal(await line(shown, `echo ${status}`), "7");
        const text = tmux.ask("capture-pane", "-p", "-t", pane);
        assert.ok(!/error|not found|No such/i.test(text), text);
      });
    },
  );

  Deno.test(
    { name: `${shell}: an agent that exits well has not died, one that is killed failed`, ignore },
    async () => {
      await withShell(shell, async (shown) => {
        const { test, tmux, pane, folder } = shown;
        const stage = await Stage.open(folder, test);
        const claude = stage.program("claude");
        tmux.type(pane, init(shell, folder));
        await eventually(async () => (await listOf(test)).surfaces[0], 20_000);
        const ends = [["well", "exit 0", "succeeded"], ["badly", "kill -9 $$", "failed"]] as const;
        for (const [session_id, last, wanted] of ends) {
          const pipe = stage.pipe();
          const script = stage.script(`${session_id}.sh`, stage.loop(pipe));
          tmux.type(pane, `${claude} ${script}`);
          const said = { hook_event_name: "UserPromptSubmit", prompt: "go", cwd: folder };
          await pipe.tell(stage.hook("claude-code", { session_id, ...said }));
          const { runID } = (await rowOf(test, session_id)) as unknown as { runID: string };
          await pipe.tell(last);
          const state = async () => {
            const { body } = await test.control.request(`/v1/runs/${runID}`);
            return (body as { state: string }).state;
          };
          // On a busy machine it may be called lost first; what the shell says is what stays.
          await eventually(async () => await state() === wanted, 20_000);
          pipe.close();
        }
        const { body } = await test.control.request("/v1/attention");
        const { items } = body as { items: { kind: string; message: string }[] };
        assert.deepEqual(items.map(({ kind, message }) => [kind, message]), [
          ["failure", "Exit status 137"],
        ]);
      });
    },
  );

  Deno.test(
    { name: `${shell}: without a server the prompt works all the same`, ignore },
    async () => {
      await withShell(shell, async (shown) => {
        const { tmux, pane, folder } = shown;
        tmux.type(
          pane,
          shell === "fish"
            ? "set -gx MYTTY_RUNTIME_DIR /nowhere"
            : "export MYTTY_RUNTIME_DIR=/nowhere",
        );
        tmux.type(pane, init(shell, folder));
        assert.equal(await line(shown, "echo fine"), "fine");
      });
    },
  );
}

Deno.test("what a shell evaluates starts no process of its own", () => {
  const surface = { surfaceID: uuid, env: { MYTTY_EVENT_SOCKET: "/run/x.sock" }, liveFile: "/l" };
  for (const shell of SHELLS) {
    const text = shellInit(shell, { surface, program: ["mytty"] });
    const outside = text.replace(/'[^']*'/g, "''").replace(/\$\(\(.*?\)\)/g, "");
    assert.ok(!/`|\$\(/.test(outside), `${shell} substitutes a command`);
    // The one subshell is that of the report.
    assert.equal(outside.match(/^\s*\(/gm)?.length ?? 0, shell === "fish" ? 0 : 1);
  }
});

for (const [shell, flag] of [["bash", "-c"], ["zsh", "-fc"], ["fish", "-c"]]) {
  Deno.test({ name: `${shell}: values are words, never code`, ignore: !has(shell!) }, () => {
    const value = "/tmp/a b'c$(touch /x)`d\\e\".sock";
    const surface = { surfaceID: uuid, env: { MYTTY_EVENT_SOCKET: value }, liveFile: value };
    const text = shellInit(shell as Shell, { surface, program: [value] });
    const out = execFileSync(shell!, [flag!, `${text}printf '%s' "$MYTTY_EVENT_SOCKET"`], {
      encoding: "utf8",
    });
    assert.equal(out, value);
  });
}

for (const [shell, flag] of [["bash", "-euc"], ["zsh", "-fuc"]]) {
  Deno.test({ name: `${shell}: strict options are no trouble`, ignore: !has(shell!) }, () => {
    const text = shellInit(shell as "bash" | "zsh", { surface: null, program: ["mytty"] });
    const calls =
      `${text}${text}false || __mytty_precmd || true; __mytty_ran=1; true; __mytty_precmd`;
    const out = execFileSync(shell!, [flag!, calls], { encoding: "utf8" });
    assert.match(out, /133;D;0/);
  });
}

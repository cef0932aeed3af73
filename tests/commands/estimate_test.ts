/** `mytty estimate` as the real program: transcripts, streams, passes with and without a server. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createEstimator } from "../../src/commands/_estimator.ts";
import type { AgentReport } from "../../src/core/ports.ts";
import { findProvider } from "../../src/core/registry.ts";
import { createProcesses } from "../../src/estimator/processes.ts";
import { Scene, until } from "../fixtures/processes/real.ts";
import { withFolder, withServer } from "../helpers/daemon.ts";
import { installContextFor, putProgram, runInstall } from "../helpers/install_home.ts";
import { hasTmux, listOf, Tmux } from "../helpers/panes.ts";
import { programEnv, runProgram, spawnProgram } from "../helpers/program.ts";

const ignore = !hasTmux();
const RECORDING = "../fixtures/providers/codex/recordings/slow-hook.transcript.jsonl";

function linesOf(text: string) {
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

Deno.test("a transcript is told as turns; what is missing is said", () =>
  withFolder(async (folder) => {
    const env = programEnv(folder);
    const [head, ...lines] = Deno.readTextFileSync(new URL(RECORDING, import.meta.url)).split("\n");
    const name = JSON.parse(head!).file.split("/").at(-1);
    Deno.writeTextFileSync(`${folder}/${name}`, lines.join("\n"));
    const words = ["estimate", "--transcript", `${folder}/${name}`];
    const told = await runProgram([...words, "--provider", "codex"], { env });
    assert.equal(told.code, 0, told.stderr);
    const facts = linesOf(told.stdout);
    const kinds = facts.filter(({ fact }) => fact === "run").map(({ kind }) => kind);
    assert.deepEqual(kinds, ["started", "running", "succeeded", "started", "idle"]);
    for (const { at } of facts) assert.ok(Number.isFinite(Date.parse(at)), String(at));
    const wrong: [string[], number, RegExp][] = [
      [words, 2, /--transcript needs --provider/],
      [[...words, "--provider", "nobody"], 2, /--transcript needs --provider/],
      [[...words, "--provider", "amp"], 1, /No transcripts of Amp are known/],
      [["estimate", "--transcript", `${folder}/none`, "--provider", "codex"], 1, /Cannot read/],
      [["estimate", "--provider", "codex"], 2, /--provider goes with --transcript/],
      [["estimate", "--stream", "--provider", "codex"], 2, /--provider goes with --transcript/],
      [[...words, "--provider", "codex", "--stream"], 2, /--stream does not go with --transcript/],
      [
        ["estimate", "--transcript", folder, "--provider", "codex"],
        1,
        /Cannot read .* is a folder/,
      ],
      [["estimate", "--surface", "x"], 2, /--surface goes with --stream/],
      [["estimate", "--watch", "--interval", "1"], 2, /--interval takes a whole number from 100/],
    ];
    for (const [args, code, message] of wrong) {
      const ran = await runProgram(args, { env });
      assert.deepEqual([ran.code, ran.stdout], [code, ""], args.join(" "));
      assert.match(ran.stderr, message);
    }
  }));

Deno.test("a file that is no transcript of that agent is an error, lines that are torn are named", () =>
  withFolder(async (folder) => {
    const env = programEnv(folder);
    const estimate = (text: string, provider: string) => {
      Deno.writeTextFileSync(`${folder}/file.jsonl`, text);
      const words = ["--transcript", `${folder}/file.jsonl`, "--provider", provider];
      return runProgram(["estimate", ...words], { env });
    };
    const [, ...lines] = Deno.readTextFileSync(new URL(RECORDING, import.meta.url)).trimEnd()
      .split("\n");
    const nothing: [string, string, RegExp][] = [
      ["", "codex", /no line of it is a Codex transcript\n$/],
      [
        "\u0000\u0001 garbage\n{ torn\n",
        "claude-code",
        /no line of it is a Claude Code transcript/,
      ],
      [lines.join("\n"), "claude-code", /no line of it is a Claude Code transcript/],
    ];
    for (const [text, provider, message] of nothing) {
      const ran = await estimate(text, provider);
      assert.deepEqual([ran.code, ran.stdout], [1, ""], message.source);
      assert.match(ran.stderr, message);
    }
    const whole = await estimate(`${lines.join("\n")}\n`, "codex");
    assert.deepEqual([whole.code, whole.stderr], [0, ""]);
    const torn = await estimate(["{ torn", ...lines, '{"type":"ev'].join("\n"), "codex");
    assert.equal(torn.code, 0);
    assert.equal(torn.stdout, whole.stdout);
    assert.match(torn.stderr, /^[^\n]*skipped 2 lines that cannot be read\n$/);
    const last = await estimate(lines.join("\n"), "codex");
    assert.equal(last.stdout, whole.stdout, "a last line without a newline is read");
  }));

/** A goose in a pane of a tmux of its own, and a way to see only it. */
async function withGoose(
  task: (goose: { scene: Scene; pid: number; env: Record<string, string> }) => Promise<void>,
): Promise<void> {
  await using scene = new Scene();
  const env = programEnv(scene.folder, { HISTFILE: "/dev/null" });
  const tmux = new Tmux(scene.path("t.sock"), env);
  try {
    tmux.type(tmux.pane(scene.folder), `exec ${scene.program("bin/goose")} -c 'read line'`);
    const pane = tmux.ask("display-message", "-p", "-t", "main", "#{pane_pid}");
    const processes = createProcesses();
    await until("goose", async () => (await processes.readProcess(Number(pane)))?.comm === "goose");
    await task({ scene, pid: Number(pane), env });
  } finally {
    tmux.end();
  }
}

Deno.test(
  { name: "without a server one pass sees what runs here", ignore },
  () =>
    withGoose(async ({ scene, pid, env }) => {
      const { code, stdout } = await runProgram(["estimate", "--json"], { env });
      assert.equal(code, 0);
      const { agents } = JSON.parse(stdout) as { agents: AgentReport[] };
      const mine = agents.find((agent) => agent.pid === pid)!;
      assert.deepEqual([mine.provider, mine.cwd, mine.state, mine.hooks, mine.evidence], [
        "goose",
        scene.folder,
        "running",
        "unheard",
        "mytty.native.launchObserved",
      ]);
      const table = await runProgram(["estimate"], { env });
      assert.match(
        table.stdout,
        new RegExp(`^running +Goose +${pid} +/dev/pts/\\d+ +process `, "m"),
      );
      const explained = await runProgram(["estimate", "--explain"], { env });
      assert.match(explained.stdout, new RegExp(`process +${pid}, in the foreground`));
      assert.match(explained.stdout, /evidence +process mytty\.native\.launchObserved/);
    }),
);

Deno.test(
  { name: "--watch prints an agent when it changes, and once when it is gone", ignore },
  () =>
    withGoose(async ({ pid, env }) => {
      const child = spawnProgram(["estimate", "--watch", "--json", "--interval", "100"], env);
      let text = "";
      const reading = (async () => {
        for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) text += part;
      })();
      const mine = () =>
        text.split("\n").slice(0, -1).map((line) => JSON.parse(line) as AgentReport)
          .filter((agent) => agent.pid === pid).map(({ state }) => state as string);
      try {
        await until("the agent", () => Promise.resolve(mine().includes("running")));
        Deno.kill(pid, "SIGKILL");
        await until("its end", () => Promise.resolve(mine().at(-1) === "gone"));
        assert.equal(mine().filter((state) => state === "gone").length, 1);
      } finally {
        child.kill("SIGKILL");
        await Promise.all([child.status, reading, child.stderr.cancel(), child.stdin.close()]);
      }
    }),
);

Deno.test(
  { name: "a pane's stream tells the server how commands ended", ignore },
  () =>
    withServer(async (test) => {
      const folder = test.paths.state.replace(/\/state$/, "");
      const tmux = new Tmux(`${folder}/t.sock`);
      try {
        const pane = tmux.pane(folder);
        const surface = await test.openSurface("one", tmux.rootOf(pane));
        const env = programEnv(folder);
        const emit = ["emit", "--provider", "my-agent", "--kind", "started"];
        const claim = {
          MYTTY_SURFACE_ID: surface.surfaceID,
          MYTTY_EVENT_CAPABILITY: surface.capability,
        };
        assert.equal((await runProgram(emit, { env: { ...env, ...claim } })).code, 0);
        const words = Object.entries(env).map(([name, value]) => `${name}='${value}'`).join(" ");
        const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
        const stream = `exec env -i ${words} '${Deno.execPath()}' run -A '${main}'`;
        const told = `${folder}/told`;
        const command = `${stream} estimate --stream --surface '#{pane_id}' >'${told}' 2>&1`;
        tmux.ask("pipe-pane", "-t", pane, "-o", command);
        tmux.type(pane, String.raw`printf '\033]133;C\007\033]7501;working\007\033]133;D;3\007'`);
        await until("its end", async () => (await listOf(test)).surfaces[0]?.state === "failed");
        const [run] = [...test.server.daemon.state.runs.values()];
        assert.equal(run!.message, "Exit status 3");
        const signals = linesOf(Deno.readTextFileSync(told)).map(({ signal }) => signal);
        assert.deepEqual(signals, ["command-started", "status", "command-ended"]);
      } finally {
        tmux.end();
      }
    }),
);

Deno.test("a stream without a server, or for nobody, says so once and goes on", () =>
  withServer(async (test) => {
    const folder = test.paths.state.replace(/\/state$/, "");
    const stdin = "\x1b]9;One\x07\x1b]9;Two\x07\x1b]133;D;0\x07";
    const words = ["estimate", "--stream", "--surface"];
    const nobody = await runProgram([...words, "%77"], { env: programEnv(folder), stdin });
    assert.equal(linesOf(nobody.stdout).length, 3);
    assert.equal(nobody.code, 1);
    assert.match(nobody.stderr, /No open surface has the id, label or pane "%77"/);
    const none = programEnv(folder, { MYTTY_RUNTIME_DIR: `${folder}/none` });
    const alone = await runProgram([...words, "%77"], { env: none, stdin });
    assert.equal(linesOf(alone.stdout).length, 3);
    assert.equal(alone.code, 3);
    assert.equal(alone.stderr.match(/No mytty serves/g)?.length, 1);
  }));

Deno.test(
  { name: "not-installed-only leaves agents with installed hooks to them", ignore },
  () =>
    withGoose(async ({ scene, pid }) => {
      await withServer(async (test) => {
        let mode = "not-installed-only";
        const { daemon } = test.server;
        const estimator = createEstimator(daemon, createProcesses(), { mode: () => mode });
        const isSeen = async () => (await estimator.pass()).some((agent) => agent.pid === pid);
        assert.equal(await isSeen(), true);
        const goose = findProvider("goose")!;
        goose.install.programs.forEach((name) => putProgram(scene.folder, name));
        const context = installContextFor(scene.folder, { stateFolder: test.paths.state });
        await runInstall([goose], context, { isExplicit: true });
        assert.equal(await isSeen(), false);
        mode = "auto";
        assert.equal(await isSeen(), true);
        mode = "off";
        assert.equal(await isSeen(), false);
        mode = "not-installed-only";
        await runInstall([goose], context, { uninstalls: true });
        assert.equal(await isSeen(), true);
      });
    }),
);

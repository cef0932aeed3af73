/**
 * Codex's shared background process against real panes: every session ends on its own pane or
 * honestly on none, never on another's.
 */

import assert from "node:assert/strict";
import { exchange, type TestServer, withServer } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import {
  type FakeCodex,
  installCodex,
  noteOpening,
  threadID,
  writeRollout,
} from "../helpers/codex.ts";
import {
  hasTmux,
  listOf,
  type ListRow,
  type Pipe,
  rowOf,
  settled,
  Stage,
  Tmux,
} from "../helpers/panes.ts";

const ignore = !hasTmux();
const RECORDINGS = new URL("../fixtures/providers/codex/recordings/", import.meta.url);

class Scene {
  readonly pipes: Pipe[] = [];

  constructor(
    readonly test: TestServer,
    readonly stage: Stage,
    readonly tmux: Tmux,
    readonly codex: FakeCodex,
    readonly cwd: string,
  ) {}

  /** A window in which a person has typed `codex WORDS`, once its native program runs. */
  async open(
    words = "",
    cwd = this.cwd,
  ): Promise<{ pane: string; tty: string; startedAt: number }> {
    const pane = this.tmux.pane(cwd);
    const tty = this.tmux.ask("display-message", "-p", "-t", pane, "#{pane_tty}");
    this.tmux.type(pane, `CODEX_HOME=${this.codex.home} ${this.codex.command} ${words}`);
    await eventually(() => this.#nativeOn(tty));
    return { pane, tty, startedAt: Date.now() };
  }

  /** Pid of the native program on a terminal; undefined while there is none. */
  #nativeOn(tty: string): number | undefined {
    const { stdout } = new Deno.Command("ps", { args: ["-o", "pid=,args=", "-t", tty.slice(5)] })
      .outputSync();
    const lines = new TextDecoder().decode(stdout).split("\n").map((line) => line.trim());
    const own = lines.find((line) => line.split(" ")[1] === this.codex.native);
    return own === undefined ? undefined : Number.parseInt(own);
  }

  /** What a person sees after `/quit`: the program is gone, the shell is there. */
  quit(tty: string): void {
    Deno.kill(this.#nativeOn(tty)!, "SIGKILL");
  }

  /** The background process, started from inside a pane's Codex and with all of its variables. */
  async startDaemon(pane: string): Promise<Pipe> {
    const pipe = this.stage.pipe();
    this.pipes.push(pipe);
    const folder = this.stage.cwd("daemon");
    this.stage.script("daemon/app-server", `${this.stage.loop(pipe)}\n`);
    const words = `app-server --listen unix:// --managed-daemon`;
    this.tmux.type(pane, `set +m; (cd ${folder}; exec setsid ${this.codex.native} ${words}) &`);
    await pipe.tell(":");
    return pipe;
  }

  payload(sessionID: string, event: string, fields: Record<string, unknown> = {}) {
    return {
      session_id: sessionID,
      cwd: this.cwd,
      hook_event_name: event,
      ...(event === "SessionStart" ? { source: "startup" } : { turn_id: `turn of ${sessionID}` }),
      ...fields,
    };
  }

  async hooks(pipe: Pipe, sessionID: string, ...events: string[]): Promise<ListRow> {
    for (const event of events) {
      await pipe.tell(this.stage.hook("codex", this.payload(sessionID, event)));
    }
    await settled(this.stage, pipe);
    return await rowOf(this.test, sessionID);
  }
}

function withScene(task: (scene: Scene) => Promise<void>): Promise<void> {
  return withServer(async (test) => {
    const folder = test.paths.state.replace(/\/state$/, "");
    const stage = await Stage.open(folder, test);
    const tmux = new Tmux(`${folder}/t.sock`);
    const scene = new Scene(test, stage, tmux, installCodex(stage), stage.cwd("proj"));
    try {
      await task(scene);
    } finally {
      scene.pipes.forEach((pipe) => pipe.close());
      tmux.end();
    }
  });
}

/** Hook payloads of the recording in order, its two sessions named by their turn of appearance. */
function recordedHooks(): { readonly at: 0 | 1; readonly payload: Record<string, unknown> }[] {
  const text = Deno.readTextFileSync(new URL("daemon-two-panes.jsonl", RECORDINGS));
  const hooks = text.trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ payload }) => payload !== undefined);
  const ids = [...new Set(hooks.map(({ payload }) => payload.session_id))];
  assert.equal(ids.length, 2);
  return hooks.map(({ payload }) => ({ at: ids.indexOf(payload.session_id) as 0 | 1, payload }));
}

Deno.test(
  { name: "the recorded two panes of one daemon: each session stays on its own", ignore },
  async () => {
    await withScene(async (scene) => {
      const { test, codex, cwd } = scene;
      const hooks = recordedHooks();
      const sessions: { id: string; tty: string; path: string; pane: string }[] = [];
      const begin = async () => {
        const { pane, tty } = await scene.open();
        const id = threadID();
        sessions.push({ id, tty, pane, path: writeRollout(codex.home, { id, cwd }) });
      };
      await begin();
      const daemon = await scene.startDaemon(sessions[0]!.pane);
      const play = async (from: number, to: number) => {
        for (const { at, payload } of hooks.slice(from, to)) {
          const { id, path, tty } = sessions[at]!;
          const moved = { ...payload, session_id: id, cwd, transcript_path: path };
          await daemon.tell(scene.stage.hook("codex", moved));
          await settled(scene.stage, daemon);
          const row = await rowOf(test, id);
          assert.equal(row.tty, tty, `${payload.hook_event_name} of session ${at}`);
        }
      };
      const second = hooks.findIndex(({ at }) => at === 1);
      await play(0, second);
      // A pane that is opened at the very moment of a session might have opened it.
      await new Promise((resolve) => setTimeout(resolve, 700));
      await begin();
      await play(second, second + 3);
      // `/quit` in the first pane: no hook tells it.
      const [one, two] = [sessions[0]!, sessions[1]!];
      scene.quit(one.tty);
      await eventually(async () =>
        (await listOf(test)).surfaces.every((row) =>
          row.sessionID !== one.id || row.state === "idle"
        )
      );
      await play(second + 3, hooks.length);
      // What the daemon says later of the session that was left belongs to nobody's pane.
      await daemon.tell(scene.stage.hook("codex", scene.payload(one.id, "UserPromptSubmit")));
      await settled(scene.stage, daemon);
      const rows = (await listOf(test)).surfaces.filter((row) => row.tty === two.tty);
      assert.deepEqual(rows.map((row) => [row.sessionID, row.state]), [[two.id, "succeeded"]]);
      scene.tmux.ask("kill-pane", "-t", two.pane);
      await eventually(async () =>
        (await listOf(test)).surfaces.every((row) => row.tty !== two.tty)
      );
    });
  },
);

Deno.test(
  { name: "two free panes in one folder: told by their openings, else unplaced", ignore },
  async () => {
    await withScene(async (scene) => {
      const { codex, cwd } = scene;
      const one = await scene.open();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const two = await scene.open();
      const daemon = await scene.startDaemon(one.pane);
      // A second apart: nothing that a computer could tell.
      const unclear = threadID(two.startedAt + 200);
      writeRollout(codex.home, { id: unclear, cwd });
      const row = await scene.hooks(daemon, unclear, "UserPromptSubmit");
      assert.equal(row.surfaceID, null);
      assert.match(row.placement?.why ?? "", /2 free panes/);
      // The first one, opened before the second pane's program began, is its own.
      const own = threadID(one.startedAt + 200);
      writeRollout(codex.home, { id: own, cwd });
      assert.equal((await scene.hooks(daemon, own, "UserPromptSubmit")).tty, one.tty);
      // With that pane taken, the other one is the only free one.
      const later = await scene.hooks(daemon, unclear, "UserPromptSubmit");
      assert.deepEqual([later.tty, later.placement?.rule], [two.tty, "only-pane-in-folder"]);
    });
  },
);

Deno.test({
  name: "a resumed session whose rollout is cold goes to the pane that resumed it",
  ignore,
}, async () => {
  await withScene(async (scene) => {
    const { codex, cwd, stage } = scene;
    stage.script("proj/resume", "read -r line\n");
    const old = threadID(Date.now() - 40 * 86_400_000);
    writeRollout(codex.home, { id: old, cwd }, { isCold: true, dayOffset: 1 });
    const plain = await scene.open();
    const resuming = await scene.open(`resume ${old}`);
    const daemon = await scene.startDaemon(plain.pane);
    const row = await scene.hooks(daemon, old, "UserPromptSubmit");
    assert.deepEqual([row.tty, row.placement?.rule], [resuming.tty, "resume-argument"]);
    // `/new` inside: the same pane, by its folder, though another one is there for new sessions.
    const young = threadID();
    writeRollout(codex.home, { id: young, cwd }, { isCold: true, dayOffset: -1 });
    const next = await scene.hooks(daemon, young, "UserPromptSubmit");
    assert.deepEqual([next.tty, next.placement?.rule], [plain.tty, "only-pane-in-folder"]);
  });
});

Deno.test(
  { name: "another client's sessions, sub-agents and other folders get no pane", ignore },
  async () => {
    await withScene(async (scene) => {
      const { codex, cwd } = scene;
      const one = await scene.open();
      const daemon = await scene.startDaemon(one.pane);
      const metas = [
        { originator: "codex_vscode" },
        { source: { subagent: "review" } },
        { cwd: scene.stage.cwd("other") },
      ];
      for (const meta of metas) {
        const id = threadID();
        writeRollout(codex.home, { id, cwd }, { meta });
        const row = await scene.hooks(daemon, id, "UserPromptSubmit");
        assert.equal(row.surfaceID, null, JSON.stringify(meta));
      }
      const id = threadID();
      assert.equal(
        (await scene.hooks(daemon, id, "UserPromptSubmit")).surfaceID,
        null,
        "no rollout",
      );
    });
  },
);

Deno.test({
  name: "without the daemon every hook is placed by its own process, envelopes by file",
  ignore,
}, async () => {
  await withScene(async (scene) => {
    const { codex, cwd, stage, test } = scene;
    const agents = [];
    for (let at = 0; at < 2; at++) {
      const id = threadID();
      const path = writeRollout(codex.home, { id, cwd });
      const pipe = stage.pipe();
      scene.pipes.push(pipe);
      const { tty } = await scene.open(`-c 'exec 9>>"${path}"; ${stage.loop(pipe)}; true'`);
      agents.push({ id, tty, pipe });
    }
    // The second one says first what nobody can tell from folder or order.
    for (const { id, tty } of agents.toReversed()) {
      assert.equal(await send(test, id, "started"), '{"ok":true,"inserted":true}\n');
      const row = await rowOf(test, id);
      assert.deepEqual([row.tty, row.placement?.rule], [tty, "open-transcript"]);
    }
    for (const { id, tty, pipe } of agents) {
      assert.equal((await scene.hooks(pipe, id, "UserPromptSubmit")).tty, tty);
    }
  });
});

Deno.test(
  { name: "an envelope is routed by session, whatever capability it carries", ignore },
  async () => {
    await withScene(async (scene) => {
      const { codex, cwd, test } = scene;
      const stranger = await test.openSurface("stranger");
      const one = await scene.open();
      const id = threadID();
      noteOpening(codex.home, id);
      assert.equal(await send(test, id, "started", stranger), REFUSED, "no rollout yet");
      writeRollout(codex.home, { id, cwd });
      assert.equal(await send(test, id, "started", stranger), '{"ok":true,"inserted":true}\n');
      assert.equal((await rowOf(test, id)).tty, one.tty);
      await scene.open();
      await scene.open();
      const lost = threadID();
      writeRollout(codex.home, { id: lost, cwd });
      assert.equal(await send(test, lost, "started", stranger), REFUSED, "two free panes");
    });
  },
);

const REFUSED = '{"ok":false,"error":"unauthorized"}\n';

function send(
  test: TestServer,
  sessionID: string,
  kind: string,
  { surfaceID = crypto.randomUUID() as string, capability = "" } = {},
): Promise<string> {
  const event = {
    schemaVersion: 1,
    id: { rawValue: crypto.randomUUID() },
    runID: { rawValue: crypto.randomUUID() },
    surfaceID: { rawValue: surfaceID },
    sessionID,
    provider: "codex",
    kind,
    occurredAt: new Date().toISOString(),
    hookName: "UserPromptSubmit",
  };
  const line = JSON.stringify({ schemaVersion: 1, capability, event });
  return exchange(test.paths.eventSocket, `${line}\n`);
}

/** Tmux's part and jumping to panes, with real servers; a multiplexer that fails changes nothing. */

import assert from "node:assert/strict";
import { tmuxLines } from "../../src/core/shell/tmux_conf.ts";
import { focusPane } from "../../src/estimator/multiplexer_focus.ts";
import { type TestServer, withFolder, withServer } from "../helpers/daemon.ts";
import { envelope } from "../helpers/daemon.ts";
import { exchange } from "../helpers/daemon.ts";
import { hasTmux, listOf, Tmux } from "../helpers/panes.ts";
import { programEnv, runProgram } from "../helpers/program.ts";
import { writeExecutable } from "../helpers/executable.ts";

const ignore = !hasTmux();

function folderOf(test: TestServer): string {
  return test.paths.state.replace(/\/state$/, "");
}

Deno.test({ name: "focus shows a pane, or the one that needs you", ignore }, async () => {
  await withServer(async (test) => {
    const folder = folderOf(test);
    const tmux = new Tmux(`${folder}/t.sock`);
    const shown = () => tmux.ask("display-message", "-p", "-t", "main", "#{pane_id}");
    const focus = (...args: string[]) =>
      runProgram(["focus", ...args], { env: programEnv(folder) });
    try {
      const [first, second] = [tmux.pane(folder), tmux.pane(folder)];
      const one = await test.openSurface("one", tmux.rootOf(first));
      const two = await test.openSurface("two", tmux.rootOf(second));
      assert.equal(shown(), second);
      const quiet = await focus("--next");
      assert.deepEqual([quiet.code, quiet.stderr], [1, "mytty: No pane needs you\n"]);
      assert.equal((await focus("one")).code, 0);
      assert.equal(shown(), first);
      await exchange(test.paths.eventSocket, envelope(one, { kind: "input-requested" }));
      await exchange(test.paths.eventSocket, envelope(two, { kind: "approval-requested" }));
      assert.equal((await focus("--next")).code, 0);
      assert.equal(shown(), second, "an approval comes before a question");
      assert.equal((await focus(one.surfaceID.slice(0, 8))).code, 0);
      assert.equal(shown(), first);
      assert.deepEqual([(await focus()).code, (await focus("one", "--next")).code], [2, 2]);
      assert.match((await focus("nobody")).stderr, /No open surface has/);
    } finally {
      tmux.end();
    }
  });
});

Deno.test({ name: "a multiplexer that fails or hangs changes no state", ignore }, async () => {
  await withServer(async (test) => {
    const folder = folderOf(test);
    const tmux = new Tmux(`${folder}/t.sock`);
    try {
      const pane = tmux.pane(folder);
      const { surfaceID } = await test.openSurface("one", tmux.rootOf(pane));
      const before = (await listOf(test)).surfaces;
      for (const body of ["exit 1", "exec sleep 600", "echo 1"]) {
        writeExecutable(`${folder}/tmux`, `#!/bin/sh\n${body}\n`);
        const env = programEnv(folder, { PATH: `${folder}:${Deno.env.get("PATH")}` });
        const { code, stderr } = await runProgram(["focus", "one"], { env });
        assert.equal(code, 1, body);
        assert.match(stderr, /^mytty: Cannot show "one" on \/dev\/pts\/\d+: [^\n]+\n$/);
      }
      const after = (await listOf(test)).surfaces;
      assert.deepEqual(after.map((row) => row.surfaceID), [surfaceID]);
      assert.deepEqual(after.map((row) => row.multiplexer), before.map((row) => row.multiplexer));
    } finally {
      tmux.end();
    }
  });
});

Deno.test(
  { name: "a pane of a restarted server is not shown as somebody else's", ignore },
  async () => {
    await withFolder(async (folder) => {
      const tmux = new Tmux(`${folder}/t.sock`);
      const key = `tmux:${encodeURIComponent(tmux.socket)}:${tmux.pid}:1:%250`;
      try {
        assert.deepEqual(await focusPane(key), { ok: true });
        const other = key.replace(`:${tmux.pid}:`, ":1:");
        assert.deepEqual(await focusPane(other), {
          ok: false,
          reason: "its tmux server was restarted",
        });
      } finally {
        tmux.end();
      }
      assert.equal((await focusPane(null)).ok, false);
      assert.equal((await focusPane("zellij:1:2:main:3")).ok, false);
    });
  },
);

Deno.test({ name: "the lines for tmux.conf work, and twice is once", ignore }, async () => {
  await withFolder((folder) => {
    const tmux = new Tmux(`${folder}/t.sock`);
    try {
      const conf = `${folder}/mytty.conf`;
      Deno.writeTextFileSync(conf, tmuxLines({ program: "'/opt/my tty/mytty'", option: "@mytty" }));
      tmux.ask("source-file", conf);
      tmux.ask("source-file", conf);
      const right = tmux.ask("show-options", "-gv", "status-right");
      assert.equal(right.split("#('/opt/my tty/mytty' status-line --tmux)").length, 2, right);
      for (const name of ["window-status-format", "window-status-current-format"]) {
        const format = tmux.ask("show-options", "-gv", name);
        assert.equal(format.split("#{@mytty}").length, 2, format);
      }
      tmux.ask("set-option", "-w", "-t", "main", "@mytty", "◆");
      const shown = tmux.ask("display-message", "-p", "-t", "main", "#{E:window-status-format}");
      assert.match(shown, /◆/);
    } finally {
      tmux.end();
    }
    return Promise.resolve();
  });
});

Deno.test("tmux.conf gets one block and gives its old bytes back, whatever they were", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder, { HOME: folder, DENO_DIR: denoDir() });
    const path = `${folder}/.tmux.conf`;
    const run = (flag: string) => runProgram(["tmux", flag], { env });
    for (const text of [null, "", "set -g mouse on\n", "set -g mouse on", "# x\r\n", "a\n\n"]) {
      if (text !== null) Deno.writeTextFileSync(path, text);
      assert.equal((await run("--install")).code, 0);
      const once = Deno.readTextFileSync(path);
      assert.ok(once.startsWith(text ?? ""));
      assert.match((await run("--install")).stdout, /^Nothing to change/);
      assert.equal(Deno.readTextFileSync(path), once);
      assert.equal((await run("--uninstall")).code, 0);
      const back = await Deno.readTextFile(path).catch(() => null);
      assert.equal(back, text, JSON.stringify(text));
    }
    const half = "a\n# >>> mytty tmux 0123456789abcdef >>>\nb\n";
    Deno.writeTextFileSync(path, half);
    const refused = await run("--uninstall");
    assert.deepEqual([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, /its end mark is missing/);
    assert.equal(Deno.readTextFileSync(path), half, "a block without an end is not ours to cut");
  });
});

Deno.test("mytty tmux installs through a link and takes its lines out again", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder, { HOME: folder, DENO_DIR: denoDir() });
    Deno.mkdirSync(`${folder}/dotfiles`);
    Deno.writeTextFileSync(`${folder}/dotfiles/tmux.conf`, "set -g mouse on\n", { mode: 0o600 });
    Deno.symlinkSync(`${folder}/dotfiles/tmux.conf`, `${folder}/.tmux.conf`);
    const text = () => Deno.readTextFileSync(`${folder}/dotfiles/tmux.conf`);
    assert.equal((await runProgram(["tmux", "--install"], { env })).code, 0);
    assert.match(text(), /^set -g mouse on\n# >>> mytty tmux [0-9a-f]{16} >>>\n/);
    const again = await runProgram(["tmux", "--install"], { env });
    assert.match(again.stdout, /^Nothing to change/);
    assert.ok(Deno.lstatSync(`${folder}/.tmux.conf`).isSymlink);
    assert.equal(Deno.statSync(`${folder}/dotfiles/tmux.conf`).mode! & 0o777, 0o600);
    assert.equal((await runProgram(["tmux", "--uninstall"], { env })).code, 0);
    assert.equal(text(), "set -g mouse on\n");
  });
});

function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
}

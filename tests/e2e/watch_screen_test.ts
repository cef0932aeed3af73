/** The live view in a real tmux: sizes, keys, a server that goes and comes back. */

import assert from "node:assert/strict";
import { BUILT, Built } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { TestTmux } from "../helpers/notify.ts";

class Scene {
  readonly built: Built;
  readonly tmux: TestTmux;
  readonly env = new Map<string, Record<string, string>>();

  constructor(folder: string) {
    this.built = new Built(folder);
    this.tmux = new TestTmux(folder);
  }

  async open(label: string): Promise<void> {
    const { stdout } = await this.built.mytty(["surface", "open", "--label", label, "--json"]);
    this.env.set(label, JSON.parse(stdout).env);
  }

  async emit(label: string, kind: string, ...args: string[]): Promise<void> {
    const words = ["emit", "--provider", "claude-code", "--kind", kind, ...args];
    const { code, stderr } = await this.built.mytty(words, { env: this.env.get(label)! });
    assert.equal(code, 0, stderr);
  }

  async start(width: number, height: number, extra: readonly string[] = []): Promise<void> {
    const size = ["-x", String(width), "-y", String(height)];
    const env = Object.entries(this.built.env).map(([name, value]) => `${name}=${value}`);
    const command = ["env", "-i", "TERM=screen-256color", ...env, ...extra, BUILT, "watch"];
    await this.tmux.run("new-session", "-d", "-s", "w", ...size, ...command);
  }

  press(...keys: string[]): Promise<string> {
    return this.tmux.run("send-keys", "-t", "w", ...keys);
  }

  screen(...flags: string[]): Promise<string> {
    return this.tmux.run("capture-pane", "-p", ...flags, "-t", "w");
  }

  async shows(what: RegExp): Promise<string> {
    let screen = "";
    await eventually(async () => what.test(screen = await this.screen())).catch(() => {
      throw new Error(`The screen does not show ${what}:\n${screen}`);
    });
    return screen;
  }
}

async function withScene(task: (scene: Scene) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const scene = new Scene(folder);
    try {
      await scene.built.serve();
      await task(scene);
    } finally {
      await scene.tmux.end();
      await scene.built.stop();
    }
  });
}

Deno.test("the live view is driven by keys, resizes, and outlives the server", async () => {
  await withScene(async (scene) => {
    for (const label of ["api", "web"]) await scene.open(label);
    await scene.emit("web", "started", "--message", "write the changelog");
    await scene.start(100, 12);
    await scene.shows(/● Claude Code web +working +\d+s write the changelog/);
    await scene.emit("api", "started");
    await scene.emit("api", "approval-requested", "--tool", "Bash", "--message", "rm -rf build");
    const wide = await scene.shows(/◆ 1 need you/);
    assert.match(
      wide.split("\n")[1]!,
      /^▌?.?◆ Claude Code api +needs approval +\d+s Bash: rm -rf build$/,
    );

    await scene.tmux.run("resize-window", "-t", "w", "-x", "40", "-y", "8");
    const narrow = await scene.shows(/◆ claude api +approve/);
    assert.ok(narrow.split("\n").every((line) => [...line].length <= 40), narrow);

    await scene.press("g", "e");
    await scene.shows(/needs approval for|evidence/);
    await scene.press("x", "/", "web", "Enter");
    await scene.shows(/^mytty.*\n▌● claude web/);
    await scene.press("Escape");
    await scene.shows(/api/);
    await scene.press("g", "a");
    await scene.shows(/Acknowledged 1 item/);
    const { stdout } = await scene.built.mytty(["attention", "--json"]);
    assert.deepEqual(JSON.parse(stdout).items, []);

    await scene.built.pause();
    await scene.shows(/^mytty {2}✖ the server does not answer\n/);
    await scene.built.resume();
    await scene.shows(/^mytty {2}(?!✖)/);

    await scene.built.stop();
    await scene.shows(/✖ The mytty at/);
    assert.match(await scene.screen(), /api/, "what was seen stays");
    await scene.built.serve();
    // The panes' process lives, and with it their runs; what is told now shows that it is heard.
    await scene.emit("web", "failed");
    await scene.shows(/^mytty {2}◆1 {2}✖1\n/);

    await scene.press("q");
    await eventually(async () =>
      (await scene.tmux.run("list-sessions").catch(() => "gone")) === "gone"
    );
  });
});

Deno.test("colours only where they are wanted, and the terminal is left as it was", async () => {
  await withScene(async (scene) => {
    await scene.open("api");
    await scene.emit("api", "started");
    await scene.start(80, 10);
    await scene.shows(/working/);
    // deno-lint-ignore no-control-regex
    assert.match(await scene.screen("-e"), /\x1b\[34m●/);
    await scene.tmux.run("kill-session", "-t", "w");
    await scene.start(80, 10, ["NO_COLOR=1"]);
    await scene.shows(/working/);
    // deno-lint-ignore no-control-regex
    assert.doesNotMatch(await scene.screen("-e"), /\x1b\[/);
    await scene.tmux.run("kill-session", "-t", "w");
    // In a shell that goes on afterwards: the alternate screen is gone, the cursor is back.
    const env = Object.entries(scene.built.env).map(([name, value]) => `${name}='${value}'`);
    const line = `env ${
      env.join(" ")
    } '${BUILT}' watch; echo "left $?"; stty -a | grep -o -w -- 'icanon'`;
    await scene.tmux.run("new-session", "-d", "-s", "w", "-x", "80", "-y", "10", "sh");
    await scene.press(line, "Enter");
    await scene.shows(/q quit/);
    await scene.press("q");
    await scene.shows(/left 0\nicanon/);
    assert.equal(
      await scene.tmux.run("display-message", "-p", "-t", "w", "#{alternate_on}#{cursor_flag}"),
      "01",
    );
  });
});

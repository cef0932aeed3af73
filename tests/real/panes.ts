/** A real tmux with its own server: panes that a person could sit at. */

import assert from "node:assert/strict";
import { pause, run, until } from "./running.ts";

export class Tmux {
  readonly #socket: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#socket = `${folder}/t.sock`;
    this.#env = env;
  }

  async command(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(
      "tmux",
      ["-S", this.#socket, "-f", "/dev/null", ...args],
      { env: this.#env },
    );
    if (code !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr}`);
    return stdout.trimEnd();
  }

  /** A new window with a shell; its pane. */
  async open(cwd: string): Promise<Pane> {
    const format = "#{pane_id} #{pane_tty}";
    const said = await this.command(
      ...["new-session", "-d", "-x", "110", "-y", "40", "-c", cwd, "-P", "-F", format],
      "bash --norc",
    );
    const [id = "", tty = ""] = said.split(" ");
    const pane = new Pane(this, id, tty);
    await pane.untilScreen(/\$ $|\$$|# $|#$/m);
    return pane;
  }

  async end(): Promise<void> {
    await this.command("kill-server").catch(() => {});
  }
}

export class Pane {
  readonly id: string;
  readonly tty: string;
  readonly #tmux: Tmux;

  constructor(tmux: Tmux, id: string, tty: string) {
    this.#tmux = tmux;
    this.id = id;
    this.tty = tty;
  }

  screen(): Promise<string> {
    return this.#tmux.command("capture-pane", "-p", "-t", this.id).catch(() =>
      "(the pane is gone)"
    );
  }

  async untilScreen(pattern: RegExp): Promise<void> {
    await until(
      `${pattern} on the screen`,
      async () => pattern.test(await this.screen()),
      () => this.screen(),
    );
  }

  /** Keys by tmux's names: `Enter`, `Escape`, `C-c`, `Down`, `2`. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      await this.#tmux.command("send-keys", "-t", this.id, key);
      await pause(100);
    }
  }

  /**
   * Answers a dialog by a key, again while it is there: one that has just been drawn may not listen
   * yet, and a person would press the key once more as well.
   */
  async answer(key: string, dialog: RegExp): Promise<void> {
    for (let tries = 0; tries < 5 && dialog.test(await this.screen()); tries++) {
      await this.press(key);
      for (let looks = 0; looks < 20 && dialog.test(await this.screen()); looks++) await pause(100);
    }
  }

  /** Text as typed; waits until it is there to be seen. */
  async type(text: string): Promise<void> {
    await this.#tmux.command("send-keys", "-t", this.id, "-l", text);
    const end = bare(text).slice(-20);
    await until(
      `"${text}" typed`,
      async () => bare(await this.screen()).includes(end),
      () => this.screen(),
    );
    // Terminal programs take an Enter right behind a burst of keys for a part of pasted text.
    await pause(400);
  }

  async say(text: string): Promise<void> {
    await this.type(text);
    await this.press("Enter");
  }

  /** What `format` says of this pane, such as `#{pane_pid}`. */
  ask(format: string): Promise<string> {
    return this.#tmux.command("display-message", "-p", "-t", this.id, format);
  }

  /** The terminal's process group in front: the agent, while one runs. */
  async foreground(): Promise<number> {
    const shell = Number(await this.ask("#{pane_pid}"));
    const stat = Deno.readTextFileSync(`/proc/${shell}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const pid = Number(fields[5]);
    assert.notEqual(pid, shell, "An agent runs in front");
    return pid;
  }

  /** As by a person: the pane goes away with all in it. */
  async kill(): Promise<void> {
    await this.#tmux.command("kill-pane", "-t", this.id);
  }
}

/** Without blanks and frames: long text wraps. */
function bare(text: string): string {
  return text.replace(/[\s│┃|>❯›]+/g, "");
}

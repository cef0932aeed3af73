/**
 * Real terminals with programs in them: tmux servers of our own, and stand-ins for agents in the
 * shapes real ones have. A stand-in runs what it is told through a pipe, as an agent runs hooks:
 * as a child in a session of its own, without a terminal.
 */

import { execFileSync } from "node:child_process";
import type { TestServer } from "./daemon.ts";
import { type Place, stageLauncher } from "./hook_runner.ts";
import { eventually } from "./events.ts";
import { copyExecutable, writeExecutable } from "./executable.ts";

export function hasTmux(): boolean {
  try {
    execFileSync("tmux", ["-V"]);
    return Deno.build.os === "linux";
  } catch {
    return false;
  }
}

/** What a shell in an ordinary terminal has: none of our variables. */
export function plainEnv(extra: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) =>
    !/^(MYTTY|MUXY|TMUX|ZELLIJ|KITTY|WEZTERM|TERM_|ITERM|CLAUDE|CODEX|HOSTNAME)/.test(name)
  );
  return { ...Object.fromEntries(kept), TERM: "xterm-256color", ...extra };
}

export class Tmux {
  readonly socket: string;
  readonly pid: number;

  constructor(socket: string, env: Record<string, string> = {}) {
    this.socket = socket;
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...NEW, "-s", "main", ...SIZE], {
      env: plainEnv(env),
    });
    this.pid = Number(this.ask("display-message", "-p", "#{pid}"));
  }

  ask(...args: string[]): string {
    return execFileSync("tmux", ["-S", this.socket, ...args], {
      env: plainEnv(),
      encoding: "utf8",
    }).trim();
  }

  /** A new window that runs a plain shell; its pane id. */
  pane(cwd: string): string {
    const words = ["-t", "main:", "-c", cwd, "-P", "-F", "#{pane_id}", "bash --norc --noprofile"];
    return this.ask("new-window", ...words);
  }

  type(pane: string, line: string): void {
    this.ask("send-keys", "-t", pane, "-l", line);
    this.ask("send-keys", "-t", pane, "Enter");
  }

  /** Pid of the pane's first process. */
  rootOf(pane: string): number {
    return Number(this.ask("display-message", "-p", "-t", pane, "#{pane_pid}"));
  }

  /** Ends the server; what ran in its panes is gone, or was given two seconds. */
  end(): void {
    const panes = this.#panePids();
    try {
      Deno.kill(this.pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
    const isThere = (pid: number) => {
      try {
        return Deno.statSync(`/proc/${pid}`).isDirectory;
      } catch {
        return false;
      }
    };
    for (let at = 0; at < 100 && panes.some(isThere); at++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }

  #panePids(): number[] {
    try {
      return this.ask("list-panes", "-a", "-F", "#{pane_pid}").split("\n").map(Number);
    } catch {
      return [];
    }
  }
}

const NEW = ["new-session", "-d"];
const SIZE = ["-x", "120", "-y", "30", "bash --norc --noprofile"];

/** Programs, pipes and the staged launcher of one test. */
export class Stage {
  readonly folder: string;
  readonly launcher: string;
  #pipes = 0;

  private constructor(folder: string, launcher: string) {
    this.folder = folder;
    this.launcher = launcher;
  }

  static async open(folder: string, test: TestServer): Promise<Stage> {
    const launcher = `${test.paths.state}/hooks/mytty-hook`;
    const place: Place = {
      folder,
      state: test.paths.state,
      socket: test.paths.eventSocket,
      launcher,
    };
    await stageLauncher(place);
    return new Stage(folder, launcher);
  }

  /** A copy of the shell under another name: a native program that can be told what to do. */
  program(name: string): string {
    const path = `${this.folder}/${name}`;
    copyExecutable("/bin/dash", path);
    return path;
  }

  script(name: string, text: string): string {
    const path = `${this.folder}/${name}`;
    writeExecutable(path, text);
    return path;
  }

  link(name: string, target: string): string {
    const path = `${this.folder}/${name}`;
    Deno.mkdirSync(path.replace(/\/[^/]*$/, ""), { recursive: true });
    Deno.symlinkSync(target, path);
    return path;
  }

  cwd(name: string): string {
    const path = `${this.folder}/${name}`;
    Deno.mkdirSync(path, { recursive: true });
    return path;
  }

  pipe(): Pipe {
    const path = `${this.folder}/pipe-${++this.#pipes}`;
    execFileSync("mkfifo", [path]);
    return new Pipe(path);
  }

  /** Shell words of a program that runs each line of the pipe until there are no more. */
  loop(pipe: Pipe): string {
    return `while IFS= read -r line; do eval "$line"; done < ${pipe.path}`;
  }

  /** The line that makes an agent run a hook. */
  hook(provider: string, payload: Record<string, unknown>): string {
    const file = `${this.folder}/payload-${crypto.randomUUID()}.json`;
    Deno.writeTextFileSync(file, JSON.stringify(payload));
    return `CLAUDE_PID=$$ setsid -w sh -c '"${this.launcher}" ${provider} < "${file}"; :' >/dev/null 2>&1`;
  }
}

/** Waits until everything told so far was run: hooks are answered, or spooled, by then. */
export async function settled(stage: Stage, pipe: Pipe): Promise<void> {
  const mark = `${stage.folder}/mark-${crypto.randomUUID()}`;
  await pipe.tell(`: > ${mark}`);
  await eventually(() => {
    try {
      return Deno.statSync(mark).isFile;
    } catch {
      return false;
    }
  });
}

/** One end of a named pipe; lines are run by the program at the other end. */
export class Pipe {
  readonly path: string;
  #file: Deno.FsFile | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async tell(line: string): Promise<void> {
    this.#file ??= await Deno.open(this.path, { write: true });
    await this.#file.write(new TextEncoder().encode(`${line}\n`));
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}

export type ListRow = {
  readonly surfaceID: string | null;
  readonly sessionID: string | null;
  readonly provider: string | null;
  readonly state: string;
  readonly tty: string | null;
  readonly multiplexer: string | null;
  readonly adopted: boolean;
  readonly host: string | null;
  readonly placement: { readonly rule: string; readonly why: string | null } | null;
  readonly children: readonly { readonly provider: string; readonly sessionID: string | null }[];
};

export type List = { readonly surfaces: ListRow[]; readonly unplaced: ListRow[] };

export async function listOf({ control }: TestServer): Promise<List> {
  return (await control.request("/v1/list")).body as List;
}

/** The row of a session once it is listed. */
export function rowOf(test: TestServer, sessionID: string): Promise<ListRow> {
  return eventually(async () => {
    const { surfaces, unplaced } = await listOf(test);
    return [...surfaces, ...unplaced].find((row) => row.sessionID === sessionID);
  });
}

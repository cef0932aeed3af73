/** Notices, a clock that a test moves, and real terminals to be told on. */

import { DEFAULT_CONFIG, type NotifyConfig, parseConfig } from "../../src/core/config.ts";
import type { Notice, NoticePlace } from "../../src/core/notify/notice.ts";
import type { Delivery } from "../../src/notify/channel.ts";
import type { NotifyClock } from "../../src/notify/clock.ts";
import { eventually } from "./events.ts";

export function notice(fields: Partial<Notice> = {}, place: Partial<NoticePlace> = {}): Notice {
  return {
    id: "5b0e3f6c-0000-4000-8000-000000000001",
    origin: "agent",
    kind: "approval-request",
    provider: "claude-code",
    runID: "run",
    sessionID: "S",
    toolName: "Bash",
    title: "Claude Code needs approval · api",
    body: "Bash: rm -rf build",
    subject: "Claude Code",
    place: {
      surfaceID: "pane",
      name: "api",
      cwd: "/src/api",
      tty: null,
      multiplexer: null,
      ...place,
    },
    child: false,
    late: false,
    ...fields,
  };
}

export function notifyConfig(notify: Record<string, unknown> = {}): NotifyConfig {
  const parsed = parseConfig({ notify });
  if (!parsed.ok) throw new Error(parsed.issues.join("; "));
  return parsed.config.notify;
}

export function delivery(fields: Partial<Delivery> = {}): Delivery {
  return {
    notice: notice(),
    config: DEFAULT_CONFIG.notify,
    signal: AbortSignal.timeout(10_000),
    state: null,
    ...fields,
  };
}

/** Time that passes only when it is told to. */
export class TestClock implements NotifyClock {
  minute = 12 * 60;
  #now = 0;
  #tasks: { readonly at: number; readonly task: () => void }[] = [];

  readonly steady = () => this.#now;
  readonly wall = () => 1_800_000_000_000 + this.#now;
  readonly minuteOfDay = () => this.minute;
  readonly after = (millis: number, task: () => void) => {
    const entry = { at: this.#now + millis, task };
    this.#tasks.push(entry);
    return () => {
      this.#tasks = this.#tasks.filter((one) => one !== entry);
    };
  };

  /** Runs what falls due, in order, and lets promises settle in between. */
  async pass(millis: number): Promise<void> {
    const end = this.#now + millis;
    for (;;) {
      await settle();
      const next = this.#tasks.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      this.#tasks = this.#tasks.filter((one) => one !== next);
      next.task();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets every promise that is ready run. */
async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setTimeout(resolve, 0));
}

/** A real terminal device; what is written to it, and a way to type. */
export type Pty = {
  readonly tty: string;
  readonly output: () => string;
  readonly type: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

const PTY = `
import os, pty, select, sys, fcntl, termios, struct, tty
reads = sys.argv[1] == "read"
command = sys.argv[2:]
if command:
    pid, master = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    name = "child"
else:
    master, slave = pty.openpty()
    tty.setraw(slave)
    name = os.ttyname(slave)
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
sys.stdout.write(name + "\\n")
sys.stdout.flush()
while True:
    ready, _, _ = select.select([0] + ([master] if reads else []), [], [])
    if 0 in ready:
        data = os.read(0, 65536)
        if not data:
            break
        os.write(master, data)
    if master in ready:
        try:
            data = os.read(master, 65536)
        except OSError:
            break
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
if command:
    os.kill(pid, 9)
`;

/** `reads` false: nobody reads what is written. With a command, the terminal it runs in. */
export async function openPty(
  { reads = true, command = [], env = {} }: {
    reads?: boolean;
    command?: readonly string[];
    env?: Record<string, string>;
  } = {},
): Promise<Pty> {
  const child = new Deno.Command("python3", {
    args: ["-c", PTY, reads ? "read" : "ignore", ...command],
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let text = "";
  const done = (async () => {
    const decoder = new TextDecoder();
    for await (const part of child.stdout) text += decoder.decode(part, { stream: true });
  })();
  await eventually(() => text.includes("\n"));
  const tty = text.slice(0, text.indexOf("\n"));
  const writer = child.stdin.getWriter();
  return {
    tty,
    output: () => text.slice(tty.length + 1),
    type: (typed) => writer.write(new TextEncoder().encode(typed)),
    close: async () => {
      await writer.close().catch(() => {});
      await child.status;
      await done;
    },
  };
}

/** A tmux server of its own, with one window of one pane. */
export class TestTmux {
  readonly socket: string;

  constructor(folder: string) {
    this.socket = `${folder}/tmux.sock`;
  }

  async run(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await new Deno.Command("tmux", {
      args: ["-u", "-f", "/dev/null", "-S", this.socket, ...args],
      env: { TMUX: "", TERM: "xterm-256color", LC_ALL: "C.UTF-8" },
      stdin: "null",
    }).output();
    if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout).trimEnd();
  }

  /** The key of a pane as core/pane_key.ts writes it. */
  async paneKey(pane = "%0"): Promise<string> {
    const pid = await this.run("display-message", "-p", "#{pid}");
    return ["tmux", this.socket, pid, "1", pane].map(encodeURIComponent).join(":");
  }

  async end(): Promise<void> {
    await this.run("kill-server").catch(() => {});
  }
}

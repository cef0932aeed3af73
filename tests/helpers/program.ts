/** The program as a real process, in an environment of its own. */

import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));

/** What a shell would have, with `folder` in place of the user's folders and no surface. */
export function programEnv(
  folder: string,
  extra: Record<string, string> = {},
): Record<string, string> {
  const inherited = Object.entries(Deno.env.toObject()).filter(([name]) =>
    !/^(MYTTY_|MUXY_|TMUX|ZELLIJ|CLAUDE|CODEX|CURSOR)/.test(name)
  );
  return {
    ...Object.fromEntries(inherited),
    // Nobody's real configuration is read or repaired; the runtime still finds its modules.
    HOME: folder,
    DENO_DIR: denoFolder(),
    MYTTY_RUNTIME_DIR: `${folder}/run`,
    MYTTY_STATE_DIR: `${folder}/state`,
    MYTTY_CONFIG: `${folder}/config.jsonc`,
    NO_COLOR: "1",
    ...extra,
  };
}

function denoFolder(): string {
  const home = Deno.env.get("HOME") ?? "/root";
  const cache = Deno.build.os === "darwin" ? `${home}/Library/Caches` : `${home}/.cache`;
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("XDG_CACHE_HOME") ?? cache}/deno`;
}

/** The sockets and the log alone: no look at this machine's agents and their files. */
const SERVE = ["serve", "--no-watch", "--no-estimate"];

export type ProgramOptions = {
  readonly env: Record<string, string>;
  readonly stdin?: Uint8Array | string;
  /** The payload comes, and then neither more nor an end. */
  readonly keepStdinOpen?: boolean;
};

export type ProgramResult = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly millis: number;
};

export function spawnProgram(
  args: readonly string[],
  env: Record<string, string>,
  prefix: readonly string[] = [],
): Deno.ChildProcess {
  const [command, ...rest] = [...prefix, Deno.execPath(), "run", "-A", MAIN, ...args];
  return new Deno.Command(command!, {
    args: rest,
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/**
 * How the payload comes: all there from the start, so that nothing depends on how fast this
 * process is. A large one through a pipe, as an agent sends it; one that stays open through a FIFO
 * that the program itself holds open.
 */
const FROM_FILE = 'exec "$@" < "$0"';
const FROM_PIPE = '/bin/cat "$0" | "$@"';
const STAYS_OPEN = 'mkfifo "$0.p"; exec 3<>"$0.p"; /bin/cat "$0" >&3; exec "$@" <&3';

const PIPE_FROM_BYTES = 100_000;

export async function runProgram(
  args: readonly string[],
  { env, stdin = "", keepStdinOpen = false }: ProgramOptions,
): Promise<ProgramResult> {
  const folder = Deno.makeTempDirSync();
  const file = `${folder}/stdin`;
  Deno.writeFileSync(file, typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin);
  const isLarge = Deno.statSync(file).size >= PIPE_FROM_BYTES;
  const script = keepStdinOpen ? STAYS_OPEN : isLarge ? FROM_PIPE : FROM_FILE;
  const command = [script, file, Deno.execPath(), "run", "-A", MAIN, ...args];
  const began = performance.now();
  try {
    const { code, stdout, stderr } = await new Deno.Command("/bin/sh", {
      args: ["-c", ...command],
      env,
      clearEnv: true,
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    return { code, stdout: out!, stderr: err!, millis: performance.now() - began };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

export type Serve = {
  readonly pid: number;
  readonly eventSocket: string;
  readonly stderr: () => string;
  /** Sends the signal and gives the exit status. */
  readonly end: (signal: Deno.Signal) => Promise<Deno.CommandStatus>;
};

/** Starts `mytty serve` and resolves once it says that it is ready; rejects with its stderr. */
export async function startServe(
  env: Record<string, string>,
  prefix: readonly string[] = [],
): Promise<Serve> {
  // No notice of a test reaches anybody's desktop.
  silence(env.MYTTY_CONFIG!);
  const child = spawnProgram(SERVE, env, prefix);
  await child.stdin.close();
  const stderr = collect(child.stderr);
  const stdout = collect(child.stdout);
  let status: Deno.CommandStatus | undefined;
  const ended = child.status.then((value) => status = value);
  const limit = performance.now() + 20_000;
  while (!/^ready .*\n/.test(stdout.text())) {
    if (status !== undefined || performance.now() > limit) {
      if (status === undefined) child.kill("SIGKILL");
      await Promise.all([ended, stderr.done, stdout.done]);
      throw new Error(`Not ready: ${stderr.text()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    pid: child.pid,
    eventSocket: /^ready (.*)\n/.exec(stdout.text())![1]!,
    stderr: stderr.text,
    end: async (signal) => {
      if (status === undefined) child.kill(signal);
      const [result] = await Promise.all([ended, stderr.done, stdout.done]);
      return result;
    },
  };
}

/** A stream's text so far, and its end. */
export function collect(stream: ReadableStream<Uint8Array>) {
  let text = "";
  const done = (async () => {
    for await (const part of stream.pipeThrough(new TextDecoderStream() as never)) text += part;
  })();
  return { text: () => text, done };
}

/** A test that has written a configuration of its own wants that one. */
function silence(path: string): void {
  try {
    Deno.writeTextFileSync(path, '{"notify":{"enabled":false}}', { createNew: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

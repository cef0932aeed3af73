/** The built program, dist/mytty, driven as a person or an agent would, in a temporary folder. */

import { fileURLToPath } from "node:url";
import { ControlClient } from "../../src/socket/client.ts";
import { withFolder } from "./daemon.ts";
import { eventually } from "./events.ts";
import { collect } from "./program.ts";

export const BUILT = fileURLToPath(new URL("../../dist/mytty", import.meta.url));

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

export type Running = {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly code: () => Promise<number>;
};

export type RunOptions = {
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  readonly cwd?: string;
};

export class Built {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly control: ControlClient;
  #server: Deno.ChildProcess | undefined;

  constructor(folder: string) {
    this.folder = folder;
    this.env = {
      MYTTY_RUNTIME_DIR: `${folder}/run`,
      MYTTY_STATE_DIR: `${folder}/state`,
      HOME: folder,
      // Unpacked once for all tests, not once for each temporary home.
      XDG_CACHE_HOME: Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`,
      PATH: Deno.env.get("PATH") ?? "",
    };
    this.control = new ControlClient(`${folder}/run/control.sock`);
  }

  async mytty(args: string[], { env = {}, stdin, cwd }: RunOptions = {}): Promise<Ran> {
    const child = new Deno.Command(BUILT, {
      args,
      env: { ...this.env, ...env },
      clearEnv: true,
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
      ...(cwd === undefined ? {} : { cwd }),
    }).spawn();
    if (stdin !== undefined) await writeAll(child.stdin, stdin);
    const { code, stdout, stderr } = await child.output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /** One that goes on: what it has said so far, and its end. */
  start(args: string[]): Running {
    const child = new Deno.Command(BUILT, {
      args,
      env: this.env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const [out, err] = [collect(child.stdout), collect(child.stderr)];
    const code = async () => {
      await Promise.all([out.done, err.done]);
      return (await child.status).code;
    };
    return { stdout: out.text, stderr: err.text, code };
  }

  /** Other tests' agents run on this machine as well: they are looked for on request only. */
  async serve(options: readonly string[] = ["--no-estimate"]): Promise<void> {
    this.#server = new Deno.Command(BUILT, {
      args: ["serve", ...options],
      env: this.env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = this.#server.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    if (value === undefined) throw new Error("The server did not start");
  }

  /** Until nothing waits in the spool: on a busy machine a hook may not reach the server in time. */
  untilTaken(): Promise<true> {
    return eventually(async () => {
      const { body } = await this.control.request("/v1/status");
      return (body as { spool: { waiting: number } }).spool.waiting === 0;
    }, 30_000);
  }

  /** A server that is there and does nothing, as one that hangs. */
  pause(): void {
    this.#server?.kill("SIGSTOP");
  }

  resume(): void {
    this.#server?.kill("SIGCONT");
  }

  /** Ends the server by `signal`; its exit status. */
  async stop(signal: Deno.Signal = "SIGTERM"): Promise<Deno.CommandStatus | undefined> {
    const server = this.#server;
    if (server === undefined) return undefined;
    this.#server = undefined;
    server.kill(signal);
    await server.stdout.cancel();
    return await server.status;
  }
}

/** Runs `task` with a served program in a fresh folder; ends and removes it whatever happens. */
export async function withBuilt(task: (built: Built) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const built = new Built(folder);
    try {
      await built.serve();
      await task(built);
    } finally {
      await built.stop();
    }
  });
}

async function writeAll(stream: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stream.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // The program did not want all of it.
  }
}

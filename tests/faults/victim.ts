/** The built program as something to be mistreated: its server, its hooks, what it says. */

import assert from "node:assert/strict";
import { ControlClient } from "../../src/socket/client.ts";
import { BUILT, type Ran } from "../helpers/built.ts";
import { exchange, type SurfaceEnv } from "../helpers/daemon.ts";
import { allEvents, eventually } from "../helpers/events.ts";

/** The sockets and the log alone: no look at this machine's agents and their files. */
export const QUIET: readonly string[] = ["--no-watch", "--no-estimate"];

export type VictimOptions = {
  /** Put before the command, such as a limit. */
  readonly prefix?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
};

/** What a home with nothing else in it has for environment. */
export function victimEnv(folder: string, extra: Record<string, string> = {}) {
  return {
    MYTTY_RUNTIME_DIR: `${folder}/run`,
    MYTTY_STATE_DIR: `${folder}/state`,
    MYTTY_CONFIG: `${folder}/config.jsonc`,
    HOME: folder,
    // Unpacked once for all tests, not once for each temporary home.
    XDG_CACHE_HOME: Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`,
    PATH: Deno.env.get("PATH") ?? "",
    NO_COLOR: "1",
    ...extra,
  };
}

/** A start under a limit of its own. */
export function limited(limit: string): string[] {
  return ["/bin/sh", "-c", `${limit}; exec "$@"`, "sh"];
}

export class Victim {
  readonly pid: number;
  readonly control: ControlClient;
  readonly eventSocket: string;
  readonly #child: Deno.ChildProcess;
  #said = "";
  readonly #drained: Promise<void>;
  #status: Deno.CommandStatus | undefined;

  private constructor(child: Deno.ChildProcess, folder: string) {
    this.#child = child;
    this.pid = child.pid;
    this.control = new ControlClient(`${folder}/run/control.sock`);
    this.eventSocket = `${folder}/run/event.sock`;
    void child.status.then((status) => this.#status = status);
    this.#drained = (async () => {
      for await (const part of child.stderr.pipeThrough(new TextDecoderStream() as never)) {
        this.#said += part;
      }
    })();
  }

  /** Resolves once it says that it is ready; rejects with what it said instead. */
  static async start(folder: string, options: VictimOptions = {}): Promise<Victim> {
    const env = victimEnv(folder, options.env);
    // No notice of a test reaches anybody's desktop.
    Deno.writeTextFileSync(`${folder}/config.jsonc`, '{"notify":{"enabled":false}}');
    const [program, ...args] = [
      ...options.prefix ?? [],
      BUILT,
      "serve",
      ...options.args ?? QUIET,
    ];
    const child = new Deno.Command(program!, {
      args,
      env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const victim = new Victim(child, folder);
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    void child.stdout.cancel();
    if (value !== undefined) return victim;
    await victim.#drained;
    throw new Error(`Not ready: ${victim.said()}`);
  }

  said(): string {
    return this.#said;
  }

  get hasEnded(): boolean {
    return this.#status !== undefined;
  }

  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  async end(signal: Deno.Signal = "SIGTERM"): Promise<Deno.CommandStatus> {
    if (this.#status === undefined) this.#child.kill(signal);
    const [status] = await Promise.all([this.#child.status, this.#drained]);
    return status;
  }

  async openSurface(body: Record<string, unknown> = {}): Promise<SurfaceEnv> {
    const reply = await this.control.request("/v1/surfaces", { method: "POST", body });
    const { surfaceID, env } = reply.body as { surfaceID: string; env: Record<string, string> };
    return { surfaceID, env, capability: env.MYTTY_EVENT_CAPABILITY! };
  }

  /** Answered as stored; the event's id. */
  async store(line: string): Promise<void> {
    assert.match(await exchange(this.eventSocket, line), /^\{"ok":true,/);
  }

  /** Every one of `ids` is in the log, and no row twice. */
  async assertHolds(ids: Iterable<string>): Promise<void> {
    const rows = (await allEvents(this.control)).map(({ id }) => id);
    const stored = new Set(rows);
    assert.equal(stored.size, rows.length, "stored at most once");
    assert.deepEqual([...ids].filter((id) => !stored.has(id)), [], "nothing is lost");
  }
}

/** Runs the built program to its end. */
export async function mytty(
  folder: string,
  args: readonly string[],
  options: VictimOptions & { readonly stdin?: string } = {},
): Promise<Ran> {
  const [program, ...rest] = [...options.prefix ?? [], BUILT, ...args];
  const child = new Deno.Command(program!, {
    args: rest,
    env: victimEnv(folder, options.env),
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(options.stdin ?? "")).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Waits until the session of each is in the log exactly once; what is there besides is told. */
export async function assertTold(victim: Victim, sessions: readonly string[]): Promise<void> {
  await eventually(async () => {
    const rows = (await allEvents(victim.control)).filter(({ kind }) => kind === "started");
    const seen = new Set(rows.map(({ sessionID }) => sessionID));
    return sessions.every((session) => seen.has(session));
  }, 20_000).catch(async () => {
    const rows = await allEvents(victim.control);
    const seen = new Set(rows.map(({ sessionID }) => sessionID));
    assert.deepEqual(sessions.filter((session) => !seen.has(session)), [], "lost hooks");
  });
}

/**
 * One real agent in a home of its own, a fake model on loopback, a real `dist/mytty serve`, hooks
 * written by the real `mytty install`, and a real tmux. Nothing outside the temporary folder is
 * read or written; nothing that was started outlives the test.
 */

import assert from "node:assert/strict";
import type { EventJson } from "../../src/core/log/event_json.ts";
import type { AttentionJson, PlaceJson } from "../../src/core/view/view_json.ts";
import { type AgentPackage, agentsFolder, binFolders } from "./agents.ts";
import { type FakeApi, startFakeApi } from "./fake_api/server.ts";
import { type Pane, Tmux } from "./panes.ts";
import { endProcessesWith, pause, type Ran, run, until } from "./running.ts";
import { Served } from "./served.ts";

export type Place = {
  readonly home: string;
  /** The folder that the agent works in. */
  readonly project: string;
  /** Such as `http://127.0.0.1:40001`. */
  readonly api: string;
};

/** What is seen of it, and what to press then. */
export type Dialog = readonly [RegExp, readonly string[]];

export type RealAgent = {
  readonly package: AgentPackage;
  /** Writes the agent's own config; what its environment needs besides. */
  readonly prepare: (place: Place) => Record<string, string>;
  /** The command line for a person at a terminal, what shows that it is ready, and what to press
   * in dialogs before that. */
  readonly interactive: string;
  readonly ready: RegExp;
  readonly dialogs?: readonly Dialog[];
};

export type RealOptions = {
  /** False: `mytty install` is left to the test. */
  readonly hooks?: boolean;
};

export class Real extends Served implements AsyncDisposable {
  readonly agent: RealAgent;
  readonly folder: string;
  readonly place: Place;
  readonly api: FakeApi;
  readonly tmux: Tmux;
  readonly #panes: Pane[] = [];

  static async start(agent: RealAgent, { hooks = true }: RealOptions = {}): Promise<Real> {
    refuseNetwork();
    const real = new Real(agent, await startFakeApi());
    try {
      await real.serve();
      if (hooks) await real.ok("install", agent.package.id);
      return real;
    } catch (error) {
      await real[Symbol.asyncDispose]();
      throw error;
    }
  }

  constructor(agent: RealAgent, api: FakeApi) {
    const folder = Deno.makeTempDirSync({ dir: "/tmp", prefix: "mr-" });
    const place = { home: `${folder}/home`, project: `${folder}/home/project`, api: api.url };
    super(environment(agent, folder, place), place.project);
    this.agent = agent;
    this.api = api;
    this.folder = folder;
    this.place = place;
    this.tmux = new Tmux(folder, this.env);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tmux.end();
    await this.stop();
    await endProcessesWith(`HOME=${this.place.home}`);
    await this.api.close();
    await removeFolder(this.folder);
  }

  /** How the agent's hooks are, in the word of `mytty status`. */
  async health(): Promise<string> {
    const said = JSON.parse(await this.ok("status", "--json", this.agent.package.id));
    return said.providers[0].state;
  }

  /** The agent's program by its whole path: login shells know none of this PATH. */
  get program(): string {
    const [folder] = binFolders(agentsFolder((name) => Deno.env.get(name)), this.agent.package);
    return `${folder}/${this.agent.package.program}`;
  }

  /** The agent without a terminal, to its end. */
  print(...args: string[]): Promise<Ran> {
    return run(this.program, args, { env: this.env, cwd: this.place.project });
  }

  /** A pane with a shell in the project, or in `cwd`. */
  async shell(cwd = this.place.project): Promise<Pane> {
    const pane = await this.tmux.open(cwd);
    this.#panes.push(pane);
    return pane;
  }

  /** A pane in which the agent waits for its first prompt. */
  async open(command = this.agent.interactive, cwd?: string): Promise<Pane> {
    const pane = await this.shell(cwd);
    await pane.say(command);
    await this.untilReady(pane);
    return pane;
  }

  async untilReady(pane: Pane): Promise<void> {
    await this.until("the agent to be ready", async () => {
      const screen = await pane.screen();
      const dialog = this.agent.dialogs?.find(([pattern]) => pattern.test(screen));
      if (dialog === undefined) return this.agent.ready.test(screen);
      await this.#answer(pane, dialog);
      return false;
    });
  }

  /** Programs that have just drawn a dialog may not read keys yet, and then want them again. */
  async #answer(pane: Pane, [pattern, keys]: Dialog): Promise<void> {
    await pause(500);
    await pane.press(...keys);
    for (let look = 0; look < 30 && pattern.test(await pane.screen()); look++) await pause(100);
  }

  /** What `look` finds; else an error with everything that is known. */
  until<T>(what: string, look: () => Promise<T | undefined | null | false>): Promise<T> {
    return until(what, look, () => this.explain());
  }

  untilRow(what: string, isIt: (row: PlaceJson) => boolean): Promise<PlaceJson> {
    return this.until(what, async () => (await this.rows()).find(isIt));
  }

  /** The pane's row, as soon as it shows `state`. */
  untilState(pane: Pane, state: PlaceJson["state"]): Promise<PlaceJson> {
    return this.untilRow(`${state} in ${pane.id}`, (row) => isIn(row, pane) && row.state === state);
  }

  /** No such row among the active ones any more. */
  async untilGone(isIt: (row: PlaceJson) => boolean): Promise<void> {
    await this.until("it to leave the active list", async () => {
      return (await this.rows("--active")).every((row) => !isIt(row));
    });
  }

  /** The open item of this kind in the drawer. */
  untilAsked(kind: string): Promise<AttentionJson> {
    return this.until(
      `an open ${kind}`,
      async () => (await this.attention()).find((item) => item.kind === kind),
    );
  }

  /** The item, once it is answered. */
  async untilSettled({ id }: AttentionJson): Promise<AttentionJson> {
    return await this.until(`item ${id} settled`, async () => {
      const all = await this.attention("--all");
      return all.find((item) => item.id === id && item.resolvedAt !== null);
    });
  }

  untilEvent(what: string, isIt: (event: EventJson) => boolean): Promise<EventJson> {
    return this.until(what, async () => (await this.events()).find(isIt));
  }

  /** Lists, events, screens and what the programs said: what a failure is understood by. */
  async explain(): Promise<string> {
    const ask = async (...args: string[]) => (await this.mytty(...args)).stdout;
    const parts: [string, string][] = [
      ["list --explain", await ask("list", "--explain")],
      ["attention --all", await ask("attention", "--all")],
      ["events --explain", await ask("events", "--explain")],
      ["hooks.log", fileText(`${this.place.home}/.local/state/mytty/hooks.log`)],
      ["the server said", this.serverSaid],
      ["the model was asked", this.api.requests.map((it) => JSON.stringify(it)).join("\n")],
    ];
    for (const pane of this.#panes) parts.push([`screen of ${pane.id}`, await pane.screen()]);
    return parts.map(([title, text]) => `--- ${title}\n${text.trim()}`).join("\n");
  }
}

export function isIn(row: PlaceJson, pane: Pane): boolean {
  return row.tty === pane.tty;
}

/** Runs `task` with the agent; a failure tells everything that is known. */
export async function withReal(
  agent: RealAgent,
  task: (real: Real) => Promise<void>,
  options: RealOptions = {},
): Promise<void> {
  await using real = await Real.start(agent, options);
  try {
    await task(real);
  } catch (error) {
    if (error instanceof Error && !error.message.includes("--- list")) {
      error.message += `\n${await real.explain()}`;
    }
    throw error;
  }
}

/** With `short`, the test also belongs to the quick subset (`deno task test:real --short`). */
export function realTest(
  agent: RealAgent,
  name: string,
  task: (real: Real) => Promise<void>,
  { short = false, ...options }: RealOptions & { readonly short?: boolean } = {},
): void {
  if (Deno.env.get("MYTTY_REAL_SHORT") === "1" && !short) return;
  Deno.test(`${agent.package.id}: ${name}`, () => withReal(agent, task, options));
}

/** A real agent must not reach anything but this machine. */
function refuseNetwork(): void {
  const devices = Deno.readTextFileSync("/proc/net/dev").split("\n").slice(2)
    .map((line) => line.split(":")[0]!.trim()).filter((name) => name !== "");
  assert.deepEqual(devices, ["lo"], "Run this by `deno task test:real`: only loopback is allowed");
}

/** Makes the home; what programs in it inherit, and nothing else. */
function environment(agent: RealAgent, folder: string, place: Place): Record<string, string> {
  const { home, project } = place;
  for (const part of [home, project, `${home}/tmp`, `${home}/.cache`, `${folder}/run`]) {
    Deno.mkdirSync(part, { mode: 0o700 });
  }
  shareUnpacked(home);
  const root = agentsFolder((name) => Deno.env.get(name));
  return {
    PATH: [...binFolders(root, agent.package), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: home,
    TMPDIR: `${home}/tmp`,
    XDG_RUNTIME_DIR: `${folder}/run`,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    ...agent.prepare(place),
  };
}

/** The portable form unpacks itself into the cache: once for all homes. */
function shareUnpacked(home: string): void {
  const cache = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME")}/.cache`;
  Deno.mkdirSync(`${cache}/mytty`, { recursive: true, mode: 0o700 });
  Deno.symlinkSync(`${cache}/mytty`, `${home}/.cache/mytty`);
}

function fileText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** What has just been ended may still write for a moment. */
async function removeFolder(folder: string): Promise<void> {
  await until(`${folder} removed`, async () => {
    return await Deno.remove(folder, { recursive: true }).then(() => true, () => false);
  });
}

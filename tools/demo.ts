/**
 * A live demonstration on real recorded input: a real server in a temporary folder, recorded runs
 * of Claude Code and Codex played through the real hook command, faster than life; then the drawer,
 * and where to go next. Ends by itself.
 */

import { fileURLToPath } from "node:url";
import { listTable } from "../src/views/list_table.ts";
import { attentionTable } from "../src/views/attention_table.ts";
import { terminal } from "../src/views/terminal.ts";
import { ControlClient } from "../src/socket/client.ts";
import type { AttentionJson, PlaceJson } from "../src/core/view/view_json.ts";
import { StandIn } from "../tests/helpers/stand_in.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const MAIN = `${ROOT}main.ts`;

type Part = {
  readonly label: string;
  readonly provider: string;
  readonly program: string;
  readonly recording: string;
  /** Stop before this recorded time, so that the last state stays to be seen. */
  readonly until?: number;
};

/** Each tells something else: an approval, a question, an error, sub-agents, a finished turn. */
const CAST: readonly Part[] = [
  {
    label: "api",
    provider: "claude-code",
    program: "claude",
    recording: "permission-approve",
    until: 15_500,
  },
  {
    label: "web",
    provider: "claude-code",
    program: "claude",
    recording: "question",
    until: 13_000,
  },
  {
    label: "docs",
    provider: "claude-code",
    program: "claude",
    recording: "subagent",
    until: 17_000,
  },
  {
    label: "infra",
    provider: "claude-code",
    program: "claude",
    recording: "error-429",
    until: 20_000,
  },
  {
    label: "tests",
    provider: "codex",
    program: "codex",
    recording: "permission-approve",
    until: 14_000,
  },
  { label: "cli", provider: "codex", program: "codex", recording: "text-quit", until: 11_000 },
];

type Step = { readonly dt: number; readonly part: Part; readonly payload: unknown };

function stepsOf(part: Part): Step[] {
  const path =
    `${ROOT}tests/fixtures/providers/${part.provider}/recordings/${part.recording}.jsonl`;
  const lines = Deno.readTextFileSync(path).trim().split("\n").map((line) => JSON.parse(line));
  return lines.filter((line) => line.payload?.hook_event_name !== undefined)
    .filter((line) => line.dt < (part.until ?? Infinity))
    .map(({ dt, payload }) => ({ dt, part, payload }));
}

/** The demonstration is on the screen; nobody's desktop is to be told of it. */
function quietConfig(folder: string): string {
  const path = `${folder}/config.jsonc`;
  Deno.writeTextFileSync(path, '{ "notify": { "enabled": false } }\n');
  return path;
}

class Stage {
  readonly #folder = Deno.makeTempDirSync({ dir: "/tmp", prefix: "mytty-demo-" });
  readonly env = {
    MYTTY_RUNTIME_DIR: `${this.#folder}/run`,
    MYTTY_STATE_DIR: `${this.#folder}/state`,
    MYTTY_CONFIG: quietConfig(this.#folder),
  };
  readonly control = new ControlClient(`${this.#folder}/run/control.sock`);
  readonly #server = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", MAIN, "serve", "--no-watch", "--no-estimate"],
    env: this.env,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  readonly #agents = new Map<string, StandIn>();

  async ready(): Promise<void> {
    const reader = this.#server.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    if (value === undefined) throw new Error("The server did not start");
  }

  async open({ label, provider, program }: Part): Promise<void> {
    const body = { label, cwd: `/home/you/${label}` };
    const reply = await this.control.request("/v1/surfaces", { method: "POST", body });
    const { env } = reply.body as { env: Record<string, string> };
    const hook = [Deno.execPath(), "run", "-A", "--quiet", MAIN, "hook", provider];
    const all = { ...Deno.env.toObject(), ...this.env, ...env };
    this.#agents.set(label, new StandIn({ folder: this.#folder, program, hook, env: all }));
  }

  /** The very command that an agent's hook runs, started by a process of the agent's name. */
  async hook({ part, payload }: Step): Promise<void> {
    await this.#agents.get(part.label)!.tell(payload);
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents.values()) await agent.end();
    this.#server.kill("SIGTERM");
    await this.#server.stdout.cancel();
    await this.#server.status;
    Deno.removeSync(this.#folder, { recursive: true });
  }
}

async function draw(stage: Stage, title: string, lines: number): Promise<number> {
  const screen = terminal();
  const { body } = await stage.control.request("/v1/list");
  const text = `${title}\n\n${listTable((body as { surfaces: PlaceJson[] }).surfaces, screen)}`;
  // On a terminal the table is drawn over the one before; a log gets it only at the end.
  if (Deno.stdout.isTerminal()) {
    Deno.stdout.writeSync(
      new TextEncoder().encode(lines > 0 ? `\x1b[${lines}A\x1b[J${text}` : text),
    );
  }
  return text.split("\n").length - 1;
}

async function play(stage: Stage): Promise<number> {
  const steps = CAST.flatMap(stepsOf).toSorted((a, b) => a.dt - b.dt);
  const total = steps.at(-1)!.dt;
  let lines = await draw(stage, "mytty demo: recorded runs of real agents", 0);
  for (const step of steps) {
    await stage.hook(step);
    // Slow enough for a person to follow, where one is looking.
    if (Deno.stdout.isTerminal()) await new Promise((resolve) => setTimeout(resolve, 120));
    const hook = (step.payload as { hook_event_name: string }).hook_event_name;
    const at = `${(step.dt / 1000).toFixed(1)} of ${(total / 1000).toFixed(1)} s`;
    const title = `mytty demo: recorded runs of real agents, ${at}  (${step.part.label}: ${hook})`;
    lines = await draw(stage, title, lines);
  }
  return lines;
}

async function main(): Promise<void> {
  const print = (text: string) => console.log(text);
  const stage = new Stage();
  try {
    await stage.ready();
    for (const part of CAST) await stage.open(part);
    await play(stage);
    const screen = terminal();
    const { body: list } = await stage.control.request("/v1/list");
    if (!Deno.stdout.isTerminal()) {
      print(listTable((list as { surfaces: PlaceJson[] }).surfaces, screen));
    }
    const { body } = await stage.control.request("/v1/attention");
    print("\nWhat needs you (mytty attention):\n");
    print(attentionTable((body as { items: AttentionJson[] }).items, { screen, now: Date.now() }));
    print(`This was a real server, fed by the real hook command. For your own agents:

  npx -y deno@2.9.6 task build          makes dist/mytty; put it on your PATH
  mytty serve                           run the server (keep it running)
  mytty install                         let your agents' hooks report to it
  mytty run --label api -- claude       or: an agent in a pane of its own
  mytty list                            who works, who waits for you, who is done`);
  } finally {
    await stage.stop();
  }
}

await main();

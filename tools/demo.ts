/**
 * A live demonstration on real recorded input: a real server in a temporary folder, recorded runs
 * of Claude Code and Codex played through the real hook command, faster than life; then the drawer,
 * and where to go next. Ends by itself.
 */

import { listTable } from "../src/views/list_table.ts";
import { attentionTable } from "../src/views/attention_table.ts";
import { terminal } from "../src/views/terminal.ts";
import { ControlClient } from "../src/socket/client.ts";
import type { AttentionJson, PlaceJson } from "../src/core/view_json.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const MAIN = `${ROOT}main.ts`;

type Part = {
  readonly label: string;
  readonly provider: string;
  readonly recording: string;
  /** Stop before this recorded time, so that the last state stays to be seen. */
  readonly until?: number;
};

/** Each tells something else: an approval, a question, an error, sub-agents, a finished turn. */
const CAST: readonly Part[] = [
  { label: "api", provider: "claude-code", recording: "permission-approve", until: 15_500 },
  { label: "web", provider: "claude-code", recording: "question", until: 13_000 },
  { label: "docs", provider: "claude-code", recording: "subagent", until: 17_000 },
  { label: "infra", provider: "claude-code", recording: "error-429", until: 20_000 },
  { label: "tests", provider: "codex", recording: "permission-approve", until: 14_000 },
  { label: "cli", provider: "codex", recording: "text-quit", until: 11_000 },
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

class Stage {
  readonly #folder = Deno.makeTempDirSync({ dir: "/tmp", prefix: "mytty-demo-" });
  readonly env = {
    MYTTY_RUNTIME_DIR: `${this.#folder}/run`,
    MYTTY_STATE_DIR: `${this.#folder}/state`,
  };
  readonly control = new ControlClient(`${this.#folder}/run/control.sock`);
  readonly #server = this.#mytty(["serve"], { stdout: "piped" }).spawn();
  readonly #surfaces = new Map<string, Record<string, string>>();

  async ready(): Promise<void> {
    const reader = this.#server.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    if (value === undefined) throw new Error("The server did not start");
  }

  async open(label: string): Promise<void> {
    const body = { label, cwd: `/home/you/${label}` };
    const reply = await this.control.request("/v1/surfaces", { method: "POST", body });
    this.#surfaces.set(label, (reply.body as { env: Record<string, string> }).env);
  }

  /** The very command that an agent's hook runs. */
  async hook({ part, payload }: Step): Promise<void> {
    const child = this.#mytty(["hook", part.provider], {
      stdin: "piped",
      env: this.#surfaces.get(part.label)!,
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(payload)));
    await writer.close();
    await child.status;
  }

  async stop(): Promise<void> {
    this.#server.kill("SIGTERM");
    await this.#server.stdout.cancel();
    await this.#server.status;
    Deno.removeSync(this.#folder, { recursive: true });
  }

  #mytty(
    args: string[],
    { env = {}, ...io }: { stdin?: "piped"; stdout?: "piped"; env?: Record<string, string> },
  ): Deno.Command {
    return new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", MAIN, ...args],
      env: { ...this.env, ...env },
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
      ...io,
    });
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
    for (const { label } of CAST) await stage.open(label);
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

/** A steady mixed load on a server: what a working day sends it, faster. Ends with its signal. */

import type { JsonObject } from "../../src/core/json.ts";
import { PROVIDERS } from "../../src/core/registry.ts";
import { envelope, exchange } from "../../tests/helpers/daemon.ts";
import { StandIn } from "../../tests/helpers/stand_in.ts";
import type { SoakServer } from "./server.ts";

export type Counts = Record<string, { done: number; failed: number }>;

type Task = {
  readonly name: string;
  readonly everyMs: number;
  readonly run: (server: SoakServer, turn: number) => Promise<void>;
};

const FIXTURES = new URL("../../tests/fixtures/providers/", import.meta.url);

const TASKS: readonly Task[] = [
  { name: "hooks through the launcher", everyMs: 250, run: hook },
  { name: "envelopes", everyMs: 50, run: sendEnvelope },
  { name: "lists", everyMs: 700, run: list },
  { name: "watches", everyMs: 1_300, run: watch },
  { name: "followed logs", everyMs: 1_700, run: follow },
  { name: "waits", everyMs: 900, run: wait },
  { name: "commands", everyMs: 10_000, run: command },
  { name: "agents that come and die", everyMs: 6_000, run: agent },
  { name: "silent connections", everyMs: 2_000, run: silence },
  { name: "surfaces", everyMs: 3_000, run: surface },
  { name: "config reloads", everyMs: 15_000, run: reload },
  { name: "installs and uninstalls", everyMs: 20_000, run: install },
];

/** Runs every task at its pace until `signal`; what failed is counted, not thrown. */
export async function load(server: SoakServer, signal: AbortSignal): Promise<Counts> {
  const counts: Counts = {};
  await Promise.all(TASKS.map((task) => repeat(task, { server, signal, counts })));
  return counts;
}

async function repeat(
  { name, everyMs, run }: Task,
  { server, signal, counts }: { server: SoakServer; signal: AbortSignal; counts: Counts },
): Promise<void> {
  const count = counts[name] = { done: 0, failed: 0 };
  for (let turn = 0; !signal.aborted; turn++) {
    const began = performance.now();
    try {
      await run(server, turn);
      count.done++;
    } catch (error) {
      // The first tells what is wrong; a thousand of the same tell no more.
      if (count.failed++ === 0) console.error(`${name}: ${String(error)}`);
    }
    await pause(began + everyMs - performance.now(), signal);
  }
}

function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.max(0, millis));
    signal.addEventListener("abort", done);
  });
}

type Case = { provider: string; payload: JsonObject; event?: string; env?: Record<string, string> };

const CASES: readonly Case[] = PROVIDERS.flatMap(({ id }) =>
  Deno.readTextFileSync(new URL(`${id}/hooks.jsonl`, FIXTURES)).trim().split("\n")
    .map((line) => ({ ...JSON.parse(line), provider: id }))
);

async function hook(server: SoakServer, turn: number): Promise<void> {
  // A stride without a common factor: neighbours in the files are of one agent.
  const { provider, payload, event, env } = CASES[(turn * 7) % CASES.length]!;
  const args = [provider, ...event === undefined ? [] : ["--event", event]];
  await server.hook(args, JSON.stringify(payload), env);
}

/** Fifty runs, begun and ended again and again. */
async function sendEnvelope({ pane, paths }: SoakServer, turn: number): Promise<void> {
  const run = String(turn % 50).padStart(12, "0");
  const kinds = ["started", "approval-requested", "running", "succeeded"];
  const line = envelope(pane, {
    runID: { rawValue: `00000000-0000-4000-8000-${run}` },
    sessionID: `soak-${turn % 50}`,
    kind: kinds[Math.floor(turn / 50) % kinds.length],
    message: `turn ${turn}`,
  });
  const answer = await exchange(paths.eventSocket, line);
  if (!answer.includes('"ok":true')) throw new Error(`Answered "${answer.trim()}"`);
}

async function list({ control }: SoakServer): Promise<void> {
  for (const path of ["/v1/list", "/v1/attention?all=1", "/v1/providers", "/v1/status"]) {
    const { status } = await control.request(path);
    if (status !== 200) throw new Error(`${path} was answered ${status}`);
  }
}

function watch(server: SoakServer): Promise<void> {
  return readLines(server, "/v1/watch", 20);
}

function follow(server: SoakServer): Promise<void> {
  return readLines(server, "/v1/events?follow=1&after=0", 200);
}

/** Generous: whoever else uses this machine is not what is measured. */
const FIRST_LINE_MS = 10_000;

/** Reads some lines and goes away without a word, as a closed terminal does. */
async function readLines({ control }: SoakServer, path: string, most: number): Promise<void> {
  const abort = new AbortController();
  let timer = setTimeout(() => abort.abort(), FIRST_LINE_MS);
  let seen = 0;
  try {
    for await (const _line of control.lines(path, { signal: abort.signal })) {
      if (++seen === most) return;
      if (seen > 1) continue;
      clearTimeout(timer);
      timer = setTimeout(() => abort.abort(), 1_000);
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  if (seen === 0) throw new Error(`${path} said nothing`);
}

async function wait({ control, pane }: SoakServer, turn: number): Promise<void> {
  const body = {
    target: pane.surfaceID,
    until: ["idle", "attention", "finished", "change"][turn % 4],
    timeoutMs: 1_500,
  };
  const { status } = await control.request("/v1/wait", { method: "POST", body });
  if (status !== 200) throw new Error(`A wait was answered ${status}`);
}

async function command(server: SoakServer, turn: number): Promise<void> {
  const commands = [["list"], ["attention"], ["status"], ["doctor"], ["list", "--explain"]];
  await server.mytty(commands[turn % commands.length]!);
}

/** An agent's process with a session of its own; every second one is killed in its turn. */
async function agent(server: SoakServer, turn: number): Promise<void> {
  const { env } = await server.openSurface(`agent ${turn}`);
  const standIn = new StandIn({
    folder: server.folder,
    program: turn % 3 === 0 ? "codex" : "claude",
    hook: [server.launcher, turn % 3 === 0 ? "codex" : "claude-code"],
    env: { ...server.env, ...env },
  });
  const session_id = crypto.randomUUID();
  const base = { session_id, cwd: server.folder };
  try {
    for (const hook_event_name of ["SessionStart", "UserPromptSubmit", "PermissionRequest"]) {
      const more = { source: "startup", prompt: "Do it", tool_name: "Bash", tool_input: {} };
      await standIn.tell({ ...base, hook_event_name, ...more });
    }
    if (turn % 2 === 0) {
      await standIn.tell({ ...base, hook_event_name: "Stop" });
      await standIn.tell({ ...base, hook_event_name: "SessionEnd", reason: "exit" });
    }
  } finally {
    await standIn.end();
  }
}

/** Opens, sends nothing or half a line, and leaves it to the server. */
async function silence({ paths }: SoakServer, turn: number): Promise<void> {
  await exchange(paths.eventSocket, turn % 2 === 0 ? "" : '{"schema', { end: false });
}

async function surface(server: SoakServer): Promise<void> {
  const { surfaceID } = await server.openSurface("passing");
  await server.control.request(`/v1/surfaces/${surfaceID}`, { method: "DELETE" });
}

/** Every third one is broken: it is said, and the last good one stays in force. */
function reload({ configPath }: SoakServer, turn: number): Promise<void> {
  const text = turn % 3 === 2
    ? '{ "notify": '
    : `{ "notify": { "enabled": false }, "idleAfter": "${1 + turn % 2}m" }\n`;
  return Deno.writeTextFile(configPath, text);
}

async function install(server: SoakServer, turn: number): Promise<void> {
  await server.mytty(turn % 2 === 0 ? ["uninstall", "codex", "gemini"] : server.installCommand);
}

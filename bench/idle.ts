/**
 * What `serve` costs while nothing happens: 30 agents at their prompts, 2,000 processes.
 * MYTTY_IDLE_SECONDS sets how long it is watched (600 for the ten minutes of the bar).
 */

import { execFileSync } from "node:child_process";
import { Built } from "../tests/helpers/built.ts";
import { plainEnv } from "../tests/helpers/panes.ts";
import { fixed, type Result, withTemporary } from "./measure.ts";

const AGENTS = 30;
const PROCESSES = 2_000;
const SECONDS = Number(Deno.env.get("MYTTY_IDLE_SECONDS") ?? 30);
const SETTLE_MS = 15_000;
const MEGABYTE = 1_048_576;

export async function benchIdle(): Promise<Result[]> {
  return await withTemporary(async (folder) => {
    const crowd = startCrowd();
    const tmux = startAgents(folder);
    const built = new Built(folder);
    try {
      await built.serve([]);
      return await measure(built, folder);
    } finally {
      await built.stop();
      execFileSync("tmux", ["-S", tmux, "kill-server"]);
      crowd.kill("SIGTERM");
      await crowd.status;
    }
  });
}

/** Many processes without a terminal, all ended with the first. */
function startCrowd(): Deno.ChildProcess {
  const script = `trap 'kill $(jobs -p) 2>/dev/null; exit' TERM
i=0; while [ $i -lt ${PROCESSES} ]; do sleep 100000 & i=$((i+1)); done; wait`;
  return new Deno.Command("bash", { args: ["-c", script], stdout: "null", stderr: "null" }).spawn();
}

/** Stand-ins for Claude Code on terminals of their own, each with its files; the tmux socket. */
function startAgents(folder: string): string {
  const socket = `${folder}/t.sock`;
  const home = `${folder}/home`;
  const program = `${folder}/bin/claude`;
  for (const path of ["bin", "home/.claude/sessions", "home/.claude/projects/-p"]) {
    Deno.mkdirSync(`${folder}/${path}`, { recursive: true });
  }
  Deno.copyFileSync("/bin/sh", program);
  Deno.chmodSync(program, 0o755);
  const env = plainEnv({ HOME: home });
  for (let at = 0; at < AGENTS; at++) {
    const first = ["-f", "/dev/null", "new-session", "-d", "-s", "main"];
    const words = at === 0 ? first : ["new-window", "-d", "-t", "main:"];
    const sessionID = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
    const line = `exec "${program}" -c 'read line' --session-id ${sessionID}`;
    execFileSync("tmux", ["-S", socket, ...words, line], { env });
  }
  writeFiles(socket, home, env);
  return socket;
}

function writeFiles(socket: string, home: string, env: Record<string, string>): void {
  const format = ["list-panes", "-a", "-F", "#{pane_pid}"];
  const pids = execFileSync("tmux", ["-S", socket, ...format], { env, encoding: "utf8" });
  pids.trim().split("\n").forEach((pid, at) => {
    const sessionId = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
    const status = { pid: Number(pid), sessionId, status: "idle", statusUpdatedAt: Date.now() };
    Deno.writeTextFileSync(`${home}/.claude/sessions/${pid}.json`, JSON.stringify(status));
    const lines = `{"type":"mode","sessionId":"${sessionId}"}\n`.repeat(1_000);
    Deno.writeTextFileSync(`${home}/.claude/projects/-p/${sessionId}.jsonl`, lines);
  });
}

async function measure(built: Built, folder: string): Promise<Result[]> {
  const { body } = await built.control.request("/v1/status");
  const { pid } = body as { pid: number };
  await pause(SETTLE_MS);
  const reply = await built.control.request("/v1/estimate");
  const { agents } = reply.body as { agents: { cwd: string | null; transcript: string | null }[] };
  const mine = agents.filter(({ transcript }) => transcript?.startsWith(folder)).length;
  const before = usageOf(pid);
  await pause(SECONDS * 1_000);
  const after = usageOf(pid);
  const share = 100 * (after.ticks - before.ticks) / ticksPerSecond() / SECONDS;
  const megabytes = after.bytes / MEGABYTE;
  const measured = `${SECONDS} s, ${mine} agents followed, ${PROCESSES} processes`;
  return [
    { work: "idle serve: per cent of one core", measured, ratio: share, bar: { most: 2 } },
    { work: "idle serve: resident megabytes", measured, ratio: megabytes, bar: { most: 120 } },
    {
      work: "idle serve: resident at the end against the beginning",
      measured: `${fixed(before.bytes / MEGABYTE)} MB, then ${fixed(megabytes)} MB`,
      ratio: after.bytes / before.bytes,
      bar: { most: 1.1 },
    },
  ];
}

function usageOf(pid: number): { ticks: number; bytes: number } {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { ticks: Number(fields[11]) + Number(fields[12]), bytes: kilobytes * 1_024 };
}

function ticksPerSecond(): number {
  return Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

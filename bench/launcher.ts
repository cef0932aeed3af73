/**
 * The installed hook command, the very line that stands in a config, against what it could cost at
 * the least and what it would cost in Node; with the server down; and with everything that hangs.
 */

import { findProvider } from "../src/core/registry.ts";
import { HOOK_BUDGET_MS } from "../src/core/wire/hook_timing.ts";
import { findWrittenCommands } from "../src/installers/written_commands.ts";
import { installContextFor } from "../tests/helpers/install_home.ts";
import type { Built } from "../tests/helpers/built.ts";
import { type Candidate, compare, NODE_HOOK } from "./hook.ts";
import { fixed, median, type Result, withServed, withTemporary } from "./measure.ts";

const HANGS = 5;

/** As an agent has it: installed by the program into a config, and read from there. */
export async function installedCommand(built: Built): Promise<string> {
  const record = findProvider("claude")!;
  const { code, stderr } = await built.mytty(["install", record.id]);
  if (code !== 0) throw new Error(`Cannot install: ${stderr}`);
  const context = installContextFor(built.folder);
  const written = await findWrittenCommands(record, [context]);
  return written.find(({ event }) => event === "PostToolUse")!.command;
}

function candidates(built: Built, command: string): Candidate[] {
  const socket = `${built.folder}/run/event.sock`;
  const post = `curl -s --unix-socket '${socket}' --data-binary @- http://m/v1/hooks/claude-code`;
  return [
    { name: "installed", argv: ["sh", "-c", command] },
    { name: "curl", argv: ["sh", "-c", post] },
    { name: "node", argv: ["node", "-e", NODE_HOOK, "--", socket] },
    { name: "start", argv: ["sh", "-c", "exit 0"] },
    {
      name: "down",
      argv: ["sh", "-c", command],
      env: { MYTTY_EVENT_SOCKET: `${built.folder}/nobody.sock` },
    },
  ];
}

/** Start to exit while stdin is held open. */
async function withOpenStdin(built: Built, command: string, bytes: string): Promise<number> {
  const from = performance.now();
  const child = new Deno.Command("sh", {
    args: ["-c", command],
    env: built.env,
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(bytes)).catch(() => {});
  await child.status;
  const time = performance.now() - from;
  await writer.close().catch(() => {});
  return time;
}

async function repeated(task: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < HANGS; run++) times.push(await task());
  return median(times);
}

/** A server that is stopped takes the connection and never answers. */
async function stopped(built: Built, command: string): Promise<number> {
  const { pid } = (await built.control.request("/v1/status")).body as { pid: number };
  Deno.kill(pid, "SIGSTOP");
  try {
    const [hung] = candidates(built, command);
    const times = await compare(built, [hung!], HANGS);
    return times.get(hung!.name)!;
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
}

function within(work: string, time: number, start: number): Result {
  return {
    work: `installed hook, ${work}: end within ${HOOK_BUDGET_MS} ms + process start`,
    measured: `${fixed(time)} ms; a process starts in ${fixed(start)} ms`,
    ratio: time / (HOOK_BUDGET_MS + start),
    bar: { most: 1 },
  };
}

export function benchLauncher(): Promise<Result[]> {
  return withTemporary(async (folder) => {
    const { times, openTime, stoppedTime } = await withServed(folder, async (built) => {
      const command = await installedCommand(built);
      return {
        times: await compare(built, candidates(built, command)),
        openTime: await repeated(() => withOpenStdin(built, command, '{"a":')),
        stoppedTime: await stopped(built, command),
      };
    });
    const of = (name: string) => times.get(name)!;
    const against = (name: string) => `${fixed(of("installed"))} ms against ${fixed(of(name))} ms`;
    return [
      {
        work: "installed hook command, against bare sh -c curl",
        measured: against("curl"),
        ratio: of("installed") / of("curl"),
        bar: { most: 1.5 },
      },
      {
        work: "installed hook command, against the same hook in Node",
        measured: against("node"),
        ratio: of("installed") / of("node"),
        bar: { most: 1 / 3 },
      },
      {
        work: "installed hook command, server down against up",
        measured: `${fixed(of("down"))} ms against ${fixed(of("installed"))} ms`,
        ratio: of("down") / of("installed"),
        bar: { most: 1 },
      },
      within("stdin that does not end", openTime, of("start")),
      within("a server that is stopped", stoppedTime, of("start")),
    ];
  });
}

/** The hook command: start to exit, server up and down, and its memory with a huge payload. */

import { BUILT, type Built } from "../tests/helpers/built.ts";
import { fixed, median, type Result, withServed, withTemporary } from "./measure.ts";

const RUNS = 40;
const PAYLOAD = JSON.stringify({
  hook_event_name: "PostToolUse",
  session_id: "bench",
  prompt_id: "p1",
  tool_name: "Bash",
  tool_use_id: "t1",
  tool_input: { command: "make" },
  tool_response: "x".repeat(2_000),
});

export const NODE_HOOK = `
const http = require("node:http");
let body = "";
process.stdin.on("data", (part) => body += part);
process.stdin.on("end", () => {
  const request = http.request({ socketPath: process.argv[2], path: "/v1/hooks/claude-code",
    method: "POST", headers: { "content-length": Buffer.byteLength(body) } },
    (response) => { response.resume(); });
  request.on("error", () => {});
  request.end(body);
});`;

export type Candidate = {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

async function once(
  built: Built,
  { argv, env = {} }: Candidate,
  stdin: Uint8Array,
): Promise<number> {
  const from = performance.now();
  const child = new Deno.Command(argv[0]!, {
    args: argv.slice(1),
    env: { ...built.env, ...env },
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(stdin).then(() => writer.close()).catch(() => {});
  await child.status;
  return performance.now() - from;
}

/** Median start-to-exit of each, run in turns so that noise meets all of them. */
export async function compare(
  built: Built,
  candidates: readonly Candidate[],
  runs = RUNS,
): Promise<Map<string, number>> {
  const bytes = new TextEncoder().encode(PAYLOAD);
  const times = new Map<string, number[]>(candidates.map(({ name }) => [name, []]));
  for (let run = -3; run < runs; run++) {
    for (const candidate of candidates) {
      const time = await once(built, candidate, bytes);
      if (run >= 0) times.get(candidate.name)!.push(time);
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

function candidatesFor(built: Built): Candidate[] {
  const socket = `${built.folder}/run/event.sock`;
  const post = `curl -s --unix-socket '${socket}' --data-binary @- http://m/v1/hooks/claude-code`;
  return [
    { name: "hook", argv: [BUILT, "hook", "claude-code"] },
    { name: "curl", argv: ["sh", "-c", post] },
    { name: "node", argv: ["node", "-e", NODE_HOOK, "--", socket] },
  ];
}

/** Highest resident memory of the process that `argv` becomes, in KiB. */
async function peakMemory(built: Built, bytes: number): Promise<number> {
  const child = new Deno.Command(BUILT, {
    args: ["hook", "claude-code"],
    env: built.env,
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let peak = 0;
  let isRunning = true;
  const watch = (async () => {
    while (isRunning) {
      const status = await Deno.readTextFile(`/proc/${child.pid}/status`).catch(() => "");
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  const head =
    '{"hook_event_name":"PostToolUse","session_id":"bench","prompt_id":"p1","tool_response":"';
  const writer = child.stdin.getWriter();
  const chunk = new TextEncoder().encode("x".repeat(65_536));
  try {
    await writer.write(new TextEncoder().encode(head));
    for (let sent = 0; sent < bytes; sent += chunk.length) await writer.write(chunk);
    await writer.close();
  } catch {
    // The hook stops reading at its cap.
  }
  await child.status;
  isRunning = false;
  await watch;
  return peak;
}

export function benchHook(): Promise<Result[]> {
  return withTemporary(async (folder) => {
    const { up, small, large } = await withServed(folder, async (built) => ({
      up: await compare(built, candidatesFor(built)),
      small: await peakMemory(built, 65_536),
      large: await peakMemory(built, 50 * 1_048_576),
    }));
    const [hook, curl, node] = [up.get("hook")!, up.get("curl")!, up.get("node")!];
    const times = `${fixed(hook)} ms`;
    return [
      {
        work: "mytty hook (no launcher), against bare sh -c curl",
        measured: `${times} against ${fixed(curl)} ms`,
        ratio: hook / curl,
        // The launcher is what agents call; this is its fallback where there is no curl.
        bar: {},
      },
      {
        work: "mytty hook (no launcher), against the same hook in Node",
        measured: `${times} against ${fixed(node)} ms`,
        ratio: hook / node,
        bar: { most: 1 },
      },
      {
        work: "hook memory with 50 MB on stdin, against a small payload",
        measured: `${fixed(large / 1024)} MiB against ${fixed(small / 1024)} MiB`,
        ratio: large / small,
        bar: { most: 1.2 },
      },
    ];
  });
}

/** A huge transcript: the first look of a running server, and the whole file as turns. */

import { fileURLToPath } from "node:url";
import { BUILT, Built } from "../tests/helpers/built.ts";
import { fixed, type Result, withTemporary } from "./measure.ts";

const MEGABYTE = 1_048_576;
const BYTES = 200 * MEGABYTE;
const SESSION = "00000000-0000-4000-8000-000000000001";

export async function benchTranscript(): Promise<Result[]> {
  return await withTemporary(async (folder) => {
    const built = new Built(folder);
    // What the program and its heap take by themselves is in both.
    const [small, large] = [BYTES / 10, BYTES].map((bytes) => writeTranscript(folder, bytes));
    const little = await replay(built, small!);
    const much = await replay(built, large!);
    const look = await firstLook(large!);
    const measured = `${BYTES / MEGABYTE} MB`;
    return [
      {
        work: "first look at a transcript: seconds",
        measured: `${measured}, ${fixed(look.millis)} ms`,
        ratio: look.millis / 1_000,
        bar: { most: 2 },
      },
      {
        work: "first look at a transcript: memory against a small one",
        measured: `${measured}, ${fixed(look.megabytes)} MB more`,
        ratio: look.ratio,
        bar: { most: 1.2 },
      },
      {
        work: "estimate --transcript, the whole file: memory against a tenth of it",
        measured: `${measured} in ${fixed(much.seconds)} s, ${fixed(much.megabytes)} MB`,
        ratio: much.megabytes / little.megabytes,
        bar: { most: 2 },
      },
    ];
  });
}

/** Turns of Claude Code with tool output of a usual size. */
function writeTranscript(folder: string, bytes: number): string {
  const path = `${folder}/${bytes}/${SESSION}.jsonl`;
  Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")));
  using file = Deno.openSync(path, { create: true, write: true });
  const encoder = new TextEncoder();
  for (let written = 0, turn = 0; written < bytes; turn++) {
    const block = encoder.encode(turnText(turn));
    for (let at = 0; at < block.length;) at += file.writeSync(block.subarray(at));
    written += block.length;
  }
  return path;
}

function turnText(turn: number): string {
  const timestamp = new Date(Date.UTC(2026, 10, 30) + turn * 1_000).toISOString();
  const about = { sessionId: SESSION, timestamp };
  const user = (uuid: string, content: unknown) => ({
    ...about,
    type: "user",
    uuid: `${uuid}${turn}`,
    promptId: `p${turn}`,
    message: { role: "user", content },
  });
  const said = (uuid: string, stop_reason: string, content: unknown) => ({
    ...about,
    type: "assistant",
    uuid: `${uuid}${turn}`,
    message: { role: "assistant", stop_reason, content },
  });
  const output = "a line of what a tool wrote\n".repeat(1_000);
  return [
    user("u", "go on"),
    said("c", "tool_use", [{ type: "tool_use", id: `t${turn}`, name: "Bash", input: {} }]),
    user("r", [{ type: "tool_result", tool_use_id: `t${turn}`, content: output }]),
    said("a", "end_turn", [{ type: "text", text: "Done" }]),
  ].map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Time and peak memory of the whole program. */
async function replay(built: Built, path: string) {
  const words = ["-f", "%M", BUILT, "estimate", "--transcript", path, "--provider", "claude-code"];
  const from = performance.now();
  const { stderr, success } = await new Deno.Command("/usr/bin/time", {
    args: words,
    env: built.env,
    clearEnv: true,
    stdout: "null",
    stderr: "piped",
  }).output();
  const text = new TextDecoder().decode(stderr);
  if (!success) throw new Error(text);
  const megabytes = Number(text.trim().split("\n").at(-1)) / 1_024;
  return { seconds: (performance.now() - from) / 1_000, megabytes };
}

const LOOK = `
import { Tail } from "${new URL("../src/estimator/tail.ts", import.meta.url)}";
import { findProvider } from "${new URL("../src/core/registry.ts", import.meta.url)}";
const read = findProvider("claude-code").transcript.reader("${SESSION}");
const memory = () => Deno.memoryUsage().rss;
const before = memory();
const from = performance.now();
const turns = new Tail(Deno.args[0]).read().lines.flatMap((line) => read(line)).length;
console.log(JSON.stringify({ turns, millis: performance.now() - from, before, after: memory() }));
`;

/** What the server does when it first meets the session, in a process of its own. */
async function firstLook(path: string) {
  const file = path.replace(/[^/]+$/, "look.ts");
  Deno.writeTextFileSync(file, LOOK);
  const config = fileURLToPath(new URL("../deno.json", import.meta.url));
  const args = ["run", "-A", "--no-check", "--config", config, file, path];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  const told = JSON.parse(new TextDecoder().decode(stdout));
  if (!(told.turns > 10)) throw new Error("The transcript was not understood");
  const { millis, before, after } = told as Record<"millis" | "before" | "after", number>;
  return { millis, ratio: after / before, megabytes: (after - before) / MEGABYTE };
}

/** Runs a program for a channel: bounded, in a session of its own, so that its children end with it. */

import { endProgram } from "./program_end.ts";

export type ProgramRun = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly signal: AbortSignal;
};

export type ProgramEnd = { readonly code: number; readonly stdout: string };

const MAX_OUTPUT = 16_384;

/** Rejects when the program is missing or the signal comes first; all that it started is killed then. */
export async function runProgram(
  { program, args, env = {}, stdin, signal }: ProgramRun,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const child = spawn(program, args, { env, hasInput: stdin !== undefined });
  const onAbort = () => endProgram(child.pid);
  signal.addEventListener("abort", onAbort);
  try {
    const output = readSome(child.stdout);
    // A program that does not read must not hold us.
    if (stdin !== undefined) void feed(child.stdin, stdin);
    const { code } = await Promise.race([child.status, aborted(signal)]);
    // A child left in the background may keep the pipe open; what was said before the end counts.
    const stdout = await Promise.race([output.text, soon(() => output.soFar())]);
    output.stop();
    return { code, stdout };
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function spawn(
  program: string,
  args: readonly string[],
  { env, hasInput }: { env: Readonly<Record<string, string>>; hasInput: boolean },
): Deno.ChildProcess {
  try {
    return new Deno.Command(program, {
      args: [...args],
      env: { ...env },
      stdin: hasInput ? "piped" : "null",
      stdout: "piped",
      stderr: "null",
      detached: true,
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`There is no program "${program}"`);
  }
}

async function feed(stream: WritableStream<Uint8Array>, text: string): Promise<void> {
  try {
    const writer = stream.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch {
    // The program did not want all of it.
  }
}

function readSome(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  async function read(): Promise<string> {
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return text;
        if (text.length < MAX_OUTPUT) text += decoder.decode(value, { stream: true });
      }
    } catch {
      return text;
    }
  }
  return { text: read(), soFar: () => text, stop: () => void reader.cancel().catch(() => {}) };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function soon<T>(value: () => T): Promise<T> {
  return new Promise((resolve) => setTimeout(() => resolve(value()), 50));
}

/** The first of `names` that is in PATH, or null. */
export function findProgram(names: readonly string[], path = Deno.env.get("PATH") ?? "") {
  for (const name of names) {
    for (const folder of path.split(":").filter((part) => part.startsWith("/"))) {
      if (isExecutable(`${folder}/${name}`)) return name;
    }
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    const info = Deno.statSync(path);
    return info.isFile && ((info.mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** I/O edge: finds a provider's program and asks it for its version, bounded and without a shell. */

import { dirname, resolve } from "node:path";
import { isObject, parseJson } from "../core/json.ts";
import { versionIn } from "../core/install/version_range.ts";
import { findExecutable } from "./launcher_tools.ts";

export interface FoundProgram {
  readonly path: string;
  /** Null when it did not tell. */
  readonly version: string | null;
}

export interface VersionOptions {
  readonly timeoutMs?: number;
  /** Added to the program's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 65_536;

/** The first of the names that is found on `path`; null when none is. */
export function findProgram(names: readonly string[], path: string): string | null {
  const folders = path.split(":").filter((part) => part.startsWith("/"));
  for (const name of names) {
    const found = findExecutable(name, folders);
    if (found !== null) return found;
  }
  return null;
}

/** Standard output first, then standard error; null when neither names a version in time. */
export async function askVersion(
  program: string,
  args: readonly string[],
  options: VersionOptions = {},
): Promise<string | null> {
  const answer = await askProgram(program, args, options);
  return answer === null ? null : versionIn(answer.stdout) ?? versionIn(answer.stderr);
}

/**
 * What the program says, else what its npm package says: a whole runtime may need longer to start
 * on a busy machine than anybody waits, and without a version its newer events would be left out.
 */
export async function findVersion(
  program: string,
  args: readonly string[],
  options: VersionOptions = {},
): Promise<string | null> {
  return await askVersion(program, args, options) ?? await packageVersion(program);
}

/** Of the nearest package that has this program as one of its own; a link to it is followed. */
async function packageVersion(program: string): Promise<string | null> {
  let real: string;
  try {
    real = await Deno.realPath(program);
  } catch {
    return null; // It has just been removed.
  }
  let folder = dirname(real);
  for (let level = 0; level < 4 && folder !== "/"; level++, folder = dirname(folder)) {
    const text = await Deno.readTextFile(`${folder}/package.json`).catch(() => null);
    const value = text === null ? undefined : parseJson(text);
    if (!isObject(value) || value.bin === undefined) continue;
    const version = typeof value.version === "string" ? versionIn(value.version) : null;
    const bins = typeof value.bin === "string" ? [value.bin] : Object.values(value.bin ?? {});
    const isOwn = bins.some((bin) => typeof bin === "string" && resolve(folder, bin) === real);
    return isOwn ? version : null;
  }
  return null;
}

export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  /** It came to its end in time. */
  readonly isWhole: boolean;
}

/** What a program says, at most 64 KiB in 5 seconds; null when it cannot be run. */
export async function askProgram(
  program: string,
  args: readonly string[],
  { timeoutMs = TIMEOUT_MS, env = {} }: VersionOptions = {},
): Promise<Answer | null> {
  const child = await start(program, args, { timeoutMs, env });
  if (child === null) return null; // Not runnable after all.
  const texts = ["", ""];
  const reading = Promise.all([
    collect(child.stdout, (text) => texts[0] = text),
    collect(child.stderr, (text) => texts[1] = text),
  ]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => timer = setTimeout(() => resolve(null), timeoutMs));
  const isWhole = await Promise.race([reading, late]) !== null;
  clearTimeout(timer);
  endQuietly(child);
  return { stdout: texts[0]!, stderr: texts[1]!, isWhole };
}

const BUSY_WAIT_MS = 20;

/**
 * A file that somebody still holds open for writing cannot be executed: an update that is being
 * written, or a process forked meanwhile that has not yet dropped what it inherited. That passes.
 */
async function start(
  program: string,
  args: readonly string[],
  { timeoutMs, env }: Required<VersionOptions>,
): Promise<Deno.ChildProcess | null> {
  const command = new Deno.Command(program, {
    args: [...args],
    env,
    cwd: "/",
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  for (let waited = 0;; waited += BUSY_WAIT_MS) {
    try {
      return command.spawn();
    } catch (error) {
      const isBusy = error instanceof Error && /Text file busy/.test(error.message);
      if (!isBusy || waited >= timeoutMs) return null;
      await new Promise((resolve) => setTimeout(resolve, BUSY_WAIT_MS));
    }
  }
}

/** What came so far is kept: a descendant may hold the pipe open for ever. */
async function collect(
  stream: ReadableStream<Uint8Array>,
  update: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of stream) {
    text += decoder.decode(part, { stream: true });
    update(text.slice(0, MAX_BYTES));
    if (text.length > MAX_BYTES) return;
  }
}

function endQuietly(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // It has ended.
  }
  child.unref();
  child.status.catch(() => {});
}

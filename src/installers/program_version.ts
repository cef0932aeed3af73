/** I/O edge: finds a provider's program and asks it for its version, bounded and without a shell. */

import { versionIn } from "../core/version_range.ts";
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
  { timeoutMs = TIMEOUT_MS, env = {} }: VersionOptions = {},
): Promise<string | null> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args: [...args],
      env,
      cwd: "/",
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch {
    return null; // Not runnable after all.
  }
  const texts = ["", ""];
  const reading = Promise.all([
    collect(child.stdout, (text) => texts[0] = text),
    collect(child.stderr, (text) => texts[1] = text),
  ]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => timer = setTimeout(resolve, timeoutMs));
  await Promise.race([reading, late]);
  clearTimeout(timer);
  endQuietly(child);
  return versionIn(texts[0]!) ?? versionIn(texts[1]!);
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

/** I/O edge: finds a provider's program and its version. */

import { dirname, resolve } from "node:path";
import { isObject, parseJson } from "../core/json.ts";
import { versionIn } from "../core/install/version_range.ts";
import { type AskOptions, askProgram } from "./ask_program.ts";
import { findExecutable } from "./launcher_tools.ts";

export interface FoundProgram {
  readonly path: string;
  /** Null when it did not tell. */
  readonly version: string | null;
  /** Of a script: what it is run by. Null for a binary. */
  readonly firstLine?: string | null;
}

/** The first of the names that is found on `path`; null when none is. */
export function findProgram(names: readonly string[], path: string): string | null {
  const folders = path.split(":").filter((part) => part.startsWith("/"));
  for (const name of names) {
    const found = findExecutable(name, folders);
    if (found !== null) return found;
  }
  return null;
}

/** What is to be known of a program before anything is installed for it. */
export async function lookAtProgram(path: string, args: readonly string[]): Promise<FoundProgram> {
  const [version, firstLine] = await Promise.all([findVersion(path, args), firstLineOf(path)]);
  return { path, version, firstLine };
}

const MOST_OF_LINE = 512;

async function firstLineOf(path: string): Promise<string | null> {
  try {
    using file = await Deno.open(path);
    const bytes = new Uint8Array(MOST_OF_LINE);
    const length = await file.read(bytes) ?? 0;
    const [line = ""] = new TextDecoder().decode(bytes.subarray(0, length)).split("\n", 1);
    return line.startsWith("#!") ? line : null;
  } catch {
    return null; // It may be run, but not read.
  }
}

/** Standard output first, then standard error; null when neither names a version in time. */
export async function askVersion(
  program: string,
  args: readonly string[],
  options: AskOptions = {},
): Promise<string | null> {
  const answer = await askProgram(program, args, options);
  return versionIn(answer.stdout) ?? versionIn(answer.stderr);
}

/**
 * What the program says, else what its npm package says: a whole runtime may need longer to start
 * on a busy machine than anybody waits, and without a version its newer events would be left out.
 */
export async function findVersion(
  program: string,
  args: readonly string[],
  options: AskOptions = {},
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

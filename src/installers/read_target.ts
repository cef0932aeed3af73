/** I/O edge: where a config path really leads, and the text there. */

import { basename, dirname, join, resolve } from "node:path";
import { refuse, type Refused } from "./edit_op.ts";

export interface Target {
  readonly ok: true;
  /** Symbolic links followed; what is read and replaced. */
  readonly path: string;
  /** `null`: there is no file. */
  readonly bytes: Uint8Array | null;
  readonly info: Deno.FileInfo | null;
}

export interface TargetText {
  readonly ok: true;
  readonly path: string;
  readonly text: string | null;
  /** Milliseconds; tells the watcher whether anything was touched. */
  readonly modifiedAt: number | null;
}

const MOST_LINKS = 40;

/** The issue that a failed system call is. */
export function ioIssue(action: string, error: unknown): Refused {
  const denied = error instanceof Deno.errors.PermissionDenied ||
    error instanceof Deno.errors.NotCapable ||
    (error instanceof Error && /read-only file system|EROFS/i.test(error.message));
  const text = error instanceof Error ? error.message.split("\n")[0] ?? "" : String(error);
  return refuse(denied ? "read-only" : "io-error", `Cannot ${action}: ${text.replace(/\.$/, "")}`);
}

async function lstatOrNull(path: string): Promise<Deno.FileInfo | null> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Follows links by hand, since the end of a dangling link has no real path yet. */
async function followLinks(path: string): Promise<{ path: string; info: Deno.FileInfo | null }> {
  let current = resolve(path);
  for (let hops = 0; hops < MOST_LINKS; hops++) {
    const folder = await Deno.realPath(dirname(current)).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return dirname(current);
      throw error;
    });
    current = join(folder, basename(current));
    const info = await lstatOrNull(current);
    if (!info?.isSymlink) return { path: current, info };
    current = resolve(folder, await Deno.readLink(current));
  }
  throw new Error("Too many levels of symbolic links");
}

/** Resolves a path and reads what is there. */
export async function openTarget(path: string): Promise<Target | Refused> {
  try {
    const target = await followLinks(path);
    if (target.info === null) return { ok: true, path: target.path, bytes: null, info: null };
    if (!target.info.isFile) {
      return refuse("not-a-file", `Cannot read "${path}": it is not a regular file`);
    }
    return { ok: true, ...target, bytes: await Deno.readFile(target.path) };
  } catch (error) {
    return ioIssue(`read "${path}"`, error);
  }
}

/** Reads a config file as text; a text that is not UTF-8 is an issue, not repaired. */
export async function readTarget(path: string): Promise<TargetText | Refused> {
  const target = await openTarget(path);
  if (!target.ok) return target;
  const modifiedAt = target.info?.mtime?.getTime() ?? null;
  if (target.bytes === null) return { ok: true, path: target.path, text: null, modifiedAt };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(target.bytes);
    return { ok: true, path: target.path, text, modifiedAt };
  } catch {
    return refuse("not-utf8", `Cannot read "${path}": the text is not UTF-8`);
  }
}

/** I/O edge: puts bytes in a file's place atomically. Knows nothing of configs. */

import { chown } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export interface ReplaceOptions {
  readonly mode: number;
  /** Owner to keep; the new file gets them before it is visible under the target's name. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Called when the new file is complete, just before it takes the place; false = give up. */
  readonly stillWanted: () => Promise<boolean>;
  /** The file to replace; null = there must be none, and one that appears is not overwritten. */
  readonly replaces: Deno.FileInfo | null;
}

/** A left-over of a killed run is removed once it is this old. */
const STALE_MS = 60_000;

const TEMPORARY = /\.mytty-[0-9a-f]+\.tmp$/;

function temporaryPath(path: string): string {
  const random = crypto.randomUUID().slice(0, 8);
  return join(dirname(path), `.${basename(path)}.mytty-${random}.tmp`);
}

/** Removes temporary files that a killed run left beside the path. */
export function sweepTemporaries(path: string): Promise<void> {
  return sweepFolder(dirname(path), `.${basename(path)}.mytty-`);
}

/** The same for all files of a folder of our own. */
export async function sweepFolder(folder: string, prefix = "."): Promise<void> {
  try {
    for await (const entry of Deno.readDir(folder)) {
      if (!entry.name.startsWith(prefix) || !TEMPORARY.test(entry.name)) continue;
      const left = join(folder, entry.name);
      const { mtime } = await Deno.lstat(left);
      if (mtime !== null && Date.now() - mtime.getTime() > STALE_MS) await Deno.remove(left);
    }
  } catch {
    // Tidying is a courtesy: what stands in its way must not stand in ours.
  }
}

/** Makes a rename or removal in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    using handle = await Deno.open(folder, { read: true });
    await handle.sync();
  } catch {
    // Some file systems cannot sync a folder; the file itself is synced.
  }
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  // Private until it has the target's owner and mode: never wider than the target, at any time.
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
  await file.sync();
}

async function keepOwner(path: string, options: ReplaceOptions): Promise<number> {
  const { owner, mode } = options;
  if (owner === undefined) return mode;
  const { uid, gid } = await Deno.lstat(path);
  if (uid === owner.uid && gid === owner.gid) return mode;
  try {
    await chown(path, owner.uid, owner.gid);
    return mode;
  } catch (error) {
    if (uid !== owner.uid) throw error;
    // Another group must not get what was meant for the old one.
    return mode & 0o707;
  }
}

async function moveInto(from: string, path: string, options: ReplaceOptions): Promise<boolean> {
  if (options.replaces !== null) {
    // Side by side and synchronous: a program that renames its own file into place has only the
    // moment between two system calls to slip in.
    if (Deno.lstatSync(path).ino !== options.replaces.ino) return false;
    Deno.renameSync(from, path);
    return true;
  }
  try {
    await Deno.link(from, path);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    // Without hard links there is only the check by name.
    const taken = await Deno.lstat(path).then(() => true, () => false);
    if (!taken) await Deno.rename(from, path);
    return !taken;
  }
  return true;
}

/**
 * Writes the bytes to a temporary file in the same folder and moves it over the path. Whatever
 * happens, also `kill -9`, the path holds the old or the new bytes whole.
 *
 * @returns false if `stillWanted` said no, or a file appeared where none may be.
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  options: ReplaceOptions,
): Promise<boolean> {
  await sweepTemporaries(path);
  const temporary = temporaryPath(path);
  try {
    await writeWhole(temporary, bytes);
    const mode = await keepOwner(temporary, options);
    await Deno.chmod(temporary, mode);
    if (!await options.stillWanted()) return false;
    if (!await moveInto(temporary, path, options)) return false;
    await syncFolder(dirname(path));
    return true;
  } finally {
    await Deno.remove(temporary).catch(() => {});
  }
}

/** I/O edge: folders that we make for a file, and take away again. */

import { dirname } from "node:path";

/** Whether anything, a dangling link too, has this name. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Of a folder and those around it, what does not exist; outermost first. */
export async function missingFolders(folder: string): Promise<string[]> {
  const missing: string[] = [];
  let current = folder;
  while (!await exists(current)) {
    missing.unshift(current);
    current = dirname(current);
  }
  return missing;
}

/** Creates the missing folders, private; returns them, outermost first. */
export async function createFolders(folder: string): Promise<string[]> {
  const missing = await missingFolders(folder);
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  return missing;
}

/** Removes folders that we made, innermost first, as far as they are empty. */
export async function removeFolders(folders: readonly string[]): Promise<void> {
  for (const folder of [...folders].reverse()) {
    try {
      await Deno.remove(folder);
    } catch {
      return;
    }
  }
}

/** I/O edge: whether a provider is installed at this moment, for who asks often. */

import { membersOf, providerInstall } from "./kept_shape.ts";
import { recordsPath } from "./records.ts";

/** Reads the records again only when their file is another than before. */
export function installedNow(stateFolder: string): (provider: string) => boolean {
  const path = recordsPath(stateFolder);
  let mark: string | null = null;
  let installed: ReadonlySet<string> = new Set();
  return (provider) => {
    const now = markOf(path);
    if (now !== mark) installed = now === null ? new Set() : readInstalled(path);
    mark = now;
    return installed.has(provider);
  };
}

function markOf(path: string): string | null {
  try {
    const { ino, size, mtime } = Deno.statSync(path);
    return `${ino} ${size} ${mtime?.getTime()}`;
  } catch {
    return null; // Nothing was ever installed.
  }
}

function readInstalled(path: string): ReadonlySet<string> {
  try {
    const value = JSON.parse(Deno.readTextFileSync(path));
    return new Set(Object.keys(membersOf(value?.providers, providerInstall)));
  } catch {
    return new Set(); // Damaged records count as none, here as elsewhere.
  }
}

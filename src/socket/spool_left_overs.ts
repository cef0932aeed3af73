/** What hooks that were killed left in the spool: no event, since nobody says what it was of. */

import { isHalfWritten, SPOOL_STALE_MS } from "../core/wire/spool_file.ts";

/** Removes those of `names` that are old enough to be nobody's work any more. Never throws. */
export function removeLeftOvers(folder: string, names: readonly string[]): void {
  for (const name of names) {
    if (!isHalfWritten(name)) continue;
    const path = `${folder}/${name}`;
    try {
      const { mtime } = Deno.lstatSync(path);
      if (mtime !== null && Date.now() - mtime.getTime() > SPOOL_STALE_MS) Deno.removeSync(path);
    } catch {
      // Finished or removed by somebody else meanwhile.
    }
  }
}

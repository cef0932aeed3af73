/** Which entries of the spool's folder are hooks that wait. */

import { SPOOL_SUFFIX } from "../core/wire/spool_file.ts";

/** Oldest first. Regular files only: reading a FIFO would wait for ever for somebody who writes. */
export function spooledNames(entries: readonly Deno.DirEntry[]): string[] {
  return entries.filter(({ name, isFile }) => isFile && name.endsWith(SPOOL_SUFFIX))
    .map(({ name }) => name).sort();
}

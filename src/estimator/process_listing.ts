/**
 * The pids of one pass, listed anew only when that can bring news.
 *
 * `/proc/loadavg` tells in a few microseconds whether a process was made or reaped; listing 2,000
 * takes milliseconds. Some systems make that file up (gVisor, WSL 1, lxcfs), so every fourth pass
 * lists all the same, and one lie ends the trust.
 */

import type { ProcFiles } from "./process_proc_files.ts";

/** The pids of this pass; `known` are those of the pass before. */
export type PidListing = (known: ReadonlyMap<number, unknown>) => Iterable<number>;

const PASSES_PER_LISTING = 4;

export function createPidListing(files: ProcFiles): PidListing {
  let census: string | null = null;
  // Not the known ones: they lack zombies, which every listing has.
  let listed: ReadonlySet<number> = new Set();
  let isTrusted = true;
  let pass = 0;
  return (known) => {
    // Taken before the listing: what changes in between is then seen by the next pass.
    const before = isTrusted ? files.census() : null;
    const isQuiet = before !== null && before === census;
    census = before;
    if (isQuiet && ++pass % PASSES_PER_LISTING !== 0) return known.keys();
    const pids = files.listPids();
    const isLie = isQuiet && pids.some((pid) => !listed.has(pid));
    if (isLie && files.census() === before) isTrusted = false;
    listed = new Set(pids);
    return pids;
  };
}

/** What a server takes while it runs: sampled from the system, compared third by third. */

export type Sample = {
  /** Seconds since the load began. */
  readonly at: number;
  readonly residentMB: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly databaseMB: number;
  readonly walMB: number;
};

const MEGABYTE = 1_048_576;

/** Null once the process has ended, or where the system has no /proc. */
export function sampleOf(pid: number, database: string, at: number): Sample | null {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
    return {
      at,
      residentMB: field("VmRSS") / 1024,
      descriptors: [...Deno.readDirSync(`/proc/${pid}/fd`)].length,
      threads: field("Threads"),
      databaseMB: megabytes(database),
      walMB: megabytes(`${database}-wal`),
    };
  } catch {
    return null;
  }
}

function megabytes(path: string): number {
  try {
    return Deno.statSync(path).size / MEGABYTE;
  } catch {
    return 0;
  }
}

export function sampleLine({ at, ...sample }: Sample): string {
  const cells = [
    at.toFixed(0),
    sample.residentMB.toFixed(1),
    sample.descriptors.toFixed(0),
    sample.threads.toFixed(0),
    sample.databaseMB.toFixed(2),
    sample.walMB.toFixed(2),
  ];
  return cells.map((cell, index) => cell.padStart(HEADINGS[index]!.length)).join("  ");
}

const HEADINGS = ["seconds", "resident MB", "descriptors", "threads", "database MB", "WAL MB"];

export const SAMPLE_HEADING = HEADINGS.join("  ");

/** The most that resident memory may have grown from the middle third to the last. */
const MOST_GROWTH = 1.1;

export type Verdict = { readonly isFlat: boolean; readonly lines: readonly string[] };

type Rest = { readonly before: Sample; readonly after: Sample };

/**
 * Flat: the last third needs no more memory than the middle one, and with all clients gone as many
 * descriptors are open as before they came.
 */
export function verdictOf(samples: readonly Sample[], { before, after }: Rest): Verdict {
  const third = Math.floor(samples.length / 3);
  const middle = median(samples.slice(third, 2 * third).map(({ residentMB }) => residentMB));
  const last = median(samples.slice(2 * third).map(({ residentMB }) => residentMB));
  const ratio = last / middle;
  const isMemoryFlat = ratio <= MOST_GROWTH;
  const isClosed = after.descriptors <= before.descriptors;
  return {
    isFlat: isMemoryFlat && isClosed,
    lines: [
      `resident memory: middle third ${middle.toFixed(1)} MB, last third ${last.toFixed(1)} MB, ` +
      `ratio ${ratio.toFixed(3)} (at most ${MOST_GROWTH}): ${isMemoryFlat ? "flat" : "GROWS"}`,
      `descriptors at rest: ${before.descriptors} before the load, ${after.descriptors} after it: ` +
      (isClosed ? "equal" : "LEFT OPEN"),
      `threads at rest: ${before.threads} before, ${after.threads} after`,
    ],
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

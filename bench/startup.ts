/**
 * From start to `ready` with live rows in the log: as a rule from the snapshot that the last stop
 * or hour left, and without one, as after an update of the program.
 */

import { fillLog } from "./filled_log.ts";
import { fixed, median, type Result, withServed, withTemporary } from "./measure.ts";

const ROWS = 100_000;
const ROUNDS = 3;

type Start = { readonly rows: number; readonly hasSnapshot?: boolean };

async function startMillis({ rows, hasSnapshot = false }: Start): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push(
      await withTemporary(async (folder) => {
        if (rows > 0) await fillLog(`${folder}/state/mytty.sqlite`, rows, { live: true });
        // A server that stops leaves one.
        if (hasSnapshot) await withServed(folder, () => Promise.resolve());
        const from = performance.now();
        return await withServed(folder, () => Promise.resolve(performance.now() - from));
      }),
    );
  }
  return median(times);
}

export async function benchStartup(): Promise<Result[]> {
  const empty = await startMillis({ rows: 0 });
  const warm = await startMillis({ rows: ROWS, hasSnapshot: true });
  const half = await startMillis({ rows: ROWS / 2 }) - empty;
  const whole = await startMillis({ rows: ROWS }) - empty;
  return [
    {
      work: `start-up with ${ROWS.toLocaleString("en")} live rows, in seconds`,
      measured: `${fixed(warm - empty)} ms more than the ${fixed(empty)} ms of an empty log`,
      ratio: warm / 1000,
      bar: { most: 1 },
    },
    {
      work: "the same without a snapshot, in seconds",
      measured: `${fixed(whole)} ms more than an empty log`,
      ratio: (whole + empty) / 1000,
      bar: {},
    },
    {
      work: "start-up without a snapshot is linear: 100,000 rows against twice 50,000",
      measured: `${fixed(whole)} ms against 2 x ${fixed(half)} ms`,
      ratio: whole / (2 * half),
      bar: { most: 1.25 },
    },
  ];
}

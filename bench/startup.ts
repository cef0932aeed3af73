/** From start to `ready` with live rows in the log, less the start with an empty log. */

import { fillLog } from "./filled_log.ts";
import { fixed, median, type Result, withServed, withTemporary } from "./measure.ts";

const ROWS = 100_000;
const ROUNDS = 3;

async function startMillis(rows: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push(
      await withTemporary(async (folder) => {
        if (rows > 0) await fillLog(`${folder}/state/mytty.sqlite`, rows, { live: true });
        const from = performance.now();
        return await withServed(folder, () => Promise.resolve(performance.now() - from));
      }),
    );
  }
  return median(times);
}

export async function benchStartup(): Promise<Result[]> {
  const empty = await startMillis(0);
  const half = await startMillis(ROWS / 2) - empty;
  const whole = await startMillis(ROWS) - empty;
  return [
    {
      work: `start-up with ${ROWS.toLocaleString("en")} live rows, in seconds`,
      measured: `${fixed(whole)} ms more than the ${fixed(empty)} ms of an empty log`,
      ratio: (whole + empty) / 1000,
      bar: { most: 1 },
    },
    {
      work: "start-up is linear: 100,000 rows against twice 50,000",
      measured: `${fixed(whole)} ms against 2 x ${fixed(half)} ms`,
      ratio: whole / (2 * half),
      bar: { most: 1.25 },
    },
  ];
}

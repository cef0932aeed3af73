/** One event after another: latency with an empty log and with 1,000,000 rows in it. */

import type { Built } from "../tests/helpers/built.ts";
import { fillLog } from "./filled_log.ts";
import {
  envelopeBytes,
  fixed,
  median,
  openPane,
  type Result,
  sendEvent,
  withServed,
  withTemporary,
} from "./measure.ts";

const ROWS = 1_000_000;
const ROUND = 400;
const ROUNDS = 5;

async function latencies(built: Built): Promise<number[]> {
  const socket = `${built.folder}/run/event.sock`;
  const pane = await openPane(built);
  const runID = crypto.randomUUID();
  const times: number[] = [];
  for (let at = 0; at < ROUND; at++) {
    const bytes = envelopeBytes(pane, runID);
    const from = performance.now();
    await sendEvent(socket, bytes);
    times.push(performance.now() - from);
  }
  return times;
}

export function benchLatency(): Promise<Result[]> {
  return withTemporary((empty) =>
    withTemporary(async (full) => {
      await fillLog(`${full}/state/mytty.sqlite`, ROWS, { live: false });
      return await withServed(empty, (few) =>
        withServed(full, async (many) => {
          // Turn by turn, so that a busy moment of the machine meets both.
          const [small, large]: [number[], number[]] = [[], []];
          await latencies(few);
          await latencies(many);
          for (let round = 0; round < ROUNDS; round++) {
            small.push(median(await latencies(few)));
            large.push(median(await latencies(many)));
          }
          return [{
            work: `event latency with ${ROWS.toLocaleString("en")} rows, against an empty log`,
            measured: `${fixed(median(large))} ms against ${fixed(median(small))} ms`,
            ratio: median(large) / median(small),
            bar: { most: 1.1 },
          }];
        }));
    })
  );
}

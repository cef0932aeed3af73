/** Durable events over 32 connections, beside a bare loop of single-row commits on the same disk. */

import { DatabaseSync } from "node:sqlite";
import type { Built } from "../tests/helpers/built.ts";
import {
  envelopeBytes,
  fixed,
  openPane,
  type Result,
  sendEvent,
  withServed,
  withTemporary,
} from "./measure.ts";

const CONNECTIONS = 32;
const EVENTS = 6_000;
const ROUNDS = 3;

function bareRate(folder: string): number {
  const database = new DatabaseSync(`${folder}/bare-${crypto.randomUUID()}.sqlite`);
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
     CREATE TABLE log (position INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE,
       entry TEXT NOT NULL) STRICT`,
  );
  const insert = database.prepare("INSERT OR IGNORE INTO log (id, entry) VALUES (?, ?)");
  const entry = JSON.stringify({ text: "x".repeat(420) });
  const from = performance.now();
  for (let at = 0; at < EVENTS; at++) {
    insert.run(crypto.getRandomValues(new Uint8Array(16)), entry);
  }
  const rate = EVENTS / (performance.now() - from) * 1000;
  database.close();
  return rate;
}

async function servedRate(built: Built): Promise<number> {
  const socket = `${built.folder}/run/event.sock`;
  const pane = await openPane(built);
  const from = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    const runID = crypto.randomUUID();
    for (let at = 0; at < EVENTS / CONNECTIONS; at++) {
      await sendEvent(socket, envelopeBytes(pane, runID));
    }
  }));
  return EVENTS / (performance.now() - from) * 1000;
}

export function benchIngest(): Promise<Result[]> {
  return withTemporary((folder) =>
    withServed(folder, async (built) => {
      const pairs: [number, number][] = [];
      for (let round = 0; round < ROUNDS; round++) {
        pairs.push([bareRate(folder), await servedRate(built)]);
      }
      const [bare, served] = pairs.toSorted((a, b) => a[1] / a[0] - b[1] / b[0])[ROUNDS >> 1]!;
      return [{
        work: `durable events, ${CONNECTIONS} connections, against single-row commits`,
        measured: `${fixed(served)}/s against ${fixed(bare)}/s`,
        ratio: served / bare,
        bar: { least: 0.5 },
      }];
    })
  );
}

/**
 * `deno task soak [--minutes N]`: a real server under steady mixed load (30 minutes by default).
 * Prints what it takes every ten seconds, and whether that stays flat; exits 1 when it does not.
 */

import { parseArgs } from "node:util";
import { load } from "./soak/load.ts";
import { type Sample, SAMPLE_HEADING, sampleLine, sampleOf, verdictOf } from "./soak/samples.ts";
import { SoakServer } from "./soak/server.ts";

const SAMPLE_MS = 10_000;

/** Longer than any deadline of a connection, and than the look at ended processes. */
const REST_MS = 15_000;

function minutesOf(args: readonly string[]): number {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: "string", default: "30" } },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error("--minutes takes 0.5 to 1440");
  return minutes;
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

/** With nobody connected: what is open then is the server's own. */
async function atRest({ pid, paths }: SoakServer, at: number): Promise<Sample> {
  await pause(REST_MS);
  const sample = sampleOf(pid, paths.database, at);
  if (sample === null) throw new Error("The server ended, or this system has no /proc");
  return sample;
}

async function soak(server: SoakServer, minutes: number): Promise<boolean> {
  await server.start();
  // Once through everything, so that what is made on first use is there before it counts.
  await load(server, AbortSignal.timeout(Math.min(60_000, minutes * 6_000)));
  await server.mytty(server.installCommand);
  const before = await atRest(server, 0);
  console.log(`${minutes} minutes\n${SAMPLE_HEADING}\n${sampleLine(before)}`);
  const samples: Sample[] = [];
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1_000;
  const timer = setInterval(() => {
    const sample = sampleOf(server.pid, server.paths.database, seconds());
    if (sample === null) return;
    samples.push(sample);
    console.log(sampleLine(sample));
  }, SAMPLE_MS);
  const counts = await load(server, AbortSignal.timeout(minutes * 60_000))
    .finally(() => clearInterval(timer));
  await server.mytty(server.installCommand);
  const after = await atRest(server, seconds());
  console.log(sampleLine(after));
  for (const [name, { done, failed }] of Object.entries(counts)) {
    console.log(`${name}: ${done}${failed === 0 ? "" : `, failed ${failed}`}`);
  }
  const verdict = verdictOf(samples, { before, after });
  console.log(verdict.lines.join("\n"));
  return verdict.isFlat && Object.values(counts).every(({ failed }) => failed === 0);
}

async function main(): Promise<number> {
  const minutes = minutesOf(Deno.args);
  const folder = Deno.makeTempDirSync({ dir: "/tmp", prefix: "mytty-soak-" });
  const server = new SoakServer(folder);
  try {
    const isFlat = await soak(server, minutes);
    const code = await server.stop();
    console.log(`verdict: ${isFlat && code === 0 ? "flat" : "NOT FLAT"}`);
    return isFlat && code === 0 ? 0 : 1;
  } finally {
    await server.stop();
    Deno.removeSync(folder, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main());

/**
 * `deno task bench [name…] [--json]`: measures what design section 13 sets bars for. Ratios within
 * one run on one machine; absolute figures say nothing about another.
 */

import { table } from "../src/views/table.ts";
import { benchHook } from "./hook.ts";
import { benchIdle } from "./idle.ts";
import { benchIngest } from "./ingest.ts";
import { benchLauncher } from "./launcher.ts";
import { benchLatency } from "./latency.ts";
import { fixed, isMet, type Result } from "./measure.ts";
import { benchPeers } from "./peers.ts";
import { benchPlacement } from "./placement.ts";
import { benchStartup } from "./startup.ts";
import { benchTranscript } from "./transcript.ts";
import { benchWatch } from "./watch.ts";

const BENCHES: Readonly<Record<string, () => Promise<Result[]>>> = {
  ingest: benchIngest,
  latency: benchLatency,
  startup: benchStartup,
  placement: benchPlacement,
  hook: benchHook,
  watch: benchWatch,
  launcher: benchLauncher,
  peers: benchPeers,
  transcript: benchTranscript,
  idle: benchIdle,
};

function barText({ bar }: Result): string {
  if (bar.least !== undefined) return `at least ${bar.least}`;
  return bar.most === undefined ? "-" : `at most ${bar.most}`;
}

function resultTable(results: readonly Result[]): string {
  const columns = [
    { title: "WORK", max: 70 },
    { title: "RATIO", max: 8 },
    { title: "BAR", max: 14 },
    { title: "", max: 4 },
    { title: "MEASURED HERE", max: 60 },
  ];
  const rows = results.map((result) => [
    { text: result.work },
    { text: fixed(result.ratio) },
    { text: barText(result) },
    { text: isMet(result) ? "ok" : "MISS" },
    { text: result.measured },
  ]);
  return table(columns, rows, { width: 170, colour: false });
}

async function main(args: readonly string[]): Promise<number> {
  const wanted = args.filter((arg) => !arg.startsWith("-"));
  const names = wanted.length > 0 ? wanted : Object.keys(BENCHES);
  const results: Result[] = [];
  for (const name of names) {
    const bench = BENCHES[name];
    if (bench === undefined) {
      console.error(`No benchmark "${name}"; there are ${Object.keys(BENCHES).join(", ")}`);
      return 2;
    }
    console.error(`measuring ${name} …`);
    results.push(...await bench());
  }
  if (args.includes("--json")) {
    console.log(JSON.stringify(results.map((result) => ({ ...result, met: isMet(result) }))));
  } else console.log(`\n${resultTable(results)}`);
  return results.every(isMet) ? 0 : 1;
}

Deno.exit(await main(Deno.args));

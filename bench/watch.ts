/** From the answer to an event to its line in `mytty watch --json`, as a program that follows sees it. */

import { BUILT } from "../tests/helpers/built.ts";
import {
  envelopeBytes,
  fixed,
  median,
  openPane,
  percentile,
  type Result,
  sendEvent,
  withServed,
  withTemporary,
} from "./measure.ts";

const PANES = 30;
const EVENTS = 2_000;
const BAR_MS = 50;

export function benchWatch(): Promise<Result[]> {
  return withTemporary((folder) =>
    withServed(folder, async (built) => {
      const panes = await Promise.all(Array.from({ length: PANES }, () => openPane(built)));
      const follower = new Follower(built.env);
      await follower.ready();
      const accepted = new Map<string, number>();
      for (let at = 0; at < EVENTS; at++) {
        const runID = crypto.randomUUID();
        await sendEvent(`${folder}/run/event.sock`, envelopeBytes(panes[at % PANES]!, runID));
        accepted.set(runID, performance.now());
      }
      await follower.until(EVENTS);
      await follower.end();
      const delays = [...accepted].map(([runID, from]) =>
        Math.max(0, follower.seen.get(runID)! - from)
      );
      const p99 = percentile(delays, 0.99);
      return [{
        work: "event accepted to line in `watch --json`, p99 in ms",
        measured: `p50 ${fixed(median(delays))} ms, p99 ${fixed(p99)} ms, ${EVENTS} events`,
        ratio: p99,
        bar: { most: BAR_MS },
      }];
    })
  );
}

class Follower {
  readonly seen = new Map<string, number>();
  readonly #child: Deno.ChildProcess;
  readonly #done: Promise<void>;
  #lines = 0;

  constructor(env: Record<string, string>) {
    this.#child = new Deno.Command(BUILT, {
      args: ["watch", "--json"],
      env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#done = this.#read();
  }

  async ready(): Promise<void> {
    while (this.#lines === 0) await pause();
  }

  async until(count: number): Promise<void> {
    const limit = performance.now() + 30_000;
    while (this.seen.size < count) {
      if (performance.now() > limit) throw new Error(`Only ${this.seen.size} lines came`);
      await pause();
    }
  }

  async end(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#done;
    await this.#child.status;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const part of this.#child.stdout) {
      const now = performance.now();
      const lines = (rest + decoder.decode(part, { stream: true })).split("\n");
      rest = lines.pop()!;
      this.#lines += lines.length;
      for (const line of lines) {
        const runID = /"event":\{[^}]*"runID":"([^"]+)"/.exec(line)?.[1];
        if (runID !== undefined) this.seen.set(runID, now);
      }
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5));
}

/** One pass of the estimator without a server: what it would see, kept in memory only. */

import type { LogEntry, LogRow } from "../core/log/event.ts";
import type { AgentReport, EstimatorHost } from "../core/ports.ts";
import type { Processes } from "../core/process/process.ts";
import { reduce } from "../core/log/reduce.ts";
import { initialState } from "../core/log/state.ts";
import { Estimator } from "../estimator/estimator.ts";
import { fileEnv, placeAgent } from "./_estimator.ts";

/** Waits that are meant for hooks end at once: without a server none will come. */
const LATER_MS = 5_000;

export class EstimateHere {
  readonly #estimator: Estimator;
  #ahead = 0;

  constructor(processes: Processes, log: (text: string) => void) {
    this.#estimator = new Estimator({
      host: memoryHost(processes),
      processes,
      env: fileEnv(),
      log,
      now: () => Date.now() + this.#ahead,
    });
  }

  async pass(): Promise<readonly AgentReport[]> {
    this.#ahead = 0;
    await this.#estimator.pass();
    this.#ahead = LATER_MS;
    return await this.#estimator.pass();
  }
}

function memoryHost(processes: Processes): EstimatorHost {
  const state = initialState();
  const known = new Set<string>();
  const append = (entry: LogEntry): LogRow[] => {
    if (known.has(entry.id)) return [];
    known.add(entry.id);
    const row = { position: state.position + 1, at: Date.now(), entry };
    const { followUps } = reduce(state, row);
    return [row, ...followUps.flatMap(append)];
  };
  return {
    state,
    submit: (decide) => {
      decide(state).forEach(append);
      return Promise.resolve();
    },
    onRows: () => () => {},
    place: (provider, pid) => placeAgent(state, { provider, pid }, processes),
    isHeard: () => false,
    endedWellAt: () => null,
  };
}

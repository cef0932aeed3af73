/** When each provider was last heard, kept in the state folder: a restart makes nobody silent. */

import type { ProviderCounters } from "./provider_counters.ts";

function heardPath(state: string): string {
  return `${state}/heard.json`;
}

/** Milliseconds by provider id; damaged or missing is none. */
export function readHeard(state: string): Map<string, number> {
  try {
    const value = JSON.parse(Deno.readTextFileSync(heardPath(state)));
    const times = Object.entries(value?.lastAt ?? {});
    return new Map(times.filter((pair): pair is [string, number] => typeof pair[1] === "number"));
  } catch {
    return new Map();
  }
}

export class HeardFile {
  readonly #state: string;
  readonly #counters: ProviderCounters;
  #kept = "";

  constructor(state: string, counters: ProviderCounters) {
    this.#state = state;
    this.#counters = counters;
    this.#kept = this.#text();
  }

  /** Writes what has changed since the last time; the file is whole at every moment. */
  async keep(): Promise<void> {
    const text = this.#text();
    if (text === this.#kept) return;
    this.#kept = text;
    const path = heardPath(this.#state);
    await Deno.writeTextFile(`${path}.part`, text, { mode: 0o600 });
    await Deno.rename(`${path}.part`, path);
  }

  #text(): string {
    const lastAt = Object.fromEntries(this.#counters.lastTimes());
    return `${JSON.stringify({ version: 1, lastAt })}\n`;
  }
}

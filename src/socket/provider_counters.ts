/** What was heard of each provider since the server started; shown by `status` and health. */

export type ProviderCount = {
  received: number;
  inserted: number;
  ignored: number;
  malformed: number;
  foreign: number;
  /** Deliveries of `mytty test`, which count as nothing else. */
  tests: number;
  /** Wall time of the last delivery of its own that could be read, or null; outlives the server. */
  lastAt: number | null;
};

export type CountKey = "inserted" | "ignored" | "malformed" | "foreign";

export class ProviderCounters {
  readonly #counts = new Map<string, ProviderCount>();
  readonly #lastTimes: Map<string, number>;

  /** `lastTimes`: from earlier runs of the server. */
  constructor(lastTimes: ReadonlyMap<string, number> = new Map()) {
    this.#lastTimes = new Map(lastTimes);
  }

  count(provider: string, key: CountKey): void {
    const current = { ...this.of(provider) };
    current.received++;
    current[key]++;
    this.#counts.set(provider, current);
    if (key === "inserted" || key === "ignored") this.#lastTimes.set(provider, Date.now());
  }

  tested(provider: string): void {
    const current = this.of(provider);
    this.#counts.set(provider, { ...current, tests: current.tests + 1 });
  }

  of(provider: string): Readonly<ProviderCount> {
    const counted = this.#counts.get(provider) ??
      { received: 0, inserted: 0, ignored: 0, malformed: 0, foreign: 0, tests: 0 };
    return { ...counted, lastAt: this.#lastTimes.get(provider) ?? null };
  }

  lastTimes(): ReadonlyMap<string, number> {
    return this.#lastTimes;
  }
}

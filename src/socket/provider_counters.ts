/** What was heard of each provider since the server started; shown by `status` and health. */

export type ProviderCount = {
  received: number;
  inserted: number;
  ignored: number;
  malformed: number;
  foreign: number;
  /** Wall time of the last delivery, or null. */
  lastAt: number | null;
};

export type CountKey = "inserted" | "ignored" | "malformed" | "foreign";

export class ProviderCounters {
  readonly #counts = new Map<string, ProviderCount>();

  count(provider: string, key: CountKey): void {
    const current = { ...this.of(provider) };
    current.received++;
    current[key]++;
    current.lastAt = Date.now();
    this.#counts.set(provider, current);
  }

  of(provider: string): Readonly<ProviderCount> {
    return this.#counts.get(provider) ??
      { received: 0, inserted: 0, ignored: 0, malformed: 0, foreign: 0, lastAt: null };
  }
}

/**
 * Chance that can be had again. Faults: `MYTTY_FAULT_SEED` repeats a run, `MYTTY_FAULT_ROUNDS` makes
 * it longer. Fuzz: `MYTTY_FUZZ_SEED` and `MYTTY_FUZZ_RUNS`.
 */

export type Chance = {
  /** 0 (included) to `limit` (excluded). */
  readonly below: (limit: number) => number;
  readonly pick: <T>(values: readonly T[]) => T;
};

/** Says its seed, so that a failure can be repeated. */
export function chanceOf(what: string): Chance {
  const given = Deno.env.get("MYTTY_FAULT_SEED");
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
  console.log(`${what}: MYTTY_FAULT_SEED=${seed}`);
  return chanceFrom(seed);
}

function chanceFrom(seed: number): Chance {
  const next = mulberry32(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, pick: (values) => values[below(values.length)]! };
}

/** How often a random fault is tried. */
export function rounds(usual: number): number {
  const given = Number(Deno.env.get("MYTTY_FAULT_ROUNDS") ?? usual);
  return Number.isInteger(given) && given > 0 ? given : usual;
}

/**
 * Calls `task` with the chance of a seed, then of the next one, and so on. What fails names the seed
 * that gives it again in one run.
 */
export async function fuzz(
  usual: number,
  task: (chance: Chance) => void | Promise<void>,
): Promise<void> {
  const runs = Number(Deno.env.get("MYTTY_FUZZ_RUNS") ?? usual);
  const given = Deno.env.get("MYTTY_FUZZ_SEED");
  const first = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given);
  for (let seed = first; seed < first + runs; seed++) {
    try {
      await task(chanceFrom(seed));
    } catch (error) {
      throw new Error(`Repeat it: MYTTY_FUZZ_SEED=${seed} MYTTY_FUZZ_RUNS=1`, { cause: error });
    }
  }
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}

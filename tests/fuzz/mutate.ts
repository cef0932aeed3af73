/** Real input with damage: JSON with other members, texts and bytes with cuts and foreign parts. */

import type { Chance } from "../helpers/chance.ts";

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  NaN,
  "",
  "\ud83d",
  "a\u0000b\u001b[31m",
  "x".repeat(5_000),
  "__proto__",
  "../../etc",
  [],
  {},
  [[[]]],
  { a: null },
  { constructor: { prototype: 1 } },
];

/** A deep copy with some members replaced, removed, added, repeated or swapped. */
export function mutatedJson(value: unknown, chance: Chance, hits = 1 + chance.below(4)): unknown {
  const copy = structuredClone(value);
  const root = { root: copy };
  for (let hit = 0; hit < hits; hit++) hitOnce(root, chance);
  // As it comes over a wire: no NaN, no undefined.
  return JSON.parse(JSON.stringify(root.root ?? null));
}

type Holder = Record<string, unknown>;

function hitOnce(root: Holder, chance: Chance): void {
  const places = [...placesIn(root)];
  const [holder, key] = chance.pick(places);
  const other = chance.pick(places);
  const replaced = [
    () => holder[key] = structuredClone(chance.pick(ODD)),
    () => holder[key] = structuredClone(chance.pick(ODD)),
    () => holder === root ? holder[key] = null : delete holder[key],
    () => holder[key] = structuredClone(other[0][other[1]]),
    () => holder[key] = [structuredClone(holder[key]), structuredClone(holder[key])],
    () => holder[key] = { [key]: structuredClone(holder[key]) },
    () => holder[key] = JSON.stringify(holder[key]),
    () => {
      const inner = holder[key];
      if (typeof inner === "object" && inner !== null) {
        (inner as Holder)[chance.pick(["", "type", "id", other[1]])] = structuredClone(
          chance.pick(ODD),
        );
      }
    },
    () => {
      if (typeof holder[key] === "string") holder[key] = mutatedText(holder[key], chance);
    },
  ];
  chance.pick(replaced)();
}

function* placesIn(holder: Holder, depth = 0): Generator<[Holder, string]> {
  for (const key of Object.keys(holder)) {
    yield [holder, key];
    const inner = holder[key];
    // Deeper is more of the same, and replaced members may hold themselves many times over.
    if (typeof inner === "object" && inner !== null && depth < 8) {
      yield* placesIn(inner as Holder, depth + 1);
    }
  }
}

const PIECES = [
  "\n",
  "\r\n",
  '"',
  "'",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "//",
  "/*",
  "*/",
  "#",
  "=",
  "\\",
  "\ufeff",
  "\u0000",
  "\t",
  " ",
  "[[",
  "]]",
  "é🙂",
  '"""',
  "null",
  "a.b",
];

/** Some places cut out, doubled, or with something between. */
export function mutatedText(text: string, chance: Chance, hits = 1 + chance.below(4)): string {
  let mutated = text;
  for (let hit = 0; hit < hits; hit++) {
    const from = chance.below(mutated.length + 1);
    const to = Math.min(mutated.length, from + chance.below(chance.pick([2, 12, 200])));
    const part = mutated.slice(from, to);
    const between = chance.pick(["", "", chance.pick(PIECES), part + part]);
    mutated = mutated.slice(0, from) + between + mutated.slice(to);
  }
  return mutated;
}

export function mutatedBytes(
  bytes: Uint8Array,
  chance: Chance,
  hits = 1 + chance.below(4),
): Uint8Array {
  let mutated = bytes;
  for (let hit = 0; hit < hits; hit++) {
    const from = chance.below(mutated.length + 1);
    const to = Math.min(mutated.length, from + chance.below(chance.pick([2, 12, 200])));
    const between = chance.pick([0, 0, 1, 1, 8, 64]);
    mutated = Uint8Array.from([
      ...mutated.subarray(0, from),
      ...Array.from({ length: between }, () => chance.below(256)),
      ...mutated.subarray(to),
    ]);
  }
  return mutated;
}

export function randomBytes(chance: Chance, most: number): Uint8Array {
  return Uint8Array.from({ length: chance.below(most) }, () => chance.below(256));
}

/** However the bytes are cut, the same is read from them. */

import assert from "node:assert/strict";
import fc from "fast-check";
import { JsonEnd } from "../../src/core/json_end.ts";
import { parseObjectPrefix } from "../../src/core/json_prefix.ts";
import { type Line, LineSplitter } from "../../src/core/line_splitter.ts";
import { boundedName, boundedText, hasControl, terminalLine } from "../../src/core/text.ts";

const ENCODER = new TextEncoder();

function cut(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((at) => at % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index]));
}

function linesOf(limit: number, chunks: readonly Uint8Array[]): string[] {
  const splitter = new LineSplitter(limit);
  const lines: (Line | undefined)[] = chunks.flatMap((chunk) => splitter.push(chunk));
  return [...lines, splitter.end()].filter((line) => line !== undefined).map((line) =>
    "tooLong" in line ? "too long" : `line ${line.bytes.join()}`
  );
}

/** What the lines are by another way of counting: split at once, by the bytes. */
function expectedLines(limit: number, bytes: Uint8Array): string[] {
  const lines: number[][] = [[]];
  for (const byte of bytes) byte === 10 ? lines.push([]) : lines.at(-1)!.push(byte);
  if (lines.at(-1)!.length === 0) lines.pop();
  return lines.map((line) => line.length > limit ? "too long" : `line ${line.join()}`);
}

const noise = fc.uint8Array({ maxLength: 80 });
const lined = fc.array(fc.constantFrom(10, 65, 66, 0xc3, 0xa9), { maxLength: 80 })
  .map((bytes) => Uint8Array.from(bytes));

Deno.test("any chunking of any bytes gives the same lines", () => {
  fc.assert(
    fc.property(
      fc.oneof(noise, lined),
      fc.array(fc.nat(), { maxLength: 10 }),
      fc.integer({ min: 0, max: 12 }),
      (bytes, cuts, limit) => {
        assert.deepEqual(linesOf(limit, cut(bytes, cuts)), expectedLines(limit, bytes));
      },
    ),
    { numRuns: 2_000 },
  );
});

function endOf(chunks: readonly Uint8Array[]): number | undefined {
  const end = new JsonEnd();
  let before = 0;
  for (const chunk of chunks) {
    if (end.push(chunk)) return before + chunk.length;
    before += chunk.length;
  }
  return undefined;
}

Deno.test("the end of a JSON object is found in the chunk that holds its last byte", () => {
  const object = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue());
  fc.assert(
    fc.property(
      object,
      fc.string(),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 10 }),
      (value, rest, spaced, cuts) => {
        const text = JSON.stringify(value, null, spaced ? 2 : undefined);
        const { length } = ENCODER.encode(text);
        const bytes = ENCODER.encode(text + rest);
        const chunks = cut(bytes, cuts);
        let total = 0;
        const holding = chunks.find((chunk) => (total += chunk.length) >= length);
        assert.equal(endOf(chunks), total, String(holding?.length));
        assert.equal(endOf([bytes.subarray(0, length - 1)]), undefined);
      },
    ),
    { numRuns: 1_000 },
  );
});

Deno.test("a cut object keeps every member that arrived whole, and invents none", () => {
  const leaf = fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.boolean());
  const value = fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf));
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ minLength: 1 }).filter((key) => key !== "__proto__"), value),
      fc.nat(),
      (object, at) => {
        const text = JSON.stringify(object);
        const prefix = text.slice(0, 1 + at % text.length);
        const read = parseObjectPrefix(prefix);
        if (read === undefined) {
          const first = Object.entries(object).slice(0, 1);
          const whole = JSON.stringify(Object.fromEntries(first)).slice(0, -1);
          return assert.ok(!prefix.startsWith(`${whole},`), prefix);
        }
        const keys = Object.keys(read);
        assert.ok(keys.every((key) => Object.hasOwn(object, key)));
        for (const key of keys.slice(0, -1)) {
          assert.equal(JSON.stringify(read[key]), JSON.stringify(object[key]));
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

Deno.test("nothing that a stranger sends breaks the bounds or reaches a terminal raw", () => {
  const text = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0x1b, 7, 0xd83d, 0xde00, 10)),
    { maxLength: 60 },
  ).map((codes) => String.fromCharCode(...codes));
  // deno-lint-ignore no-control-regex
  const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 70 }), (value, limit) => {
      const bounded = boundedText(value, limit);
      assert.ok(bounded.isWellFormed() && bounded.length <= limit);
      const name = boundedName(value, limit);
      assert.ok(name === null || name !== "" && ENCODER.encode(name).length <= limit);
      assert.ok(!hasControl(name ?? ""));
      const line = terminalLine(value);
      assert.ok(!control.test(line) && line.isWellFormed() && line === line.trim());
    }),
    { numRuns: 2_000 },
  );
});

/** Bytes to lines. */

import assert from "node:assert/strict";
import { type Line, LineSplitter } from "../../src/core/line_splitter.ts";

const ENCODER = new TextEncoder();

function words(lines: readonly (Line | undefined)[]): string[] {
  return lines.filter((line) => line !== undefined).map((line) =>
    "tooLong" in line ? "TOO LONG" : new TextDecoder().decode(line.bytes)
  );
}

function split(limit: number, ...chunks: string[]): { lines: string[]; end: string[] } {
  const splitter = new LineSplitter(limit);
  const lines = chunks.flatMap((chunk) => words(splitter.push(ENCODER.encode(chunk))));
  return { lines, end: words([splitter.end()]) };
}

Deno.test("lines end at their newline; the rest waits, and ends with the stream", () => {
  assert.deepEqual(split(9, "a\nbc\n\nd"), { lines: ["a", "bc", ""], end: ["d"] });
  assert.deepEqual(split(9, "a", "b\nc", "\n"), { lines: ["ab", "c"], end: [] });
  assert.deepEqual(split(9, ""), { lines: [], end: [] });
  assert.deepEqual(split(9, "a\r\n"), { lines: ["a\r"], end: [] });
});

Deno.test("65,536 bytes pass, one more is too long, as soon as that is known", () => {
  const limit = 65_536;
  assert.deepEqual(split(limit, `${"x".repeat(limit)}\n`).lines[0]!.length, limit);
  assert.deepEqual(split(limit, "x".repeat(limit)).end[0]!.length, limit);
  assert.deepEqual(split(limit, `${"x".repeat(limit + 1)}\n`), { lines: ["TOO LONG"], end: [] });
  assert.deepEqual(split(limit, "x".repeat(limit), "x"), { lines: ["TOO LONG"], end: [] });
});

Deno.test("a line that is too long is told once, and the next line is a line again", () => {
  assert.deepEqual(split(3, "abcd", "efgh", "i\nok\nabcde", "f\n"), {
    lines: ["TOO LONG", "ok", "TOO LONG"],
    end: [],
  });
});

Deno.test("the limit counts bytes, not characters", () => {
  assert.deepEqual(split(3, "€\n"), { lines: ["€"], end: [] });
  assert.deepEqual(split(3, "€a\n"), { lines: ["TOO LONG"], end: [] });
});

Deno.test("the caller may use its buffer again", () => {
  const splitter = new LineSplitter(9);
  const buffer = ENCODER.encode("ab");
  splitter.push(buffer);
  buffer.fill(0x7a);
  assert.deepEqual(words(splitter.push(ENCODER.encode("c\n"))), ["abc"]);
});

/** Strangers' text: made well-formed, bounded at any cut, and harmless on a terminal. */

import assert from "node:assert/strict";
import {
  boundedName,
  boundedText,
  sessionIDOrNull,
  stripControl,
  terminalLine,
  utf8Length,
} from "../../src/core/text.ts";

const HIGH = "\ud83d";
const LOW = "\ude00";
const SMILE = HIGH + LOW;
const ENCODER = new TextEncoder();

Deno.test("length in UTF-8 is what an encoder gives, lone surrogates included", () => {
  for (const text of ["", "a", "é", "€", SMILE, HIGH, LOW, `a${HIGH}b`, "\u07ff\u0800\uffff"]) {
    assert.equal(utf8Length(text), ENCODER.encode(text).length, JSON.stringify(text));
  }
});

Deno.test("a message is cut at every boundary without splitting a character", () => {
  const text = `a${SMILE}b${SMILE}${SMILE}€`;
  for (let limit = 0; limit <= text.length + 1; limit++) {
    const cut = boundedText(text, limit);
    assert.ok(cut.isWellFormed(), String(limit));
    assert.ok(text.startsWith(cut) && cut.length <= limit);
    assert.ok(cut.length >= Math.min(limit, text.length) - 1, "no more is lost than half a pair");
  }
});

Deno.test("lone surrogates are replaced, not kept and not refused", () => {
  assert.equal(boundedText(`x${HIGH}`, 10), "x\ufffd");
  assert.equal(boundedText(`${LOW}x${HIGH}${SMILE}`, 10), `\ufffdx\ufffd${SMILE}`);
  assert.equal(boundedText("x".repeat(1_999) + SMILE, 2_000), "x".repeat(1_999));
  assert.equal(boundedText("x".repeat(1_998) + SMILE, 2_000), "x".repeat(1_998) + SMILE);
});

Deno.test("a name is cut at bytes, at a character, at every limit", () => {
  const name = `a${SMILE}é€b`;
  for (let limit = 1; limit <= 12; limit++) {
    const cut = boundedName(name, limit)!;
    assert.ok(name.startsWith(cut) && ENCODER.encode(cut).length <= limit, String(limit));
    const next = [...name][[...cut].length];
    assert.ok(next === undefined || ENCODER.encode(cut + next).length > limit, "as long as may be");
  }
  assert.equal(boundedName("a\u0000b\u001b[31mc\u007f\u0085", 99), "ab[31mc");
  assert.equal(boundedName("\u0007\n", 99), null);
  assert.equal(boundedName("", 99), null);
  assert.equal(boundedName(SMILE, 3), null);
  assert.equal(boundedName(`x${LOW}`, 99), "x\ufffd");
});

Deno.test("a session id is kept whole or not at all", () => {
  for (const id of ["s", "cfe45cab-e8b0", "ses_1/..$x", "é".repeat(128), "s".repeat(256), SMILE]) {
    assert.equal(sessionIDOrNull(id), id);
  }
  for (
    const id of [
      "",
      "s".repeat(257),
      "é".repeat(129),
      "a\nb",
      "a\u0000",
      "a\u009bb",
      "a\u007f",
      HIGH,
      null,
      undefined,
      7,
      {},
      ["s"],
    ]
  ) {
    assert.equal(sessionIDOrNull(id), null, JSON.stringify(id));
  }
});

Deno.test("a line for a terminal carries no control, direction or line break", () => {
  const cases: [string, string][] = [
    ["plain", "plain"],
    ["  two \t words\n", "two words"],
    ["a\r\nb", "a b"],
    ["\u001b]0;title\u0007x", "]0;titlex"],
    ["\u001b[31mred\u001b[0m", "[31mred[0m"],
    ["\u009b31mred\u0090\u009c", "31mred"],
    ["bell\u0007 back\u0008 del\u007f nul\u0000", "bell back del nul"],
    ["rtl\u202egpj.exe\u2066\u2069\u200f\u061c", "rtlgpj.exe"],
    ["a\u2028b\u2029c\u0085d", "a b cd"],
    [`lone${HIGH} ok${SMILE}`, `lone\ufffd ok${SMILE}`],
    ["x'; touch pwned; '", "x'; touch pwned; '"],
    ["$(touch pwned) `id`", "$(touch pwned) `id`"],
  ];
  for (const [text, line] of cases) assert.equal(terminalLine(text), line, JSON.stringify(text));
  // deno-lint-ignore no-control-regex
  const forbidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
  for (let code = 0; code < 0x10000; code++) {
    const char = String.fromCharCode(code);
    assert.ok(!forbidden.test(terminalLine(`a${char}b`)), code.toString(16));
  }
});

Deno.test("stripping control characters leaves everything else", () => {
  assert.equal(stripControl("a\u0001b\u0080c\u009fd\u00a0é"), "abcd\u00a0é");
});

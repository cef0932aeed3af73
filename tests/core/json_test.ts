/** JSON from strangers: whole, cut off, streamed, deep, or oddly keyed. */

import assert from "node:assert/strict";
import { requestKeyOf, toolSummary } from "../../src/core/hook/hook_fact.ts";
import { arrayAt, canonicalJson, objectAt, own, parseJson, stringAt } from "../../src/core/json.ts";
import { JsonEnd } from "../../src/core/json_end.ts";
import { parseObjectPrefix } from "../../src/core/json_prefix.ts";

const ENCODER = new TextEncoder();

Deno.test("getters answer undefined for another type, and never look at the prototype", () => {
  const object = JSON.parse('{"s":"x","e":"","n":1,"a":[1],"o":{},"z":null,"__proto__":"p"}');
  assert.equal(stringAt(object, "n", "e", "missing", "s"), "x");
  assert.equal(stringAt(object, "z", "a", "o"), undefined);
  assert.equal(stringAt(object, "__proto__"), "p");
  assert.equal(stringAt(object, "toString"), undefined);
  assert.equal(own(object, "constructor"), undefined);
  assert.deepEqual(arrayAt(object, "a"), [1]);
  assert.equal(arrayAt(object, "o"), undefined);
  assert.deepEqual(objectAt(object, "o"), {});
  for (const key of ["a", "z", "s", "hasOwnProperty"]) {
    assert.equal(objectAt(object, key), undefined);
  }
});

Deno.test("the same value gives the same text whatever order its keys were sent in", () => {
  const one = { b: [1, { y: null, x: "é" }], a: true };
  const two = { a: true, b: [1, { x: "é", y: null }] };
  assert.equal(canonicalJson(one), '{"a":true,"b":[1,{"x":"é","y":null}]}');
  assert.equal(canonicalJson(one), canonicalJson(two));
  assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]));
  assert.equal(canonicalJson(undefined), "null");
});

Deno.test("input nested a hundred thousand levels deep still has a key, and no stack overflows", () => {
  const deep = parseJson("[".repeat(100_000) + "]".repeat(100_000));
  assert.match(requestKeyOf("Bash", { command: "ls", deep }), /^[0-9a-f-]{36}$/);
  const other = requestKeyOf("Bash", { command: "rm", deep });
  assert.notEqual(requestKeyOf("Bash", { command: "ls", deep }), other);
});

Deno.test("one line says what a tool call is about", () => {
  const cases: [Parameters<typeof toolSummary>[0], string | undefined][] = [
    [undefined, undefined],
    [{}, undefined],
    [{ command: "ls -l", description: "list" }, "ls -l"],
    [{ command: ["git", "push"] }, "git push"],
    [{ command: " ", file_path: "/a" }, "/a"],
    [{ command: 7, query: "q" }, "q"],
    [{ questions: [{ question: "Which?" }, { question: "Why?" }] }, "Which?"],
    [{ questions: "x", url: "http://x" }, "http://x"],
  ];
  for (const [input, summary] of cases) assert.equal(toolSummary(input), summary);
});

Deno.test("an object that was cut off keeps the members that arrived", () => {
  const cases: [string, unknown][] = [
    ['{"a":1,"b":"x"}', { a: 1, b: "x" }],
    ['{"a":1,"b":"xy', { a: 1, b: "xy" }],
    ['{"a":1,"b":"x\\', { a: 1, b: "x" }],
    ['{"a":1,"b":"x\\u00', { a: 1, b: "x" }],
    ['{"a":1,"b":"x\\u0041', { a: 1, b: "xA" }],
    ['{"a":1,"b":"x\\\\', { a: 1, b: "x\\" }],
    ['{"a":1,"b":', { a: 1 }],
    ['{"a":1,"b', { a: 1 }],
    ['{"a":1,', { a: 1 }],
    ['{"a":1', { a: 1 }],
    ['{"a":tru', undefined],
    ['{"a":true,"b":fal', { a: true }],
    ['{"a":1,"o":{"p":2,"q":{"r":[1,2,{"s":"t', {
      a: 1,
      o: { p: 2, q: { r: [1, 2, { s: "t" }] } },
    }],
    ['{"a":1,"o":{"p":2,"q":nul', { a: 1, o: { p: 2 } }],
    ['{"a":"}],{","b":[1,', { a: "}],{", b: [1] }],
    ["{", {}],
    ["", undefined],
    ["[1,2", undefined],
    ['"text', undefined],
    ["[1]", undefined],
    ["7", undefined],
    ["nonsense", undefined],
    ['{"a":x,"b":1', undefined],
  ];
  for (const [text, value] of cases) assert.deepEqual(parseObjectPrefix(text), value, text);
});

Deno.test("a payload keeps its ids at whatever byte it was cut after them", () => {
  const head = '{"session_id":"S","hook_event_name":"PostToolUse",';
  const whole = `${head}"tool_response":{"stdout":"a\\n\\"b\\u00e9 \\\\","x":[1,{"y":null}]}}`;
  for (let end = head.length; end <= whole.length; end++) {
    const value = parseObjectPrefix(whole.slice(0, end));
    assert.equal(value?.session_id, "S", whole.slice(0, end));
    assert.equal(value?.hook_event_name, "PostToolUse");
  }
});

Deno.test("brackets that are never closed are given up in time that grows as they do", () => {
  const texts = (levels: number) => [
    `{"a":${"[".repeat(levels)}`,
    `{"a":x,${'"b":{"a":x,'.repeat(levels)}`,
    `{"a":${'[{"b":1,"c":'.repeat(levels)}`,
  ];
  const cost = (levels: number) => {
    const begun = performance.now();
    for (const text of texts(levels)) assert.equal(parseObjectPrefix(text), undefined);
    return performance.now() - begun;
  };
  const best = (levels: number) => Math.min(...[1, 2, 3].map(() => cost(levels)));
  // Trying every level would cost eight thousand times as much for ninety times as many.
  const [few, many] = [best(1_000), best(90_000)];
  assert.ok(many < 2_500 * Math.max(few, 0.2), `${many} ms after ${few} ms`);
});

function endOf(text: string): number {
  const end = new JsonEnd();
  const bytes = ENCODER.encode(text);
  for (let at = 0; at < bytes.length; at++) {
    if (end.push(bytes.subarray(at, at + 1))) return at + 1;
  }
  return -1;
}

Deno.test("the end of an object is seen with its last byte, not before", () => {
  const whole = [
    "{}",
    "[]",
    ' \n{"a":{"b":[1,{"c":"}"}]}}',
    '{"a":"\\"}","b":"\\\\"}',
    '{"é":"\u{1f600}{[","x":"]"}',
    '[{"a":[]},[]]',
  ];
  for (const text of whole) {
    assert.equal(endOf(text), ENCODER.encode(text).length, text);
    assert.equal(endOf(`${text} {"next":1}`), ENCODER.encode(text).length, text);
    assert.equal(endOf(text.slice(0, -1)), -1, text);
  }
  assert.equal(endOf('"a string {}"'), -1);
  assert.equal(endOf("17"), -1);
});

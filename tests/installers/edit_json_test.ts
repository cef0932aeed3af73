/** Minimal edits in JSON and JSONC: one row per layout, config shape or report (facts/bugs.md C). */

import assert from "node:assert/strict";
import type { ConfigValue, EditOp } from "../../src/installers/edit_op.ts";
import { planJson } from "../../src/installers/edit_json.ts";
import { isTable, type JsonMode } from "../../src/installers/read_value.ts";
import { verifyJson } from "../../src/installers/verify.ts";

const NEW: EditOp = { op: "appendToArray", path: ["a"], value: 9 };

function edit(text: string | null, ops: readonly EditOp[], mode: JsonMode = "strict"): string {
  const plan = planJson(text, ops, { mode });
  assert.ok(plan.ok, JSON.stringify(plan));
  const check = verifyJson({ before: text, after: plan.after, ops }, { mode });
  assert.ok(check.ok, JSON.stringify(check));
  return plan.after;
}

function refusal(text: string, ops: readonly EditOp[], mode: JsonMode = "strict"): string {
  const plan = planJson(text, ops, { mode });
  assert.ok(!plan.ok, "must be refused");
  assert.match(plan.issue.message, /^Cannot .*[^.]$/s);
  return plan.issue.code;
}

const APPENDS: [string, string | null, string, JsonMode?][] = [
  ["missing file", null, '{\n  "a": [\n    9\n  ]\n}\n'],
  ["empty file", "", '{\n  "a": [\n    9\n  ]\n}\n'],
  ["white space only, CRLF", " \r\n\r\n", '{\r\n  "a": [\r\n    9\r\n  ]\r\n}\r\n'],
  ["byte order mark only", "\uFEFF", '\uFEFF{\n  "a": [\n    9\n  ]\n}\n'],
  ["empty object", "{}", '{\n  "a": [\n    9\n  ]\n}'],
  ["compact", '{"a":[1,2]}', '{"a":[1,2,9]}'],
  ["compact with spaces", '{ "a": [ 1, 2 ] }\n', '{ "a": [ 1, 2, 9 ] }\n'],
  ["compact, empty array", '{"b":1,"a":[]}', '{"b":1,"a":[9]}'],
  ["compact, missing array", '{"b":1}', '{"b":1,"a":[9]}'],
  ["tabs", '{\n\t"a": [\n\t\t1\n\t]\n}', '{\n\t"a": [\n\t\t1,\n\t\t9\n\t]\n}'],
  ["four spaces", '{\n    "b": 1\n}\n', '{\n    "b": 1,\n    "a": [\n        9\n    ]\n}\n'],
  ["no indentation", '{\n"a":[\n1\n]\n}', '{\n"a":[\n1,\n9\n]\n}'],
  ["empty array on two lines", '{\n  "a": [\n  ]\n}', '{\n  "a": [\n    9\n  ]\n}'],
  ["CRLF", '{\r\n  "a": [\r\n    1\r\n  ]\r\n}', '{\r\n  "a": [\r\n    1,\r\n    9\r\n  ]\r\n}'],
  [
    "mixed line endings: the most used",
    '{\r\n"b":1,\r\n"a":[\n1\n]\r\n}\r\n',
    '{\r\n"b":1,\r\n"a":[\n1,\r\n9\n]\r\n}\r\n',
  ],
  ["duplicate keys: the last", '{"a":[1],"a":[2]}', '{"a":[1],"a":[2,9]}'],
  ["escaped key", '{"\\u0061":[1]}', '{"\\u0061":[1,9]}'],
  [
    "escapes and non-ASCII stay",
    '{"p":"a\\/b \\u00e9 é 2>&1 && x","a":[]}',
    '{"p":"a\\/b \\u00e9 é 2>&1 && x","a":[9]}',
  ],
  ["odd spacing stays", '{ "b" : 1 ,\n\n "a"  :[ 1 ,2]}', '{ "b" : 1 ,\n\n "a"  :[ 1 ,2,9]}'],
  [
    "line comment after the last element",
    '{\n  "a": [\n    1 // one\n  ]\n}',
    '{\n  "a": [\n    1, // one\n    9\n  ]\n}',
    "jsonc",
  ],
  [
    "comment below the last element",
    '{\n  "a": [\n    1\n    // end\n  ]\n}',
    '{\n  "a": [\n    1,\n    // end\n    9\n  ]\n}',
    "jsonc",
  ],
  ["block comment in a compact array", '{"a":[1/* x */]}', '{"a":[1,/* x */9]}', "jsonc"],
  [
    "trailing comma",
    '{\n  "a": [\n    1,\n  ],\n}',
    '{\n  "a": [\n    1,\n    9,\n  ],\n}',
    "jsonc",
  ],
  ["trailing comma in compact", '{"a":[1,],}', '{"a":[1,9,],}', "jsonc"],
  [
    "comment in an empty array",
    '{\n  "a": [ /* x */ ]\n}',
    '{\n  "a": [ /* x */\n    9\n  ]\n}',
    "jsonc",
  ],
  [
    "strings that look like comments",
    '{"u":"https://h/*x*/,]","a":[1]}',
    '{"u":"https://h/*x*/,]","a":[1,9]}',
    "jsonc",
  ],
  [
    "comment before and after the root",
    "// top\n{} // end",
    '// top\n{\n  "a": [\n    9\n  ]\n} // end',
    "jsonc",
  ],
];

for (const [name, before, after, mode] of APPENDS) {
  Deno.test(`C11: appending keeps the layout: ${name}`, () => {
    assert.equal(edit(before, [NEW], mode), after);
    assert.equal(edit(after, [NEW], mode), after);
  });
}

function isNine(value: unknown): boolean {
  return value === 9;
}

const DROP: EditOp = { op: "removeWhere", path: ["a"], where: isNine };

const REMOVALS: [string, string, string, JsonMode?][] = [
  ["last of a compact array (jsonc-parser issue 108)", '{"a":[1,9]}', '{"a":[1]}'],
  ["first of a compact array", '{"a":[9, 1]}', '{"a":[1]}'],
  ["middle", '{"a":[1, 9, 2]}', '{"a":[1, 2]}'],
  ["only", '{"a":[ 9 ]}', '{"a":[]}'],
  ["several", '{"a":[9,1,9,9,2,9]}', '{"a":[1,2]}'],
  ["first line", '{"a":[\n  9,\n  1\n]}', '{"a":[\n  1\n]}'],
  ["last line", '{"a":[\n  1,\n  9\n]}', '{"a":[\n  1\n]}'],
  ["only, with a trailing comma", '{"a":[\n  9,\n]}', '{"a":[]}', "jsonc"],
  ["last, with a trailing comma", '{"a":[\n  1,\n  9,\n]}', '{"a":[\n  1,\n]}', "jsonc"],
  [
    "the neighbour's comment stays",
    '{"a":[\n  1, // one\n  9\n]}',
    '{"a":[\n  1 // one\n]}',
    "jsonc",
  ],
  [
    "a comment beside ours stays",
    '{"a":[\n  1,\n  9, // mine\n  2\n]}',
    '{"a":[\n  1,\n  // mine\n  2\n]}',
    "jsonc",
  ],
  ["a line comment swallows no bracket", '{"a":[1, // x\n9]}', '{"a":[1 // x\n]}', "jsonc"],
  ["comma-first style", '{"a":[ 1\n, 9\n, 2 ]}', '{"a":[ 1\n, 2 ]}'],
];

for (const [name, before, after, mode] of REMOVALS) {
  Deno.test(`removing keeps the rest: ${name}`, () => {
    assert.equal(edit(before, [DROP], mode), after);
  });
}

Deno.test("keys are set in place, added last, and removed with all duplicates", () => {
  const set = (value: ConfigValue): EditOp => ({ op: "setKey", path: ["f"], key: "k", value });
  assert.equal(edit('{"f":{"k" : false, "l":1}}', [set(true)]), '{"f":{"k" : true, "l":1}}');
  assert.equal(edit('{"f":{"l":1}}', [set(true)]), '{"f":{"l":1,"k":true}}');
  assert.equal(edit('{"f":{"k":1,"l":2,"k":3}}', [set(4)]), '{"f":{"k":1,"l":2,"k":4}}');
  const drop: EditOp = { op: "removeKey", path: ["f"], key: "k" };
  assert.equal(edit('{"f":{"k":1,"l":2,"k":3}}', [drop]), '{"f":{"l":2}}');
  assert.equal(edit('{"f":{"__proto__":{"k":1}}}', [drop]), '{"f":{"__proto__":{"k":1}}}');
});

Deno.test("an element is replaced at its old position", () => {
  const op: EditOp = { op: "replaceWhere", path: ["a"], where: isNine, value: { hooks: [] } };
  assert.equal(edit('{"a":[1,9,2]}', [op]), '{"a":[1,{"hooks":[]},2]}');
});

Deno.test("an empty container is pruned, one with a comment or a foreign entry is not", () => {
  const prune: EditOp = { op: "pruneEmpty", path: ["h"] };
  assert.equal(edit('{"x":1,"h":{}}', [prune]), '{"x":1}');
  assert.equal(edit('{"x":1,"h":[0]}', [prune]), '{"x":1,"h":[0]}');
  assert.equal(edit('{"h":[/* mine */]}', [prune], "jsonc"), '{"h":[/* mine */]}');
});

Deno.test("what cannot be edited for certain is refused", () => {
  const rows: [string, string, JsonMode?][] = [
    ['{"a":[1], // c\n}', "not-strict-json"],
    ['{"a":[1,]}', "not-strict-json"],
    ['{"a":', "invalid-text"],
    ['{"a":[1,,2]}', "invalid-text", "jsonc"],
    ['{"a":[,]}', "invalid-text", "jsonc"],
    ['{"a":1 /* x', "invalid-text", "jsonc"],
    ["{'a':1}", "invalid-text", "jsonc"],
    ['{"a":{}}', "wrong-type"],
    ['{"a":null}', "wrong-type"],
    ["[]", "wrong-type"],
    ['"text"', "wrong-type"],
    ['{"a":[]} {}', "invalid-text", "jsonc"],
    ['{"a":[]}\u00a0', "invalid-text", "jsonc"],
  ];
  for (const [text, code, mode] of rows) assert.equal(refusal(text, [NEW], mode), code, text);
  const deep: EditOp = { op: "appendToArray", path: ["a", 3, "hooks"], value: 1 };
  assert.equal(refusal('{"a":[]}', [deep]), "missing-element");
  const nested = "[".repeat(200_000) + "]".repeat(200_000);
  assert.equal(refusal(`{"b":${nested}}`, [NEW], "jsonc"), "invalid-text");
});

Deno.test("a value of the user is a conflict where the caller says so", () => {
  const op: EditOp = { op: "setKey", path: [], key: "n", value: 1, whenPresent: "refuse" };
  assert.equal(refusal('{"n":2}', [op]), "conflict");
  assert.equal(edit('{"n":1}', [op]), '{"n":1}');
});

function bigSettings(): { text: string; foreign: unknown[] } {
  const foreign = Array.from({ length: 49 }, (_, index) => ({
    ...(index % 3 === 0 ? {} : { matcher: index % 3 === 1 ? "Bash|Edit" : "" }),
    hooks: [{ type: "command", command: `/opt/f${index} 2>&1 && "x" > /dev/null` }],
  }));
  const hooks: Record<string, unknown[]> = {};
  foreign.forEach((group, index) => (hooks[`Event${index % 7}`] ??= []).push(group));
  const value = { $schema: "s", env: { A: "1" }, hooks, permissions: { allow: ["x"] }, model: "m" };
  return { text: JSON.stringify(value, null, 2) + "\n", foreign };
}

Deno.test("C2, C3: with 49 foreign hooks in every shape the diff is our entries only", () => {
  const { text } = bigSettings();
  const ops: EditOp[] = Array.from({ length: 9 }, (_, index) => ({
    op: "appendToArray",
    path: ["hooks", `Event${index}`],
    value: { hooks: [{ type: "command", command: "mytty-hook" }] },
  }));
  const after = edit(text, ops);
  const kept = after.split("\n").map((line) => line.replace(/,$/, ""));
  let cursor = 0;
  for (const line of text.split("\n").map((item) => item.replace(/,$/, ""))) {
    cursor = kept.indexOf(line, cursor) + 1;
    assert.ok(cursor > 0, `lost: ${line}`);
  }
});

Deno.test("C4, C18, C19: entries of older releases collapse into one, the user's wrapper stays", () => {
  const command = (text: string) => ({ hooks: [{ type: "command", command: text }] });
  const stop = [
    ...["/old/1/mytty-hook", "/old/2/mytty-hook", "/gone/mytty-hook"].map(command),
    command("nice /old/1/mytty-hook | tee"),
    ...Array.from({ length: 5 }, () => command("/old/3/mytty-hook")),
  ];
  const where = (value: unknown) =>
    isTable(value) && /"command":"\/[^" ]*mytty-hook"/.test(JSON.stringify(value));
  const ops: EditOp[] = [
    { op: "removeWhere", path: ["hooks", "Stop"], where },
    { op: "appendToArray", path: ["hooks", "Stop"], value: command("/now/mytty-hook") },
  ];
  const after = JSON.parse(edit(JSON.stringify({ hooks: { Stop: stop } }, null, 2), ops));
  assert.deepEqual(after.hooks.Stop, [
    command("nice /old/1/mytty-hook | tee"),
    command("/now/mytty-hook"),
  ]);
});

Deno.test("C21: any command text arrives as it is", () => {
  const value = "'/a b'\\''c $x;é/mytty-hook' \"q\" \\ \t\u0001\u2028 \ud83d\ude00";
  const op: EditOp = { op: "appendToArray", path: ["a"], value };
  assert.deepEqual(JSON.parse(edit('{"a":[]}', [op])), { a: [value] });
});

/** The proof refuses every text that is not exactly the intended one. */

import assert from "node:assert/strict";
import type { EditOp } from "../../src/installers/edit_op.ts";
import { jsonComments, toStrictJson } from "../../src/installers/read_value.ts";
import { verifyJson, verifyToml } from "../../src/installers/verify.ts";

const OPS: EditOp[] = [{ op: "appendToArray", path: ["a"], value: 9 }];

Deno.test("a wrong result is refused, whatever is wrong with it", () => {
  const before = '{"a":[1],"b":{"c":2}} // x';
  const rows: [string, boolean][] = [
    ['{"a":[1,9],"b":{"c":2}} // x', true],
    ['{"b":{"c":2},"a":[1,9]} // x', true],
    ['{"a":[9,1],"b":{"c":2}} // x', false],
    ['{"a":[1,9],"b":{}} // x', false],
    ['{"a":[1,9],"b":{"c":2},"d":null} // x', false],
    ['{"a":[1,9],"b":{"c":2}}', false],
    ['{"a":[1 9],"b":{"c":2}} // x', false],
    [before, false],
    ['\uFEFF{"a":[1,9],"b":{"c":2}} // x', false],
  ];
  for (const [after, ok] of rows) {
    assert.equal(verifyJson({ before, after, ops: OPS }, { mode: "jsonc" }).ok, ok, after);
  }
});

Deno.test("nothing to do means no change at all, not even of white space", () => {
  const before = '{"a":[9]}';
  assert.ok(verifyJson({ before, after: before, ops: OPS }, { mode: "strict" }).ok);
  const check = verifyJson({ before, after: '{"a": [9]}', ops: OPS }, { mode: "strict" });
  assert.ok(!check.ok);
});

Deno.test("an operation that would take a foreign entry along is refused", () => {
  const ops: EditOp[] = [{ op: "removeWhere", path: ["a"], where: () => true }];
  const input = { before: '{"a":[1,9]}', after: '{"a":[]}', ops };
  assert.ok(verifyJson(input, { mode: "strict" }).ok);
  const owns = (value: unknown) => value === 9;
  const check = verifyJson({ ...input, owns }, { mode: "strict" });
  assert.ok(!check.ok);
  assert.equal(check.issue.code, "not-verified");
});

Deno.test("in TOML an emptied array of tables counts as absent, a foreign value does not", () => {
  const ops: EditOp[] = [{ op: "removeWhere", path: ["h", "S"], where: () => true }];
  const before = "x = 1\n[[h.S]]\na = 1\n";
  assert.ok(verifyToml({ before, after: "x = 1\n", ops }).ok);
  assert.ok(!verifyToml({ before, after: "", ops }).ok);
});

Deno.test("comments are told from strings, and trailing commas from missing values", () => {
  const text = '{"u":"//x", /* a,] */ "b":[1, // y\n], }';
  assert.deepEqual(jsonComments(text), ["/* a,] */", "// y"]);
  assert.deepEqual(JSON.parse(toStrictJson(text)), { u: "//x", b: [1] });
  assert.equal(toStrictJson(text).length, text.length);
  for (const bad of ["[,]", "[1,,]", "{,}", '{"a":,}', "[1,", '["', "[/]"]) {
    assert.throws(() => JSON.parse(toStrictJson(bad)), bad);
  }
});

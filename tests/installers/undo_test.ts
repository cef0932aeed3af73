/** Uninstall is the inverse of install, whatever the user did in between (facts/bugs.md C). */

import assert from "node:assert/strict";
import type { EditOp, TextPlan } from "../../src/installers/edit_op.ts";
import { isTable } from "../../src/installers/read_value.ts";
import { planEdit, planUndo } from "../../src/installers/undo.ts";
import { makeNote, type UndoNote } from "../../src/installers/undo_note.ts";
import type { ConfigFormat } from "../../src/installers/verify.ts";

const OURS = { hooks: [{ type: "command", command: "mytty-hook" }] };

function isOurs(value: unknown): boolean {
  return isTable(value) && JSON.stringify(value).includes('"command":"mytty-hook"');
}

const INSTALL: readonly EditOp[] = [
  { op: "appendToArray", path: ["hooks", "Stop"], value: OURS },
  { op: "appendToArray", path: ["hooks", "Start"], value: OURS },
];
const REMOVAL: readonly EditOp[] = ["Stop", "Start"].map((event) => ({
  op: "removeWhere",
  path: ["hooks", event],
  where: isOurs,
}));

function install(
  text: string | null,
  format: ConfigFormat = "strict",
  ops = INSTALL,
): { plan: TextPlan; note: UndoNote } {
  const plan = planEdit(text, ops, format);
  assert.ok(plan.ok, JSON.stringify(plan));
  return { plan, note: JSON.parse(JSON.stringify(makeNote(plan, { format }))) };
}

function undo(text: string, note?: UndoNote, format: ConfigFormat = "strict"): string | null {
  const result = planUndo(text, { format, removal: REMOVAL, note });
  assert.ok(result.ok, JSON.stringify(result));
  return result.after === null ? null : result.after.text;
}

Deno.test("C9, C10, C23, C25: the original bytes come back", () => {
  const rows: [string | null, ConfigFormat?][] = [
    [null],
    [""],
    [" \n\n"],
    ["\uFEFF"],
    ["{}"],
    ["{ }\n"],
    ['{"hooks":{}}'],
    ['{"hooks":{"Stop":[ ]}}'],
    ['{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}'],
    ['{\r\n\t"p": "a\\/b 2>&1 && x é",\r\n\t"hooks": {"Stop": [ 1 ,2 ]}\r\n}'],
    ['{\n  // c\n  "hooks": { /* x */ },\n}', "jsonc"],
    ['\uFEFF{"a":1,}// e', "jsonc"],
    [null, "toml"],
    ["", "toml"],
    ["# c", "toml"],
    ["a = 1\r\n[hooks] # h\r\n", "toml"],
    ["hooks = { Stop = [ ] }", "toml"],
  ];
  for (const [text, format] of rows) {
    const { plan, note } = install(text, format);
    assert.notEqual(plan.after, text);
    assert.equal(undo(plan.after, note, format), text);
  }
});

Deno.test("C15: false comes back as false, and absent as absent", () => {
  const on: EditOp[] = [{ op: "setKey", path: ["features"], key: "hooks", value: true }];
  const texts = [
    "[features]\nhooks = false # no\n",
    "features.hooks=false\n",
    "a = 1\n",
    "[features]\n",
  ];
  for (const text of texts) {
    const { plan, note } = install(text, "toml", on);
    assert.equal(undo(plan.after, note, "toml"), text);
    const more = "\n[z]\nhooks = 1\n";
    assert.equal(undo(plan.after + more, note, "toml"), text + more);
  }
  const json = '{"disable": false}';
  const { plan, note } = install(json, "strict", [{
    op: "setKey",
    path: [],
    key: "disable",
    value: true,
  }]);
  assert.equal(undo(plan.after, note), json);
});

Deno.test("what the user set after us stays as the user set it", () => {
  const { note } = install('{"n":1}', "strict", [{ op: "setKey", path: [], key: "n", value: 2 }]);
  assert.equal(undo('{"n": 3}', note), '{"n": 3}');
});

Deno.test("a reformatted file loses our entries and what we created, nothing else", () => {
  const { plan, note } = install('{"env":{"A":"1"}}');
  const reformatted = JSON.stringify(JSON.parse(plan.after), null, 4);
  assert.equal(undo(reformatted, note), '{\n    "env": {\n        "A": "1"\n    }\n}');
});

Deno.test("the user's hook in an array that we created keeps the array", () => {
  const { plan, note } = install("{}\n");
  const value = JSON.parse(plan.after);
  value.hooks.Stop.push({ hooks: [] });
  assert.deepEqual(JSON.parse(undo(JSON.stringify(value), note)!), {
    hooks: { Stop: [{ hooks: [] }] },
  });
  const after = plan.after.replace(/\n {6}\}\n {4}\],/, "\n      },\n      1\n    ],");
  assert.deepEqual(JSON.parse(undo(after, note)!), { hooks: { Stop: [1] } });
});

Deno.test("edits of the user beside ours stay byte for byte", () => {
  const text = '{\n  "a" : 1,\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}\n';
  const { plan, note } = install(text);
  const edits: [string, string][] = [['"a" : 1', '"a" : 1, "b":  2'], ["      1", "      0,  1"]];
  for (const [from, to] of edits) {
    assert.equal(undo(plan.after.replace(from, to), note), text.replace(from, to));
  }
  const below = plan.after.replace(/\n\}\n$/, ',\n  "z": 0\n}\n');
  assert.equal(undo(below, note), text.replace(/\n\}\n$/, ',\n  "z": 0\n}\n'));
});

Deno.test("without a note our entries go and empty containers stay", () => {
  const { plan } = install('{"x":1}');
  assert.equal(undo(plan.after), '{"x":1,"hooks":{"Stop":[],"Start":[]}}');
});

Deno.test("older entries of ours in the original do not come back", () => {
  const old = JSON.stringify({ hooks: { Stop: [OURS, 1] }, z: [] }, null, 2);
  const ops: EditOp[] = [REMOVAL[0]!, ...INSTALL];
  const { plan, note } = install(old, "strict", ops);
  assert.deepEqual(JSON.parse(undo(plan.after, note)!), { hooks: { Stop: [1] }, z: [] });
});

Deno.test("a file that we created goes, unless the user wrote into it", () => {
  const { plan, note } = install(null);
  assert.equal(undo(plan.after, note), null);
  const used = plan.after.replace("{", '{\n  "mine": 1,');
  assert.deepEqual(JSON.parse(undo(used, note)!), { mine: 1 });
});

Deno.test("a broken file is left alone", () => {
  const { note } = install("{}");
  const result = planUndo('{"hooks":', { format: "strict", removal: REMOVAL, note });
  assert.ok(!result.ok);
  assert.equal(result.issue.code, "invalid-text");
});

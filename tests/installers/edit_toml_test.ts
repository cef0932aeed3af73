/** Minimal edits in TOML: one row per way to write a table or report (facts/bugs.md C). */

import assert from "node:assert/strict";
import type { EditOp } from "../../src/installers/edit_op.ts";
import { planToml } from "../../src/installers/edit_toml.ts";
import { isTable } from "../../src/installers/read_value.ts";
import { verifyToml } from "../../src/installers/verify.ts";

function edit(text: string | null, ops: readonly EditOp[]): string {
  const plan = planToml(text, ops);
  assert.ok(plan.ok, JSON.stringify(plan));
  const check = verifyToml({ before: text, after: plan.after, ops });
  assert.ok(check.ok, JSON.stringify(check));
  return plan.after;
}

function refusal(text: string, ops: readonly EditOp[]): string {
  const plan = planToml(text, ops);
  if (!plan.ok) return plan.issue.code;
  const check = verifyToml({ before: text, after: plan.after, ops });
  assert.ok(!check.ok, plan.after);
  return check.issue.code;
}

const ON: EditOp = { op: "setKey", path: ["features"], key: "hooks", value: true };

const SETS: [string, string | null, string][] = [
  ["missing file", null, "[features]\nhooks = true\n"],
  ["no such table", "a = 1\n", "a = 1\n\n[features]\nhooks = true\n"],
  ["no final line ending", "a = 1", "a = 1\n\n[features]\nhooks = true"],
  ["CRLF", "a = 1\r\n", "a = 1\r\n\r\n[features]\r\nhooks = true\r\n"],
  ["byte order mark", "\uFEFFa = 1\n", "\uFEFFa = 1\n\n[features]\nhooks = true\n"],
  [
    "existing table",
    "[features] # f\nx = 1 # x\n\n# z\n[z]\n",
    "[features] # f\nx = 1 # x\nhooks = true\n\n# z\n[z]\n",
  ],
  ["existing empty table", "[features]\n[z]\n", "[features]\nhooks = true\n[z]\n"],
  ["indented table", "[features]\n  x = 1\n", "[features]\n  x = 1\n  hooks = true\n"],
  ["table at the end without line ending", "[features]\nx = 1", "[features]\nx = 1\nhooks = true"],
  [
    "key in place, comment kept",
    "[features]\nhooks = false # why\n",
    "[features]\nhooks = true # why\n",
  ],
  ["dotted key in place", "features.hooks = false\n", "features.hooks = true\n"],
  ["dotted sibling", "features.x = 1\n[z]\n", "features.x = 1\nfeatures.hooks = true\n[z]\n"],
  ["inline table", "features = { x = 1 }\n", "features = { x = 1, hooks = true }\n"],
  ["inline table in place", "features = {hooks = false}\n", "features = {hooks = true}\n"],
  ["empty inline table", "features = {}\n", "features = { hooks = true }\n"],
  ["quoted and spaced header", '[ "features" ]\nx = 1\n', '[ "features" ]\nx = 1\nhooks = true\n'],
  [
    "defined by a sub-table only",
    "[features.deep]\nx = 1\n",
    "[features.deep]\nx = 1\n\n[features]\nhooks = true\n",
  ],
  [
    "look-alike in a string",
    'a = """\n[features]\n"""\n',
    'a = """\n[features]\n"""\n\n[features]\nhooks = true\n',
  ],
];

for (const [name, before, after] of SETS) {
  Deno.test(`C14: a key is set at the right level, once: ${name}`, () => {
    assert.equal(edit(before, [ON]), after);
    assert.equal(edit(after, [ON]), after);
  });
}

const TOP: EditOp = { op: "setKey", path: [], key: "notify", value: ["a", "b"] };

Deno.test("C13: a top-level key never lands inside a table", () => {
  const line = 'notify = ["a", "b"]';
  const rows: [string, string][] = [
    ["[features]\nx = 1\n", `${line}\n\n[features]\nx = 1\n`],
    ["a = 1\n\n[features]\nx = 1\n", `a = 1\n${line}\n\n[features]\nx = 1\n`],
    ["# file\n\n# about f\n[features]\n", `# file\n${line}\n\n# about f\n[features]\n`],
    ["# about f\n[features]\n", `${line}\n\n# about f\n[features]\n`],
    ["# only a comment", `# only a comment\n\n${line}`],
  ];
  for (const [before, after] of rows) assert.equal(edit(before, [TOP]), after);
});

Deno.test("C12: the user's own notify is a conflict, not replaced; comments and layout stay", () => {
  const text = '# mine\nnotify = ["bash", "-lc", "x"]  # wrapper\n\n\n[tui] # t\n';
  assert.equal(refusal(text, [{ ...TOP, whenPresent: "refuse" }]), "conflict");
  assert.ok(edit(text, [ON]).startsWith(text));
});

const GROUP = { matcher: "*", hooks: [{ type: "command", command: "mytty-hook", timeout: 5 }] };
const STOP: EditOp = { op: "appendToArray", path: ["hooks", "Stop"], value: GROUP };
const LINES =
  '[[hooks.Stop]]\nmatcher = "*"\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mytty-hook"\ntimeout = 5\n';
function isOurs(value: unknown): boolean {
  return isTable(value) && JSON.stringify(value).includes('"command":"mytty-hook"');
}
const DROP: EditOp = { op: "removeWhere", path: ["hooks", "Stop"], where: isOurs };

const APPENDS: [string, string, string][] = [
  ["empty file", "", LINES],
  ["after a table", "[features]\nx = 1\n", `[features]\nx = 1\n\n${LINES}`],
  [
    "after a foreign group",
    "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'f'\n\n[z]\n",
    `[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'f'\n\n[z]\n\n${LINES}`,
  ],
  [
    "trust state of the user",
    '[hooks.state."/p:stop:0:0"]\ntrusted_hash = "sha256:1"\n',
    `[hooks.state."/p:stop:0:0"]\ntrusted_hash = "sha256:1"\n\n${LINES}`,
  ],
  ["comment at the end", "a = 1\n# end\n", `a = 1\n# end\n\n${LINES}`],
];

for (const [name, before, after] of APPENDS) {
  Deno.test(`tables are appended last and taken out again: ${name}`, () => {
    assert.equal(edit(before, [STOP]), after);
    assert.equal(edit(after, [STOP]), after);
    assert.equal(edit(after, [DROP]), before);
  });
}

Deno.test("inline arrays get inline elements, in their layout", () => {
  const op: EditOp = { op: "appendToArray", path: ["hooks"], value: { event: "Stop" } };
  const rows = [
    ["hooks = []\n", 'hooks = [{ event = "Stop" }]\n'],
    ["hooks = [{ event = 'A' }] # x\n", "hooks = [{ event = 'A' }, { event = \"Stop\" }] # x\n"],
    [
      "hooks = [\n  { event = 'A' }, # a\n]\n",
      "hooks = [\n  { event = 'A' }, # a\n  { event = \"Stop\" },\n]\n",
    ],
  ];
  for (const [before, after] of rows) assert.equal(edit(before!, [op]), after);
});

Deno.test("the middle element goes, its neighbours and their comments stay", () => {
  const text = `[[hooks.Stop]]\na = 1\n\n${LINES}\n# c\n[[hooks.Stop]]\nb = 2\n`;
  assert.equal(edit(text, [DROP]), "[[hooks.Stop]]\na = 1\n\n# c\n[[hooks.Stop]]\nb = 2\n");
});

Deno.test("one handler goes out of a mixed group", () => {
  const text =
    "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'f'\n[[hooks.Stop.hooks]]\ncommand = 'mytty-hook'\n[[hooks.Stop]]\nx = 1\n";
  const where = (value: unknown) => isTable(value) && value.command === "mytty-hook";
  const op: EditOp = { op: "removeWhere", path: ["hooks", "Stop", 0, "hooks"], where };
  assert.equal(
    edit(text, [op]),
    "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'f'\n[[hooks.Stop]]\nx = 1\n",
  );
});

Deno.test("an element is replaced at its old position", () => {
  const text = `# top\n${LINES}\n[[hooks.Stop]]\nb = 2\n`;
  const op: EditOp = {
    op: "replaceWhere",
    path: ["hooks", "Stop"],
    where: isOurs,
    value: { hooks: [] },
  };
  assert.equal(edit(text, [op]), "# top\n[[hooks.Stop]]\nhooks = []\n\n[[hooks.Stop]]\nb = 2\n");
});

Deno.test("the user's comment on or among our lines stays when they go", () => {
  const text = `a = 1\n\n${LINES.replace("timeout = 5", "# mine\ntimeout = 5 # slow")}`;
  const after = edit(text, [DROP]);
  assert.match(after, /# mine\n# slow/);
});

Deno.test("what cannot be edited for certain is refused", () => {
  const rows: [string, EditOp, string][] = [
    ["a = ", ON, "invalid-text"],
    ["a = 1\na = 2\n", ON, "invalid-text"],
    ["features = 3\n", ON, "wrong-type"],
    ["[[features]]\n", ON, "wrong-type"],
    ["hooks = 'x'\n", STOP, "wrong-type"],
    ["[hooks.Stop]\n", STOP, "wrong-type"],
    ["a = 1\n", { op: "setKey", path: [], key: "b", value: null }, "unsupported"],
    ["a = 1\n", { op: "setKey", path: [], key: "b", value: "\ud800" }, "unsupported"],
    ["[a.b]\n", { op: "setKey", path: [], key: "a", value: 1 }, "unsupported"],
  ];
  for (const [text, op, code] of rows) assert.equal(refusal(text, [op]), code, text);
});

Deno.test("C21: any command text arrives as it is", () => {
  const value = "'/a b'\\''c $x;é' \"q\" \\ \t\u0001\u007f\u2028 \ud83d\ude00 # no";
  const after = edit("", [{ op: "setKey", path: [], key: "k", value }]);
  assert.match(after, /^k = "/);
});

/** Marked blocks and files of our own. */

import assert from "node:assert/strict";
import {
  findBlocks,
  planBlock,
  planBlockRemoval,
  verifyBlock,
} from "../../src/installers/edit_block.ts";
import {
  inspectOwnFile,
  planOwnFile,
  planOwnFileRemoval,
  stampOwnFile,
} from "../../src/installers/own_file.ts";
import { makeNote, textHash, undoText } from "../../src/installers/undo_note.ts";

const OPTIONS = { id: "shell", comment: "#" };

function put(text: string | null, body: string): string {
  const plan = planBlock(text, body, OPTIONS);
  assert.ok(plan.ok, JSON.stringify(plan));
  const check = verifyBlock({ before: text, after: plan.after, body }, OPTIONS);
  assert.ok(check.ok, JSON.stringify(check));
  const note = makeNote(plan, { format: "text" });
  assert.equal(undoText(plan.after, note), text ?? "");
  return plan.after;
}

function take(text: string): string {
  const plan = planBlockRemoval(text, OPTIONS);
  assert.ok(plan.ok, JSON.stringify(plan));
  const check = verifyBlock({ before: text, after: plan.after, body: null }, OPTIONS);
  assert.ok(check.ok, JSON.stringify(check));
  return plan.after;
}

Deno.test("C10: a block is put in once and taken out again, with any line ending", () => {
  for (const text of ["", "a\n", "a", "a\n\n", "a\r\nb\r\n", "a\r\nb", "# c\n\n\nx\n"]) {
    const after = put(text, "one\ntwo\n");
    assert.equal(put(after, "one\ntwo"), after);
    assert.equal(take(after), text);
    if (text.includes("\r\n")) assert.ok(!/[^\r]\n/.test(after));
    const upgraded = put(after, "three");
    assert.equal(take(upgraded), text);
  }
});

Deno.test("text below the block stays where it is; copies of the block go", () => {
  const block = put("", "x");
  const text = `a\n\n${block}\nb\n\n${block}\nc\n`;
  assert.equal(put(text, "y"), `a\n\n${put("", "y")}\nb\n\n\nc\n`);
  // Blank lines around it were there before, or are the user's.
  assert.equal(take(text), "a\n\n\nb\n\n\nc\n");
});

Deno.test("a block that the user changed is seen; unpaired marks are refused", () => {
  const text = put("", "x");
  const found = findBlocks(text.replace("x\n", "y\n"), OPTIONS);
  assert.ok(found.ok);
  assert.equal(found.blocks[0]?.intact, false);
  for (
    const bad of [text.split("\n").slice(0, 2).join("\n"), text.split("\n").slice(1).join("\n")]
  ) {
    assert.ok(!planBlock(bad, "x", OPTIONS).ok);
  }
});

Deno.test("the proof of a block refuses a change outside it", () => {
  const after = put("a\n", "x");
  const check = verifyBlock(
    { before: "a\n", after: after.replace("a\n", "b\n"), body: "x" },
    OPTIONS,
  );
  assert.ok(!check.ok);
});

Deno.test("our file is known by its marker, and a change in it is seen", () => {
  for (const content of ["export {};\n", "#!/bin/sh\necho\n", ""]) {
    const options = { comment: content.startsWith("#!") ? "#" : "//" };
    const text = stampOwnFile(content, options);
    assert.equal(text.startsWith("#!"), content.startsWith("#!"));
    assert.equal(inspectOwnFile(text, options).kind, "ours");
    assert.equal(inspectOwnFile(text.replaceAll("\n", "\r\n"), options).kind, "ours");
    assert.equal(inspectOwnFile(text + "x", options).kind, "modified");
    assert.equal(inspectOwnFile(content, options).kind, "foreign");
  }
});

Deno.test("a foreign file is never replaced, a changed one only by force, ours freely", () => {
  const options = { comment: "//" };
  const old = stampOwnFile("v1\n", options);
  assert.deepEqual(planOwnFile(old, "v1\n", options).ok && "same", "same");
  const same = planOwnFile(old, "v1\n", options);
  assert.ok(same.ok && !same.changed);
  const next = planOwnFile(old, "v2\n", options);
  assert.ok(next.ok && next.changed);
  const code = (plan: ReturnType<typeof planOwnFile>) => plan.ok ? "ok" : plan.issue.code;
  assert.equal(code(planOwnFile("mine", "v2\n", { ...options, force: true })), "conflict");
  assert.equal(code(planOwnFile(old + "x", "v2\n", options)), "modified-by-user");
  assert.equal(code(planOwnFile(old + "x", "v2\n", { ...options, force: true })), "ok");
  assert.equal(code(planOwnFileRemoval("mine", options)), "conflict");
  assert.equal(code(planOwnFileRemoval(old, options)), "ok");
});

Deno.test("a format without comments is known by the hashes that were kept", () => {
  const options = { comment: null, knownHashes: [textHash("{}\n")] };
  assert.equal(inspectOwnFile("{}\n", options).kind, "ours");
  assert.equal(inspectOwnFile("{ }\n", options).kind, "foreign");
  assert.equal(stampOwnFile("{}\n", options), "{}\n");
});

/** Laws of the edit engine on random texts with random layout. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { EditOp, TextPlan } from "../../src/installers/edit_op.ts";
import { isTable } from "../../src/installers/read_value.ts";
import { applyEdits, invertEdits } from "../../src/installers/text_edit.ts";
import { planEdit, planUndo } from "../../src/installers/undo.ts";
import { makeNote, type UndoNote } from "../../src/installers/undo_note.ts";
import { type ConfigFormat, readConfig, verifyEdit } from "../../src/installers/verify.ts";
import { jsonText, styledJsonText, tomlText } from "./config_arbitraries.ts";

const RUNS = Number(Deno.env.get("MYTTY_PROPERTY_RUNS") ?? 200);

const OURS = "mytty-hook";

/** Like a provider's recogniser: looks at the commands of a group. */
function holdsOurs(value: unknown): boolean {
  if (!isTable(value) || !Array.isArray(value.hooks)) return false;
  return value.hooks.some((hook) => isTable(hook) && String(hook.command).startsWith(`${OURS} `));
}

function group(command: string) {
  return { matcher: "*", hooks: [{ type: "command", command: `${OURS} ${command}`, timeout: 5 }] };
}

const INSTALL: readonly EditOp[] = [
  { op: "appendToArray", path: ["hooks", "Stop"], value: group("stop") },
  { op: "appendToArray", path: ["hooks", "Start"], value: group("start") },
  { op: "setKey", path: ["features"], key: "hooks", value: true },
];

const REMOVAL: readonly EditOp[] = ["Stop", "Start"].map((event) => ({
  op: "removeWhere",
  path: ["hooks", event],
  where: holdsOurs,
}));

function install(text: string | null, format: ConfigFormat): TextPlan | undefined {
  const plan = planEdit(text, INSTALL, format);
  return plan.ok ? plan : undefined;
}

/** Through JSON, since the note lives in a file. */
function noteFor(plan: TextPlan, format: ConfigFormat, earlier?: UndoNote): UndoNote {
  const options = earlier === undefined ? { format } : { format, earlier };
  return JSON.parse(JSON.stringify(makeNote(plan, options)));
}

function undo(text: string, format: ConfigFormat, note?: UndoNote): string | null {
  const result = planUndo(text, { format, removal: REMOVAL, note });
  assert.ok(result.ok, JSON.stringify(result));
  return result.after === null ? null : result.after.text;
}

function checkInstall(text: string, format: ConfigFormat): TextPlan | undefined {
  const plan = install(text, format);
  if (plan === undefined) return undefined;
  const verified = verifyEdit({ before: text, after: plan.after, ops: INSTALL }, format);
  // A construct that the planner cannot serve may be refused by the proof, but only in TOML.
  if (!verified.ok && format === "toml") return undefined;
  assert.ok(verified.ok, JSON.stringify(verified));
  assert.equal(applyEdits(text, plan.edits), plan.after);
  assert.equal(applyEdits(plan.after, invertEdits(text, plan.edits)), text);
  const eols = new Set(text.match(/\r\n|\n|\r/g));
  if (eols.size === 1) assert.deepEqual(new Set(plan.after.match(/\r\n|\n|\r/g)), eols);
  return plan;
}

function checkAll(text: string, format: ConfigFormat): void {
  const plan = checkInstall(text, format);
  if (plan === undefined) return;
  const again = install(plan.after, format);
  assert.equal(again?.changed, false);
  assert.equal(again?.after, plan.after);
  const note = noteFor(plan, format);
  assert.equal(undo(plan.after, format, note), text);
  const structural = undo(plan.after, format, { ...note, writtenHash: "", hunks: [LOST] });
  assert.deepEqual(readConfig(structural, format), readConfig(text, format));
}

const LOST = { offset: 0, inserted: "@".repeat(40), removed: "", lead: "", trail: "" };

const SOURCES: [string, ConfigFormat, fc.Arbitrary<string>][] = [
  ["JSON of any layout", "strict", jsonText(false)],
  ["JSONC of any layout", "jsonc", jsonText(true)],
  ["JSON as formatters write it", "strict", styledJsonText()],
  ["TOML", "toml", tomlText()],
];

for (const [name, format, texts] of SOURCES) {
  Deno.test(`${name}: an install is verified, idempotent and undone to the original bytes`, () => {
    fc.assert(fc.property(texts, (text) => checkAll(text, format)), { numRuns: RUNS });
  });

  Deno.test(`${name}: most generated texts are installed into`, () => {
    let done = 0;
    const sample = fc.sample(texts, 300);
    for (const text of sample) if (checkInstall(text, format) !== undefined) done++;
    assert.ok(done > sample.length / 3, `only ${done} of ${sample.length}`);
  });

  Deno.test(`${name}: the user's edits elsewhere survive the uninstall byte for byte`, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const plan = checkInstall(text, format);
        if (plan === undefined) return;
        const note = noteFor(plan, format);
        const bom = text.startsWith("\uFEFF") ? 1 : 0;
        const edit = (old: string) => `${old.slice(0, bom)}\n \n${old.slice(bom)}\n\n`;
        assert.equal(undo(edit(plan.after), format, note), edit(text));
      }),
      { numRuns: RUNS },
    );
  });

  Deno.test(`${name}: an upgrade after the user's edit is undone with one note`, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const plan = checkInstall(text, format);
        if (plan === undefined) return;
        const note = noteFor(plan, format);
        const edited = plan.after + "\n";
        const ops: EditOp[] = [
          { op: "removeWhere", path: ["hooks", "Start"], where: holdsOurs },
          { op: "replaceWhere", path: ["hooks", "Stop"], where: holdsOurs, value: group("v2") },
        ];
        const upgrade = planEdit(edited, ops, format);
        assert.ok(upgrade.ok, JSON.stringify(upgrade));
        const check = verifyEdit({ before: edited, after: upgrade.after, ops }, format);
        assert.ok(check.ok, JSON.stringify(check));
        assert.equal(undo(upgrade.after, format, noteFor(upgrade, format, note)), text + "\n");
      }),
      { numRuns: RUNS },
    );
  });

  Deno.test(`${name}: any slip of the user's pen gives a clean uninstall or an issue`, () => {
    const slip = fc.tuple(
      fc.nat(),
      fc.constantFrom("", "x", "\n", ",", '"', "/", "1", "}", "]", "#"),
    );
    fc.assert(
      fc.property(texts, fc.array(slip, { minLength: 1, maxLength: 3 }), (text, slips) => {
        const plan = checkInstall(text, format);
        if (plan === undefined) return;
        let current = plan.after;
        for (const [place, insert] of slips) {
          const at = place % current.length;
          current = current.slice(0, at) + insert + current.slice(insert === "" ? at + 1 : at);
        }
        const options = { format, removal: REMOVAL, note: noteFor(plan, format) };
        const result = planUndo(current, options);
        if (!result.ok || result.after === null) return;
        const again = planUndo(result.after.text, { format, removal: REMOVAL });
        assert.ok(again.ok && !again.changed, JSON.stringify(again));
      }),
      { numRuns: RUNS },
    );
  });

  Deno.test(`${name}: removing any elements is verified`, () => {
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.boolean()), (text, coins) => {
        const picks = [...coins.take(40)];
        let count = 0;
        // The test must answer the same for the planner and for the proof.
        const memory = new Map<string, boolean>();
        const where = (value: unknown) => {
          const key = JSON.stringify(
            value,
            (_key, item) => typeof item === "bigint" ? `${item}` : item,
          );
          if (!memory.has(key)) memory.set(key, picks[count++ % picks.length] ?? false);
          return memory.get(key) ?? false;
        };
        const ops: EditOp[] = ["Stop", "Start", "Other"].map((event) => ({
          op: "removeWhere",
          path: ["hooks", event],
          where,
        }));
        ops.push({ op: "removeKey", path: [], key: "a" });
        const plan = planEdit(text, ops, format);
        if (!plan.ok) return;
        const check = verifyEdit({ before: text, after: plan.after, ops }, format);
        assert.ok(check.ok, JSON.stringify([check, plan.after]));
      }),
      { numRuns: RUNS },
    );
  });
}

Deno.test("any string at all gives a plan or an issue, never a throw", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.constantFrom("strict", "jsonc", "toml"),
      (text, format) => {
        const plan = planEdit(text, INSTALL, format as ConfigFormat);
        if (plan.ok) {
          verifyEdit({ before: text, after: plan.after, ops: INSTALL }, format as ConfigFormat);
        } else assert.match(plan.issue.message, /^Cannot .*[^.]$/s);
      },
    ),
    { numRuns: RUNS * 4 },
  );
});

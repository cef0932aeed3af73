/**
 * Uninstall as the inverse of install. Pure.
 *
 * Two ways lead back: the *textual* one takes out exactly the characters that we put in (and gives
 * the original bytes, whatever the layout was), the *structural* one removes our entries by their
 * value and prunes what we created. The textual result is taken if it means the same as the
 * structural one; so a text that the user moved, reformatted or merged is never damaged.
 */

import { applyOps } from "./apply_ops.ts";
import type { EditOp, InverseOp, PlanResult, Refused } from "./edit_op.ts";
import { planJson } from "./edit_json.ts";
import { planToml } from "./edit_toml.ts";
import { cloneValue, sameValue, splitBom, valueAt } from "./read_value.ts";
import { type UndoNote, undoText } from "./undo_note.ts";
import { type ConfigFormat, readConfig, sameMeaning, verifyEdit } from "./verify.ts";
import { sealText, type VerifiedText } from "./verified_text.ts";

export interface UndoPlan {
  readonly ok: true;
  readonly changed: boolean;
  /** `null`: nothing but what we created is left; remove the file. */
  readonly after: VerifiedText | null;
  /** Whether our characters were taken out one by one, all others kept as they are. */
  readonly exact: boolean;
}

export interface UndoOptions {
  readonly format: ConfigFormat;
  /** Removes everything that is recognised as ours, of older releases too. */
  readonly removal: readonly EditOp[];
  readonly note?: UndoNote | undefined;
}

/** Plans operations on a text of any format. */
export function planEdit(
  text: string | null,
  ops: readonly EditOp[],
  format: ConfigFormat,
): PlanResult {
  return format === "toml" ? planToml(text, ops) : planJson(text, ops, { mode: format });
}

function inverseStep(op: InverseOp, value: unknown): EditOp | undefined {
  switch (op.undo) {
    case "removeEqual":
      return {
        op: "removeWhere",
        path: op.path,
        where: (item) => sameValue(item, op.value),
      };
    case "prune":
      return { op: "pruneEmpty", path: op.path };
    case "setBack": {
      const now = valueAt(value, [...op.path, op.key]);
      // What the user has changed since is the user's.
      if (!sameValue(now, op.ours)) return undefined;
      if (op.previous === undefined) return { op: "removeKey", path: op.path, key: op.key };
      return { op: "setKey", path: op.path, key: op.key, value: op.previous };
    }
  }
}

/** The operations that undo ours on the document as it is now. */
function structuralOps(value: unknown, options: UndoOptions): EditOp[] {
  const ops: EditOp[] = [];
  // A copy for each operation would make it as many times the document as there are hooks.
  let now = cloneValue(value);
  const add = (op: EditOp) => {
    const next = applyOps(now, [op], { after: undefined, isOwned: true });
    // An operation that no longer fits the document has nothing left to undo.
    if (!next.ok) return;
    now = next.value;
    ops.push(op);
  };
  options.removal.forEach(add);
  for (const inverse of [...options.note?.inverse ?? []].reverse()) {
    const op = inverseStep(inverse, now);
    if (op !== undefined) add(op);
  }
  return ops;
}

interface Structural {
  readonly ok: true;
  readonly text: string;
  readonly value: unknown;
  readonly ops: readonly EditOp[];
}

function textual(current: string, plain: Structural, options: UndoOptions): string | undefined {
  const { note, format, removal } = options;
  const undone = note === undefined ? undefined : undoText(current, note);
  if (undone === undefined) return undefined;
  // The original may have held older entries of ours, which are not to come back.
  const plan = planEdit(undone, removal, format);
  if (!plan.ok) return undefined;
  const read = readConfig(plan.after, format);
  const { value, ops } = plain;
  const same = read.ok && sameMeaning(read.value, value, { format, ops });
  return same ? plan.after : undefined;
}

function structural(current: string, options: UndoOptions): Structural | Refused {
  const read = readConfig(current, options.format);
  if (!read.ok) return read;
  const ops = structuralOps(read.value, options);
  const plan = planEdit(current, ops, options.format);
  if (!plan.ok) return plan;
  const check = verifyEdit({ before: current, after: plan.after, ops }, options.format);
  if (!check.ok) return check;
  const after = readConfig(plan.after, options.format);
  return after.ok ? { ok: true, text: plan.after, value: after.value, ops } : after;
}

/**
 * Plans the removal of everything of ours from a text.
 *
 * @param current The file's text now; null = there is no file, so nothing to do.
 * @returns The text to write, verified; or an issue, and the file is to be left alone.
 */
export function planUndo(current: string | null, options: UndoOptions): UndoPlan | Refused {
  if (current === null) return { ok: true, changed: false, after: null, exact: true };
  const plain = structural(current, options);
  if (!plain.ok) return plain;
  const exact = textual(current, plain, options);
  const text = exact ?? plain.text;
  const left = splitBom(text).body.trim();
  const ours = (options.note?.fileCreated ?? false) && (left === "" || left === "{}");
  return {
    ok: true,
    changed: ours || text !== current,
    after: ours ? null : sealText(text),
    exact: exact !== undefined,
  };
}

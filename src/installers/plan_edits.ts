/** Runs operations one after another on a text and folds their edits into one plan. Pure. */

import type { EditOp, InverseOp, PlanResult, Refused } from "./edit_op.ts";
import { splitBom } from "./read_value.ts";
import { applyEdits, composeEdits, type TextEdit, trimEdits } from "./text_edit.ts";

/** What one operation does to the text as it then is. */
export interface Step {
  readonly ok: true;
  readonly edits: readonly TextEdit[];
  readonly inverse: readonly InverseOp[];
}

export const NOTHING: Step = { ok: true, edits: [], inverse: [] };

export type StepRunner = (body: string, op: EditOp) => Step | Refused;

/** `seed`: what a blank text is taken for before the first operation. */
export function planEdits(
  text: string | null,
  ops: readonly EditOp[],
  options: { readonly step: StepRunner; readonly seed: (body: string) => string },
): PlanResult {
  const { bom, body } = splitBom(text ?? "");
  const seeded = options.seed(body);
  let current = seeded;
  let edits: TextEdit[] = seeded === body ? [] : [{ offset: 0, length: body.length, text: seeded }];
  const inverse: InverseOp[] = [];
  for (const op of ops) {
    const step = options.step(current, op);
    if (!step.ok) return step;
    current = applyEdits(current, step.edits);
    edits = composeEdits(edits, step.edits);
    inverse.push(...step.inverse);
  }
  // A blank text that no operation fills stays as it is.
  const trimmed = current === seeded ? [] : trimEdits(body, edits);
  const shifted = trimmed.map((edit) => ({ ...edit, offset: edit.offset + bom.length }));
  const after = applyEdits(text ?? "", shifted);
  const changed = shifted.length > 0;
  return { ok: true, before: text, after, changed, edits: shifted, inverse };
}

/**
 * Minimal text edits in TOML. Pure: text and operations in, a plan or an issue out.
 *
 * Elements of arrays of tables go to the end of the file, where a header is always at the right
 * level; keys go into the table that they belong to, be it written with a header, dotted or inline.
 * Constructs that would need more than that are refused, never risked.
 */

import type { EditOp, PlanResult } from "./edit_op.ts";
import { planEdits } from "./plan_edits.ts";
import { tomlStep } from "./toml_step.ts";

/**
 * Plans the operations on a TOML text.
 *
 * @param text The file's text; null = there is no file.
 * @returns The plan, or an issue; nothing is thrown, whatever the text is.
 */
export function planToml(text: string | null, ops: readonly EditOp[]): PlanResult {
  return planEdits(text, ops, { step: tomlStep, seed: (body) => body });
}

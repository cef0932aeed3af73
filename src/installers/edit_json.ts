/**
 * Minimal text edits in JSON and JSONC. Pure: text and operations in, a plan or an issue out.
 *
 * Everything outside the edited ranges stays byte for byte: comments, key order, indentation, line
 * endings, byte order mark, commas, final newline. With duplicate keys the last one counts, as it
 * does for the programs that read these files.
 */

import type { EditOp, PlanResult } from "./edit_op.ts";
import { jsonSteps } from "./json_step.ts";
import { dominantEol } from "./json_style.ts";
import { planEdits } from "./plan_edits.ts";
import { isBlank, type JsonMode } from "./read_value.ts";

/**
 * Plans the operations on a JSON text.
 *
 * @param text The file's text; null = there is no file. A blank text counts as `{}`.
 * @param options.mode `strict` refuses comments and trailing commas, as the file's reader does.
 * @returns The plan, or an issue; nothing is thrown, whatever the text is.
 */
export function planJson(
  text: string | null,
  ops: readonly EditOp[],
  options: { readonly mode: JsonMode },
): PlanResult {
  return planEdits(text, ops, {
    step: jsonSteps(options),
    seed: (body) => isBlank(body) ? `{}${dominantEol(body)}` : body,
  });
}

/**
 * Proves an edited text before it is written: parsed anew it must mean what was intended, and every
 * foreign entry must be what it was. Nothing is written without it. Pure.
 */

import { applyOps } from "./apply_ops.ts";
import { type ConfigPath, type EditOp, refuse, type Refused } from "./edit_op.ts";
import {
  cloneValue,
  isTable,
  jsonComments,
  type JsonMode,
  readJson,
  type ReadResult,
  readToml,
  sameValue,
  splitBom,
  valueAt,
} from "./read_value.ts";
import { sealText, type VerifiedText } from "./verified_text.ts";

export type VerifyResult = { readonly ok: true; readonly text: VerifiedText } | Refused;

/** Recognises what belongs to us: an array element or a keyed value, with its path. */
export type OwnershipTest = (value: unknown, path: ConfigPath) => boolean;

export interface VerifyInput {
  readonly before: string | null;
  readonly after: string;
  readonly ops: readonly EditOp[];
  /** If given, what is left without our entries must be equal before and after. */
  readonly owns?: OwnershipTest;
}

export type ConfigFormat = JsonMode | "toml";

/** Reads a text of a format; see `readJson` and `readToml`. */
export function readConfig(text: string | null, format: ConfigFormat): ReadResult {
  return format === "toml" ? readToml(text) : readJson(text, format);
}

function failed(what: string): Refused {
  return refuse("not-verified", `Cannot verify the edit: ${what}`);
}

/** Removes our entries, and the containers that are empty without them. */
function foreignPart(value: unknown, path: ConfigPath, owns: OwnershipTest): unknown {
  if (Array.isArray(value)) {
    const kept = value.flatMap((item, index) => {
      const part = owns(item, [...path, index])
        ? undefined
        : foreignPart(item, [...path, index], owns);
      return part === undefined ? [] : [part];
    });
    return kept.length === 0 ? undefined : kept;
  }
  if (!isTable(value)) return value;
  const kept = Object.entries(value).flatMap(([key, item]) => {
    const at = [...path, key];
    const part = owns(item, at) ? undefined : foreignPart(item, at, owns);
    return part === undefined ? [] : [[key, part] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** In TOML an array of no tables, and a table without a header of its own, are just not there. */
function dropEmptyAlong(root: unknown, ops: readonly EditOp[]): unknown {
  const value = cloneValue(root);
  for (const { path } of ops) {
    for (let end = path.length; end > 0; end--) {
      const parent = valueAt(value, path.slice(0, end - 1));
      const key = path[end - 1];
      const item = valueAt(value, path.slice(0, end));
      const empty = Array.isArray(item)
        ? item.length === 0
        : isTable(item) && Object.keys(item).length === 0;
      if (empty && isTable(parent) && typeof key === "string") delete parent[key];
    }
  }
  return value;
}

/** Equality of two documents; in TOML emptied arrays and tables count as absent. */
export function sameMeaning(
  a: unknown,
  b: unknown,
  options: { readonly format: ConfigFormat; readonly ops: readonly EditOp[] },
): boolean {
  if (options.format !== "toml") return sameValue(a, b);
  return sameValue(dropEmptyAlong(a, options.ops), dropEmptyAlong(b, options.ops));
}

/** Only an operation that takes something away may take the comments inside it along. */
function onlyAdds(ops: readonly EditOp[], before: unknown): boolean {
  return ops.every((op) =>
    op.op === "appendToArray" ||
    (op.op === "setKey" && valueAt(before, [...op.path, op.key]) === undefined)
  );
}

function lostComment(before: string, after: string): boolean {
  const kept = jsonComments(after);
  let cursor = 0;
  return jsonComments(before).some((comment) => {
    const found = kept.indexOf(comment, cursor);
    cursor = found + 1;
    return found < 0;
  });
}

/** Verifies an edit of a text of any format that has values. */
export function verifyEdit(input: VerifyInput, format: ConfigFormat): VerifyResult {
  const before = readConfig(input.before, format);
  if (!before.ok) return before;
  const after = readConfig(input.after, format);
  if (!after.ok) return failed("the new text cannot be parsed");
  const intended = applyOps(before.value, input.ops, { after: after.value });
  if (!intended.ok) return intended;
  if (!sameMeaning(intended.value, after.value, { format, ops: input.ops })) {
    return failed("the new text does not mean what was intended");
  }
  if (sameValue(before.value, intended.value) && input.after !== (input.before ?? "")) {
    return failed("the text would change although nothing is to be changed");
  }
  const { owns } = input;
  if (
    owns !== undefined &&
    !sameValue(foreignPart(before.value, [], owns), foreignPart(after.value, [], owns))
  ) {
    return failed("a foreign entry would change");
  }
  const keepsAll = format === "jsonc" && onlyAdds(input.ops, before.value);
  if (keepsAll && lostComment(input.before ?? "", input.after)) {
    return failed("a comment would be lost");
  }
  if (splitBom(input.before ?? "").bom !== splitBom(input.after).bom) {
    return failed("the byte order mark would change");
  }
  return { ok: true, text: sealText(input.after) };
}

/** Verifies a plan of `planJson`. */
export function verifyJson(input: VerifyInput, options: { readonly mode: JsonMode }): VerifyResult {
  return verifyEdit(input, options.mode);
}

/** Verifies a plan of `planToml`. */
export function verifyToml(input: VerifyInput): VerifyResult {
  return verifyEdit(input, "toml");
}

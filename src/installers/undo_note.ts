/**
 * What is kept, in the state directory, to undo our edits exactly: the texts that we put in and
 * took out, with a little of what stood around them. JSON-serialisable. Pure.
 */

import { createHash } from "node:crypto";
import type { InverseOp, TextPlan } from "./edit_op.ts";
import { readConfig } from "./verify.ts";
import type { ConfigFormat } from "./verify.ts";
import { sameValue, valueAt } from "./read_value.ts";
import { applyEdits, composeEdits, invertEdits, type TextEdit, trimEdits } from "./text_edit.ts";

export interface UndoHunk {
  /** In the text that we wrote. */
  readonly offset: number;
  readonly inserted: string;
  readonly removed: string;
  /** What stood before and after it in the text that we wrote. */
  readonly lead: string;
  readonly trail: string;
}

export interface UndoNote {
  readonly version: 1;
  /** There was no file before us. */
  readonly fileCreated: boolean;
  /** SHA-256 of the text that we wrote. */
  readonly writtenHash: string;
  readonly hunks: readonly UndoHunk[];
  readonly inverse: readonly InverseOp[];
}

const CONTEXT = 48;
const SHORT_CONTEXT = 12;
/** A text shorter than this says too little about its place. */
const LEAST_NEEDLE = 8;

/** SHA-256 of a text's UTF-8 bytes, in hexadecimal. */
export function textHash(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

function hunksOf(original: string, edits: readonly TextEdit[]): UndoHunk[] {
  const written = applyEdits(original, edits);
  return invertEdits(original, edits).map((inverse) => {
    const end = inverse.offset + inverse.length;
    return {
      offset: inverse.offset,
      inserted: written.slice(inverse.offset, end),
      removed: inverse.text,
      lead: written.slice(Math.max(0, inverse.offset - CONTEXT), inverse.offset),
      trail: written.slice(end, end + CONTEXT),
    };
  });
}

function findOnce(text: string, needle: string): number | undefined {
  if (needle.length < LEAST_NEEDLE) return undefined;
  const found = text.indexOf(needle);
  return found >= 0 && text.indexOf(needle, found + 1) < 0 ? found : undefined;
}

/** Where the hunk was put; a note that was damaged itself may say anything. */
function inPlace(text: string, { offset, inserted, removed }: UndoHunk): TextEdit | undefined {
  const isThere = text.startsWith(inserted, offset) && offset + inserted.length <= text.length;
  return isThere ? { offset, length: inserted.length, text: removed } : undefined;
}

/** Finds the hunk in a text that was edited since; an ambiguous place is no place. */
function locate(text: string, hunk: UndoHunk): TextEdit | undefined {
  const sizes: [number, number][] = [
    [CONTEXT, CONTEXT],
    [CONTEXT, 0],
    [0, CONTEXT],
    [SHORT_CONTEXT, SHORT_CONTEXT],
    [0, 0],
  ];
  for (const [before, after] of sizes) {
    const lead = before === 0 ? "" : hunk.lead.slice(-before);
    const found = findOnce(text, lead + hunk.inserted + hunk.trail.slice(0, after));
    if (found === undefined) continue;
    return { offset: found + lead.length, length: hunk.inserted.length, text: hunk.removed };
  }
  return undefined;
}

/** The edits that take our hunks out of a text; `undefined` if one cannot be found for certain. */
export function undoEdits(text: string, note: UndoNote): TextEdit[] | undefined {
  const isAsWritten = textHash(text) === note.writtenHash;
  const edits: TextEdit[] = [];
  let cursor = 0;
  for (const hunk of note.hunks) {
    const edit = isAsWritten ? inPlace(text, hunk) : locate(text, hunk);
    if (edit === undefined || edit.offset < cursor) return undefined;
    edits.push(edit);
    cursor = edit.offset + edit.length;
  }
  return edits;
}

/** The text without our hunks, everything else kept; see `undoEdits`. */
export function undoText(text: string, note: UndoNote): string | undefined {
  const edits = undoEdits(text, note);
  return edits === undefined ? undefined : applyEdits(text, edits);
}

function mergeInverse(old: readonly InverseOp[], plan: TextPlan, value: unknown): InverseOp[] {
  const seen = new Set<string>();
  return [...old, ...plan.inverse].filter((op) => {
    const key = JSON.stringify(op);
    // A step set back twice is not the same as once; the other kinds are.
    if (op.undo !== "setBack" && seen.has(key)) return false;
    seen.add(key);
    if (op.undo !== "removeEqual") return true;
    const array = valueAt(value, op.path);
    return Array.isArray(array) && array.some((item) => sameValue(item, op.value));
  });
}

/**
 * The note for a plan that is about to be written.
 *
 * @param options.earlier The note of our last write to this file. The new note covers both, also
 * if the user edited the file in between.
 */
export function makeNote(
  plan: TextPlan,
  options: { readonly format: ConfigFormat | "text"; readonly earlier?: UndoNote },
): UndoNote {
  const { format, earlier } = options;
  const read = format === "text" ? undefined : readConfig(plan.after, format);
  const value = read?.ok ? read.value : undefined;
  const before = plan.before ?? "";
  const back = earlier === undefined || plan.before === null
    ? undefined
    : undoEdits(before, earlier);
  const original = back === undefined ? before : applyEdits(before, back);
  const edits = back === undefined
    ? plan.edits
    : composeEdits(invertEdits(before, back), plan.edits);
  return {
    version: 1,
    fileCreated: plan.before === null || (earlier?.fileCreated ?? false),
    writtenHash: textHash(plan.after),
    hunks: hunksOf(original, trimEdits(original, edits)),
    inverse: mergeInverse(plan.before === null ? [] : earlier?.inverse ?? [], plan, value),
  };
}

/**
 * Our marked block in a plain-text file (shell start-up files, INI-like configs). Pure.
 *
 * The opening mark carries a hash of the body, so that a block that the user changed is told from
 * one that an older release wrote.
 */

import { createHash } from "node:crypto";
import { type PlanResult, refuse, type Refused } from "./edit_op.ts";
import { dominantEol } from "./json_style.ts";
import { applyEdits, type TextEdit } from "./text_edit.ts";
import { sealText } from "./verified_text.ts";
import type { VerifyResult } from "./verify.ts";

export interface BlockOptions {
  /** Tells several blocks in one file apart. */
  readonly id: string;
  /** What begins a comment line in this file: `#`, `//`, `;`. */
  readonly comment: string;
}

export interface BlockSpan {
  /** The block with both marks, its last line ending included. */
  readonly start: number;
  readonly end: number;
  readonly body: string;
  /** Whether the body is what we wrote. */
  readonly intact: boolean;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** The first 16 digits of a SHA-256; line endings do not count, tools convert them. */
export function bodyHash(body: string): string {
  const plain = body.replace(/\r\n?/g, "\n");
  return createHash("sha256").update(plain, "utf8").digest("hex").slice(0, 16);
}

/** Finds our blocks; an opening mark without its end is an issue, since the extent is unknown. */
export function findBlocks(
  text: string,
  options: BlockOptions,
): { readonly ok: true; readonly blocks: readonly BlockSpan[] } | Refused {
  const [comment, id] = [escapeRegExp(options.comment), escapeRegExp(options.id)];
  const mark = new RegExp(
    `^[ \\t]*${comment} (?:>>> mytty ${id} ([0-9a-f]{16}) >>>|(<<< mytty ${id} <<<))[ \\t]*(?:\\r\\n|\\n|\\r|$)`,
    "gm",
  );
  const blocks: BlockSpan[] = [];
  let open: { start: number; bodyStart: number; hash: string } | undefined;
  for (const match of text.matchAll(mark)) {
    const end = match.index + match[0].length;
    const isEnd = match[2] !== undefined;
    if (isEnd === (open === undefined)) {
      return refuse("unsupported", `Cannot edit the block ${options.id}: its marks do not pair up`);
    }
    if (open === undefined) open = { start: match.index, bodyStart: end, hash: match[1] ?? "" };
    else {
      const body = text.slice(open.bodyStart, match.index);
      blocks.push({ start: open.start, end, body, intact: bodyHash(body) === open.hash });
      open = undefined;
    }
  }
  if (open === undefined) return { ok: true, blocks };
  return refuse("unsupported", `Cannot edit the block ${options.id}: its end mark is missing`);
}

function blockText(body: string, options: BlockOptions & { readonly eol: string }): string {
  const { comment, id, eol } = options;
  const lines = body.replace(/\r\n?/g, "\n").replace(/\n?$/, "\n").replaceAll("\n", eol);
  const head = `${comment} >>> mytty ${id} ${bodyHash(lines)} >>>`;
  return `${head}${eol}${lines}${comment} <<< mytty ${id} <<<`;
}

function finish(text: string | null, edits: readonly TextEdit[]): PlanResult {
  const after = applyEdits(text ?? "", edits);
  const changed = after !== (text ?? "");
  return { ok: true, before: text, after, changed, edits: changed ? edits : [], inverse: [] };
}

/** Exactly what `planBlock` added: where the text had no last line ending, the block brought it. */
function removal(text: string, { start, end }: BlockSpan): TextEdit {
  const isUnclosed = end === text.length && !/[\r\n]$/.test(text);
  const lead = isUnclosed ? /(?:\r\n|\n|\r)$/.exec(text.slice(0, start))?.[0].length ?? 0 : 0;
  return { offset: start - lead, length: end - start + lead, text: "" };
}

/**
 * Plans that the text holds our block exactly once, with this body: in place if there is one
 * already, else at the end.
 */
export function planBlock(
  text: string | null,
  body: string,
  options: BlockOptions,
): PlanResult {
  const found = findBlocks(text ?? "", options);
  if (!found.ok) return found;
  const old = text ?? "";
  const eol = dominantEol(old);
  const block = blockText(body, { ...options, eol });
  const [first, ...copies] = found.blocks;
  if (first !== undefined) {
    const tail = /(?:\r\n|\n|\r)?$/.exec(old.slice(first.start, first.end))?.[0] ?? "";
    const edit = { offset: first.start, length: first.end - first.start, text: block + tail };
    return finish(text, [edit, ...copies.map((copy) => removal(old, copy))]);
  }
  const closed = old === "" || /[\r\n]$/.test(old);
  const added = closed ? block + eol : eol + block;
  return finish(text, [{ offset: old.length, length: 0, text: added }]);
}

/** Plans that the text holds no block of ours. */
export function planBlockRemoval(text: string | null, options: BlockOptions): PlanResult {
  const found = findBlocks(text ?? "", options);
  if (!found.ok) return found;
  return finish(text, found.blocks.map((block) => removal(text ?? "", block)));
}

function withoutBlocks(text: string, options: BlockOptions): string | undefined {
  const found = findBlocks(text, options);
  if (!found.ok) return undefined;
  let rest = text;
  for (const { start, end } of [...found.blocks].reverse()) {
    rest = rest.slice(0, start) + rest.slice(end);
  }
  return rest.trimEnd();
}

/** Proves that nothing outside our blocks changed, and that the body is the wanted one or absent. */
export function verifyBlock(
  input: { readonly before: string | null; readonly after: string; readonly body: string | null },
  options: BlockOptions,
): VerifyResult {
  const failed = (what: string) => refuse("not-verified", `Cannot verify the block: ${what}`);
  const found = findBlocks(input.after, options);
  if (!found.ok) return found;
  if (found.blocks.length !== (input.body === null ? 0 : 1)) return failed("it is not there once");
  const [block] = found.blocks;
  const wanted = input.body?.replace(/\r\n?/g, "\n").replace(/\n?$/, "\n");
  if (block !== undefined && (!block.intact || bodyHash(block.body) !== bodyHash(wanted ?? ""))) {
    return failed("its body is not the wanted one");
  }
  const squeeze = (text: string) => withoutBlocks(text, options)?.replace(/(?:\r\n|\n|\r)+/g, "\n");
  if (squeeze(input.before ?? "") !== squeeze(input.after)) {
    return failed("other text would change");
  }
  return { ok: true, text: sealText(input.after) };
}

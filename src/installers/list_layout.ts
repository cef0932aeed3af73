/**
 * A bracketed list (JSON array or object, TOML array or inline table) and where to insert into it
 * so that its layout, its comments and its commas stay right. Pure; knows brackets, items, commas
 * and comments, and nothing of the language.
 */

import type { TextEdit } from "./text_edit.ts";

export interface ListItem {
  readonly start: number;
  readonly end: number;
  /** Offset of the comma that follows the item, if there is one. */
  readonly comma?: number;
}

export interface ListComment {
  readonly start: number;
  readonly end: number;
  /** Ends with its line. */
  readonly line: boolean;
}

export interface ListSpan {
  /** Just after the opening bracket. */
  readonly open: number;
  /** The closing bracket. */
  readonly close: number;
  readonly items: readonly ListItem[];
  /** Those directly inside this list, outside its items. */
  readonly comments: readonly ListComment[];
}

export interface ListStyle {
  readonly eol: string;
  readonly unit: string;
  /** Between a comma and the next item on the same line. */
  readonly gap: string;
  /** Whether an empty list is filled on its own line. */
  readonly compact: boolean;
}

/** Writes the item: over several lines from this indentation, or on one line if it is undefined. */
export type ItemPrinter = (indent: string | undefined) => string;

function lineStart(text: string, offset: number): number {
  let start = offset;
  while (start > 0 && text[start - 1] !== "\n" && text[start - 1] !== "\r") start--;
  return start;
}

/** The white space that begins the line of this offset. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? "";
}

/** Whether only white space precedes the offset on its line. */
export function isFirstOnLine(text: string, offset: number): boolean {
  const start = lineStart(text, offset);
  return start > 0 && /^[ \t]*$/.test(text.slice(start, offset));
}

/** The end of the last bracket, item, comma or comment of the list at or before the offset. */
export function tokenEndBefore(list: ListSpan, offset: number): number {
  let end = list.open;
  const see = (candidate: number) => {
    if (candidate <= offset && candidate > end) end = candidate;
  };
  for (const item of list.items) {
    see(item.end);
    if (item.comma !== undefined) see(item.comma + 1);
  }
  for (const comment of list.comments) see(comment.end);
  return end;
}

function inlineGap(text: string, list: ListSpan, style: ListStyle): string {
  const last = list.items.at(-1);
  const comma = list.items.at(-2)?.comma;
  if (last === undefined || comma === undefined) return style.gap;
  const between = text.slice(comma + 1, last.start);
  return /^[ \t]*$/.test(between) ? between : style.gap;
}

function insertFirst(
  text: string,
  list: ListSpan,
  options: { style: ListStyle; print: ItemPrinter },
): TextEdit[] {
  const { style, print } = options;
  const tail = tokenEndBefore(list, list.close);
  const gap = text.slice(tail, list.close);
  if (style.compact && !list.comments.some((comment) => comment.line)) {
    if (tail > list.open) return [{ offset: tail, length: 0, text: " " + print(undefined) }];
    return [{ offset: tail, length: gap.length, text: print(undefined) }];
  }
  const base = indentAt(text, list.open - 1);
  const item = style.eol + base + style.unit + print(base + style.unit);
  // A closing bracket that has its own line keeps it, so that the edit is a pure insertion.
  if (/[\r\n]/.test(gap)) return [{ offset: tail, length: 0, text: item }];
  return [{ offset: tail, length: gap.length, text: item + style.eol + base }];
}

/** Edits that make the printed item the last of the list. */
export function insertLast(
  text: string,
  list: ListSpan,
  options: { style: ListStyle; print: ItemPrinter },
): TextEdit[] {
  const { style, print } = options;
  const last = list.items.at(-1);
  if (last === undefined) return insertFirst(text, list, options);
  const tail = tokenEndBefore(list, list.close);
  const belowComment = list.comments.some((comment) => comment.line && comment.end === tail);
  let lead: string;
  let item: string;
  if (isFirstOnLine(text, last.start) || belowComment) {
    const indent = isFirstOnLine(text, last.start)
      ? indentAt(text, last.start)
      : indentAt(text, list.open - 1) + style.unit;
    lead = style.eol + indent;
    item = print(indent);
  } else {
    lead = inlineGap(text, list, style);
    // Brackets that hug (`[{` newline) go on hugging.
    const hugging = /[\r\n]/.test(text.slice(last.start, last.end));
    item = print(hugging ? indentAt(text, last.start) : undefined);
  }
  if (last.comma !== undefined) return [{ offset: tail, length: 0, text: lead + item + "," }];
  if (last.end === tail) return [{ offset: tail, length: 0, text: "," + lead + item }];
  return [{ offset: last.end, length: 0, text: "," }, {
    offset: tail,
    length: 0,
    text: lead + item,
  }];
}

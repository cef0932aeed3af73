/** How an item leaves a bracketed list: with its comma and its line, without any comment. Pure. */

import { isFirstOnLine, type ListItem, type ListSpan, tokenEndBefore } from "./list_layout.ts";
import type { TextEdit } from "./text_edit.ts";

interface Range {
  start: number;
  end: number;
}

/** Joins ranges with only white space between them. */
function deletions(text: string, ranges: readonly Range[]): TextEdit[] {
  const merged: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const previous = merged.at(-1);
    if (previous !== undefined && /^\s*$/.test(text.slice(previous.end, range.start))) {
      previous.end = Math.max(previous.end, range.end);
    } else merged.push({ ...range });
  }
  return merged.map(({ start, end }) => ({ offset: start, length: end - start, text: "" }));
}

function skipBlanks(text: string, offset: number): number {
  let end = offset;
  while (text[end] === " " || text[end] === "\t") end++;
  return end;
}

function endsLine(text: string, offset: number): boolean {
  const next = text[skipBlanks(text, offset)];
  return next === undefined || next === "\n" || next === "\r";
}

/** A list that holds only this item. */
function removeOnly(text: string, list: ListSpan, item: ListItem): TextEdit[] {
  if (list.comments.length === 0) {
    return [{ offset: list.open, length: list.close - list.open, text: "" }];
  }
  return deletions(text, [itemRange(text, list, item), ...commaRange(item)]);
}

function commaRange(item: ListItem): Range[] {
  return item.comma === undefined ? [] : [{ start: item.comma, end: item.comma + 1 }];
}

/** The item with the white space before it, unless a line comment would swallow what follows. */
function itemRange(text: string, list: ListSpan, item: ListItem): Range {
  const start = tokenEndBefore(list, item.start);
  const end = item.comma !== undefined && /^\s*$/.test(text.slice(item.end, item.comma))
    ? item.comma + 1
    : item.end;
  const belowComment = list.comments.some((comment) => comment.line && comment.end === start);
  if (belowComment && !endsLine(text, end)) return { start: item.start, end: item.end };
  return { start, end: item.end };
}

/** Edits that remove one item, its comma and its line; comments stay. */
export function removeItem(text: string, list: ListSpan, index: number): TextEdit[] {
  const item = list.items[index];
  if (item === undefined) return [];
  if (list.items.length === 1) return removeOnly(text, list, item);
  const previous = list.items[index - 1];
  const next = list.items[index + 1];
  if (next === undefined) {
    // The comma before us was ours, unless the list keeps a comma at its end.
    const comma = item.comma === undefined && previous !== undefined
      ? commaRange(previous)
      : commaRange(item);
    return deletions(text, [itemRange(text, list, item), ...comma]);
  }
  const comma = item.comma ?? item.end;
  const noted = list.comments.some((comment) =>
    comment.start >= item.end && comment.start < next.start &&
    !/[\r\n]/.test(text.slice(item.end, comment.start))
  );
  const inlineHead = previous === undefined && !isFirstOnLine(text, item.start);
  // A comment beside the item, or a neighbour on its line, moves to where the item began.
  if (noted || inlineHead) {
    const end = skipBlanks(text, comma + 1);
    return deletions(text, [{ start: item.start, end: item.end }, { start: comma, end }]);
  }
  return deletions(text, [itemRange(text, list, item), { start: comma, end: comma + 1 }]);
}

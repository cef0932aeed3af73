/** How a JSON text is laid out, and values printed in that layout. Pure. */

import type { ConfigValue } from "./edit_op.ts";
import { indentAt, isFirstOnLine, type ListStyle } from "./list_layout.ts";
import type { JsonNode } from "./json_tree.ts";

export interface JsonStyle extends ListStyle {
  /** Between a key and its value. */
  readonly colon: string;
}

/** The line ending that the text uses most; LF if it has none. */
export function dominantEol(text: string): string {
  const counts = new Map<string, number>([["\n", 0], ["\r\n", 0], ["\r", 0]]);
  for (const eol of text.match(/\r\n|\n|\r/g) ?? []) counts.set(eol, (counts.get(eol) ?? 0) + 1);
  let best = "\n";
  for (const [eol, count] of counts) if (count > (counts.get(best) ?? 0)) best = eol;
  return best;
}

function findUnit(body: string, node: JsonNode): string | undefined {
  if (node.type === "object" || node.type === "array") {
    const base = indentAt(body, node.offset);
    for (const child of node.children ?? []) {
      if (!isFirstOnLine(body, child.offset)) continue;
      const indent = indentAt(body, child.offset);
      if (indent.length > base.length && indent.startsWith(base)) return indent.slice(base.length);
    }
  }
  for (const child of node.children ?? []) {
    const unit = findUnit(body, child);
    if (unit !== undefined) return unit;
  }
  return undefined;
}

function findColon(body: string, node: JsonNode): string | undefined {
  if (node.type === "property") {
    const [key, value] = node.children ?? [];
    if (key === undefined || value === undefined) return undefined;
    const between = body.slice(key.offset + key.length, value.offset);
    return /^[ \t]*:[ \t]*$/.test(between) ? between : undefined;
  }
  for (const child of node.children ?? []) {
    const colon = findColon(body, child);
    if (colon !== undefined) return colon;
  }
  return undefined;
}

/** Reads the style off the document; a document without layout is written with two spaces. */
export function detectStyle(body: string, root: JsonNode): JsonStyle {
  const filled = (root.children ?? []).length > 0;
  const compact = filled && !/[\r\n]/.test(body.slice(root.offset, root.offset + root.length));
  const colon = findColon(body, root) ?? ": ";
  return {
    eol: dominantEol(body),
    unit: findUnit(body, root) ?? "  ",
    colon,
    gap: colon.endsWith(":") && compact ? "" : " ",
    compact,
  };
}

/** Prints a value: over several lines, the first without indentation, or on one line. */
export function printJson(
  value: ConfigValue,
  style: JsonStyle,
  options: { indent: string | undefined },
): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = options.indent === undefined ? undefined : options.indent + style.unit;
  const print = (item: ConfigValue) => printJson(item, style, { indent: inner });
  const items = Array.isArray(value) ? value.map(print) : Object.entries(value).map(
    ([key, item]) => JSON.stringify(key) + style.colon + print(item),
  );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (items.length === 0) return `${open}${close}`;
  if (inner === undefined) return open + items.join("," + style.gap) + close;
  const lines = items.map((item) => style.eol + inner + item).join(",");
  return open + lines + style.eol + options.indent + close;
}

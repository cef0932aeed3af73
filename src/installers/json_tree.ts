/** JSON/JSONC text -> syntax tree with the offsets of brackets, commas and comments. Pure. */

import { createScanner, type Node, parseTree } from "jsonc-parser";
import { type ConfigPath, refuse, type Refused } from "./edit_op.ts";
import type { ListComment, ListItem, ListSpan } from "./list_layout.ts";
import { type JsonMode, readJson } from "./read_value.ts";

export type JsonNode = Node;

/** Parses a text without byte order mark; anything doubtful is an issue. */
export function parseJsonTree(
  body: string,
  mode: JsonMode,
): { readonly ok: true; readonly root: JsonNode; readonly value: unknown } | Refused {
  const read = readJson(body, mode);
  if (!read.ok) return read;
  const errors: { offset: number }[] = [];
  let root: JsonNode | undefined;
  try {
    root = parseTree(body, errors as never, {
      allowTrailingComma: mode === "jsonc",
      disallowComments: mode === "strict",
    });
  } catch {
    return refuse("invalid-text", "Cannot read JSON: it is nested too deeply");
  }
  const first = errors[0];
  if (first !== undefined || root === undefined) {
    const line = body.slice(0, first?.offset ?? 0).split(/\r\n|\n|\r/).length;
    return refuse("invalid-text", `Cannot read JSON: unexpected text in line ${line}`);
  }
  return { ok: true, root, value: read.value };
}

/** All properties with this key, in order. */
export function propertiesOf(node: JsonNode, key: string): JsonNode[] {
  if (node.type !== "object") return [];
  return (node.children ?? []).filter((property) => property.children?.[0]?.value === key);
}

/** The value of a key: of the last duplicate, as JSON readers take it. */
export function propertyValue(node: JsonNode, key: string): JsonNode | undefined {
  return propertiesOf(node, key).at(-1)?.children?.[1];
}

/** The node at a path. */
export function nodeAt(root: JsonNode, path: ConfigPath): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const part of path) {
    if (node === undefined) return undefined;
    if (typeof part === "string") node = propertyValue(node, part);
    else node = node.type === "array" ? node.children?.[part] : undefined;
  }
  return node;
}

/** Brackets, items, commas and comments of an object or array. */
export function listSpan(body: string, node: JsonNode): ListSpan {
  const open = node.offset + 1;
  const close = node.offset + node.length - 1;
  const items: ListItem[] = [];
  const comments: ListComment[] = [];
  const scanner = createScanner(body);
  /** Between two items there are only white space, comments and at most one comma. */
  const scanTo = (from: number, to: number) => {
    let comma: number | undefined;
    scanner.setPosition(from);
    while (scanner.getPosition() < to) {
      scanner.scan();
      const start = scanner.getTokenOffset();
      const line = body.startsWith("//", start);
      if (start < to && body[start] === ",") comma = start;
      else if (start < to && body[start] === "/") {
        comments.push({ start, end: start + scanner.getTokenLength(), line });
      }
    }
    return comma;
  };
  const children = node.children ?? [];
  scanTo(open, children[0]?.offset ?? close);
  children.forEach((child, index) => {
    const start = child.offset;
    const end = start + child.length;
    const comma = scanTo(end, children[index + 1]?.offset ?? close);
    items.push(comma === undefined ? { start, end } : { start, end, comma });
  });
  return { open, close, items, comments };
}

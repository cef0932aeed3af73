/** The statements of a TOML text with the places in the document that they define. Pure. */

import type { ConfigPath } from "./edit_op.ts";
import type { TomlEntry, TomlNode, TomlStatement } from "./toml_node.ts";
import { scanToml } from "./toml_scan.ts";
import type { ListComment } from "./list_layout.ts";

/** A statement with its full path; elements of arrays of tables carry their index. */
export interface PlacedStatement extends TomlStatement {
  readonly path: ConfigPath;
  /** The header that the statement stands under; the path of the header itself for headers. */
  readonly scope: ConfigPath;
}

export interface TomlDocument {
  readonly body: string;
  readonly statements: readonly PlacedStatement[];
  readonly comments: readonly ListComment[];
}

export function samePath(a: ConfigPath, b: ConfigPath): boolean {
  return a.length === b.length && startsWith(a, b);
}

/** Whether `prefix` leads to or is `path`. */
export function startsWith(path: ConfigPath, prefix: ConfigPath): boolean {
  return prefix.length <= path.length && prefix.every((part, index) => part === path[index]);
}

/** Scans and places the statements; `undefined` if the text is not understood. */
export function openToml(body: string): TomlDocument | undefined {
  const scan = scanToml(body);
  if (scan === undefined) return undefined;
  const counts = new Map<string, number>();
  const key = (path: ConfigPath) => JSON.stringify(path);
  /** A header names an array of tables without an index and means its last element. */
  const place = (keys: readonly string[]) => {
    let path: ConfigPath = [];
    for (const part of keys) {
      path = [...path, part];
      const count = counts.get(key(path));
      if (count !== undefined) path = [...path, count - 1];
    }
    return path;
  };
  let scope: ConfigPath = [];
  const statements = scan.statements.map((statement): PlacedStatement => {
    if (statement.kind === "pair") {
      return { ...statement, path: [...scope, ...statement.keys], scope };
    }
    if (statement.kind === "table") scope = place(statement.keys);
    else {
      const array = [...place(statement.keys.slice(0, -1)), statement.keys.at(-1)!];
      const count = counts.get(key(array)) ?? 0;
      counts.set(key(array), count + 1);
      scope = [...array, count];
    }
    return { ...statement, path: scope, scope };
  });
  return { body, statements, comments: scan.comments };
}

/** A value with what holds it: a statement, and perhaps an inline table or array in it. */
export interface FoundNode {
  readonly statement: PlacedStatement;
  readonly node: TomlNode;
  /** The inline table or array that holds the node directly, and its position there. */
  readonly holder?: { readonly node: TomlNode; readonly index: number };
}

function descend(found: FoundNode, rest: ConfigPath): FoundNode | undefined {
  const [first] = rest;
  if (first === undefined) return found;
  const { statement, node } = found;
  if (typeof first === "number") {
    const element = node.elements?.[first];
    if (element === undefined) return undefined;
    return descend({ statement, node: element, holder: { node, index: first } }, rest.slice(1));
  }
  const entries: readonly TomlEntry[] = node.entries ?? [];
  for (const [index, entry] of entries.entries()) {
    if (!startsWith(rest, entry.keys)) continue;
    const next = { statement, node: entry.node, holder: { node, index } };
    const deeper = descend(next, rest.slice(entry.keys.length));
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

/** The value written at this path by a pair, or within the inline value of a pair. */
export function findNode(document: TomlDocument, path: ConfigPath): FoundNode | undefined {
  for (const statement of document.statements) {
    if (statement.node === undefined || !startsWith(path, statement.path)) continue;
    const rest = path.slice(statement.path.length);
    const found = descend({ statement, node: statement.node }, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Offset just after the line of this offset, line ending included. */
export function lineEnd(body: string, offset: number): number {
  const match = /\r\n|\n|\r/.exec(body.slice(offset));
  return match === null ? body.length : offset + match.index + match[0].length;
}

/** Offset of the beginning of the line of this offset. */
export function lineStart(body: string, offset: number): number {
  return Math.max(body.lastIndexOf("\n", offset - 1), -1) + 1;
}

/** Pure: keys that stand twice in one object of a JSONC text. The parser would take the last. */

import { type Node, parseTree } from "jsonc-parser";

/** One sentence for each, with its line. */
export function duplicateKeys(text: string): string[] {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root === undefined ? [] : inNode(root, "", text);
}

function inNode(node: Node, path: string, text: string): string[] {
  const issues: string[] = [];
  const first = new Map<string, number>();
  for (const [at, child] of (node.children ?? []).entries()) {
    if (node.type === "array") issues.push(...inNode(child, join(path, String(at)), text));
    const [key, value] = child.type === "property" ? child.children ?? [] : [];
    if (key === undefined) continue;
    const where = join(path, String(key.value));
    const line = lineOf(text, key.offset);
    const before = first.get(key.value);
    if (before === undefined) first.set(key.value, line);
    else issues.push(`${where}: given twice, in line ${before} and in line ${line}`);
    if (value !== undefined) issues.push(...inNode(value, where, text));
  }
  return issues;
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

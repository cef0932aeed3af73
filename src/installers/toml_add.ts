/** What is put into a TOML text: pairs and elements of arrays. Pure. */

import {
  type ConfigPath,
  type ConfigValue,
  type EditOp,
  type InverseOp,
  pathText,
  refuse,
  type Refused,
} from "./edit_op.ts";
import { dominantEol } from "./json_style.ts";
import { insertLast } from "./list_layout.ts";
import { NOTHING, type Step } from "./plan_edits.ts";
import { isTomlValue, printInline, printKeys, printTableElement } from "./print_toml.ts";
import { isTable, sameValue, valueAt } from "./read_value.ts";
import type { TextEdit } from "./text_edit.ts";
import { findNode, startsWith } from "./toml_document.ts";
import { insertAtTop, insertBelow, insertBlock, lastOwnLine, lastStatement } from "./toml_place.ts";
import { type TomlDoc, unsupported, wrongType } from "./toml_issue.ts";
import type { TomlNode } from "./toml_node.ts";

function created(doc: TomlDoc, path: ConfigPath): InverseOp[] {
  return path.flatMap((_, index): InverseOp[] => {
    const at = path.slice(0, index + 1);
    return valueAt(doc.value, at) === undefined ? [{ undo: "prune", path: at }] : [];
  });
}

function insertItem(doc: TomlDoc, node: TomlNode, text: string): TextEdit[] {
  const { body } = doc.toml;
  const pad = node.kind === "inline-table" && node.list!.items.length === 0 ? " " : "";
  return insertLast(body, node.list!, {
    style: { eol: dominantEol(body), unit: "  ", gap: " ", compact: true },
    print: () => pad + text + pad,
  });
}

/** The nearest value on the way to `path` that is written inline. */
function inlineAncestor(
  doc: TomlDoc,
  path: ConfigPath,
): { node: TomlNode; depth: number } | undefined {
  for (let depth = path.length; depth > 0; depth--) {
    const found = findNode(doc.toml, path.slice(0, depth));
    if (found !== undefined) return { node: found.node, depth };
  }
  return undefined;
}

/** Writes a pair that does not exist yet into the right table. */
function addPair(doc: TomlDoc, path: ConfigPath, value: ConfigValue): TextEdit[] | Refused {
  const { toml } = doc;
  const parent = path.slice(0, -1);
  const write = (keys: ConfigPath) => `${printKeys(keys.map(String))} = ${printInline(value)}`;
  const inline = inlineAncestor(doc, parent);
  if (inline !== undefined) {
    const rest = path.slice(inline.depth);
    if (inline.node.kind !== "inline-table" || rest.some((part) => typeof part === "number")) {
      return wrongType(path.slice(0, inline.depth), "a table");
    }
    return insertItem(doc, inline.node, write(rest));
  }
  const own = lastOwnLine(toml, parent);
  if (own !== undefined) return [insertBelow(toml, own, write(path.slice(-1)))];
  if (parent.length === 0) {
    return [
      toml.statements.length > 0
        ? insertAtTop(toml, write(path))
        : insertBlock(toml, [write(path)]),
    ];
  }
  const dotted = toml.statements.findLast((statement) =>
    statement.kind === "pair" && startsWith(statement.path, parent) &&
    !startsWith(statement.scope, parent)
  );
  if (dotted !== undefined) {
    const keys = path.slice(dotted.scope.length);
    if (keys.some((part) => typeof part === "number")) return wrongType(parent, "a table");
    return [insertBelow(toml, dotted, write(keys))];
  }
  if (parent.some((part) => typeof part === "number")) {
    return unsupported(parent, "is inside an array and has no table of its own");
  }
  return [insertBlock(toml, [`[${printKeys(parent.map(String))}]`, write(path.slice(-1))])];
}

/** Sets a key, in place where it is there already. */
export function setTomlKey(doc: TomlDoc, op: EditOp & { op: "setKey" }): Step | Refused {
  const { path, key, value } = op;
  const target = [...path, key];
  if (!isTomlValue(value)) return unsupported(target, "would get a value that TOML cannot hold");
  const container = valueAt(doc.value, path);
  if (container !== undefined && !isTable(container)) return wrongType(path, "a table");
  const previous = valueAt(doc.value, target);
  if (previous !== undefined && sameValue(previous, value)) return NOTHING;
  if (previous !== undefined && op.whenPresent === "refuse") {
    return refuse(
      "conflict",
      `Cannot edit TOML: ${pathText(target)} has another value already`,
      target,
    );
  }
  const undo: InverseOp = { undo: "setBack", path, key, ours: value };
  if (previous === undefined) {
    const edits = addPair(doc, target, value);
    if ("ok" in edits) return edits;
    return { ok: true, edits, inverse: [...created(doc, path), undo] };
  }
  const found = findNode(doc.toml, target);
  // Tables, dates and big integers are not ours to replace: they could not be set back.
  if (found === undefined || !isPlain(previous)) {
    return unsupported(target, "has a value of a kind that is not replaced");
  }
  const { start, end } = found.node;
  const edit = { offset: start, length: end - start, text: printInline(value) };
  return { ok: true, edits: [edit], inverse: [{ ...undo, previous: toPlain(previous) }] };
}

/** Whether a value of a TOML text can be kept in a note and printed again as it was. */
export function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (isTable(value)) return Object.values(value).every(isPlain);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A plain copy without the parser's prototypes. */
export function toPlain(value: unknown): ConfigValue {
  return JSON.parse(JSON.stringify(value));
}

/** Appends an element, as a table of its own or within an inline array. */
export function appendToToml(doc: TomlDoc, op: EditOp & { op: "appendToArray" }): Step | Refused {
  const { path, value } = op;
  if (!isTomlValue(value)) return unsupported(path, "would get a value that TOML cannot hold");
  const present = valueAt(doc.value, path);
  if (present !== undefined && !Array.isArray(present)) return wrongType(path, "an array");
  if (present?.some((item) => sameValue(item, value))) return NOTHING;
  const inverse: InverseOp[] = [...created(doc, path), { undo: "removeEqual", path, value }];
  const inline = inlineAncestor(doc, path);
  if (inline !== undefined && inline.depth === path.length) {
    return { ok: true, edits: insertItem(doc, inline.node, printInline(value)), inverse };
  }
  if (inline !== undefined || !isTable(value)) {
    if (present !== undefined) return unsupported(path, "holds tables only");
    const edits = addPair(doc, path, [value]);
    return "ok" in edits ? edits : { ok: true, edits, inverse };
  }
  const fixed = path.findLastIndex((part) => typeof part === "number");
  const element = path.slice(0, fixed + 1);
  if (fixed >= 0 && valueAt(doc.value, element) === undefined) {
    return refuse("missing-element", `Cannot edit TOML: there is no ${pathText(element)}`, path);
  }
  const keys = path.filter((part) => typeof part === "string");
  const block = printTableElement(keys, value as { [key: string]: ConfigValue });
  const after = fixed >= 0 ? lastStatement(doc.toml, element) : undefined;
  return { ok: true, edits: [insertBlock(doc.toml, block, { after })], inverse };
}

/** One edit operation on a JSON text -> replacements and what undoes them. Pure. */

import type { ConfigPath, ConfigValue, EditOp, InverseOp, Refused } from "./edit_op.ts";
import { appendToJson, setJsonKey } from "./json_add.ts";
import { type JsonDoc, replaceNode, wrongType } from "./json_doc.ts";
import { detectStyle } from "./json_style.ts";
import { listSpan, nodeAt, parseJsonTree, propertiesOf } from "./json_tree.ts";
import { removeItem } from "./list_remove.ts";
import { NOTHING, type Step, type StepRunner } from "./plan_edits.ts";
import { type JsonMode, sameValue, valueAt } from "./read_value.ts";
import { applyEdits, composeEdits, type TextEdit } from "./text_edit.ts";

/** Indexes of the elements that pass the test, from the last. */
function matches(doc: JsonDoc, path: ConfigPath, where: (value: unknown) => boolean): number[] {
  const items = valueAt(doc.value, path) as unknown[];
  return items.flatMap((item, index) => where(item) ? [index] : []).reverse();
}

function editElements(
  doc: JsonDoc,
  op: EditOp & { op: "removeWhere" | "replaceWhere" },
): Step | Refused {
  const array = nodeAt(doc.root, op.path);
  if (array === undefined) return NOTHING;
  if (array.type !== "array") return wrongType(op.path, "array", array.type);
  let edits: TextEdit[] = [];
  let body = doc.body;
  for (const index of matches(doc, op.path, op.where)) {
    let next: TextEdit[];
    if (op.op === "replaceWhere") {
      if (sameValue((valueAt(doc.value, op.path) as unknown[])[index], op.value)) continue;
      next = [replaceNode(doc, array.children![index]!, op.value)];
    } else {
      // Commas move when an element goes, so the list is read anew for each one more.
      const parsed = body === doc.body
        ? { ok: true as const, root: doc.root }
        : parseJsonTree(body, "jsonc");
      if (!parsed.ok) return parsed;
      next = removeItem(body, listSpan(body, nodeAt(parsed.root, op.path)!), index);
    }
    edits = composeEdits(edits, next);
    body = applyEdits(body, next);
  }
  return { ok: true, edits, inverse: [] };
}

function removeProperty(doc: JsonDoc, path: ConfigPath, key: string): TextEdit[] {
  let edits: TextEdit[] = [];
  let body = doc.body;
  let object = nodeAt(doc.root, path);
  for (let left = Infinity; object !== undefined && left > 0;) {
    const properties = propertiesOf(object, key);
    const property = properties.at(-1);
    if (property === undefined) break;
    left = properties.length - 1;
    const next = removeItem(body, listSpan(body, object), object.children!.indexOf(property));
    edits = composeEdits(edits, next);
    if (left === 0) break;
    body = applyEdits(body, next);
    const parsed = parseJsonTree(body, "jsonc");
    object = parsed.ok ? nodeAt(parsed.root, path) : undefined;
  }
  return edits;
}

function removeKey(doc: JsonDoc, op: EditOp & { op: "removeKey" }): Step | Refused {
  const { path, key } = op;
  const object = nodeAt(doc.root, path);
  if (object === undefined) return NOTHING;
  if (object.type !== "object") return wrongType(path, "object", object.type);
  if (propertiesOf(object, key).length === 0) return NOTHING;
  const previous = valueAt(doc.value, [...path, key]) as ConfigValue;
  const inverse: InverseOp = { undo: "setBack", path, key, previous };
  return { ok: true, edits: removeProperty(doc, path, key), inverse: [inverse] };
}

function prune(doc: JsonDoc, op: EditOp & { op: "pruneEmpty" }): Step {
  const node = nodeAt(doc.root, op.path);
  const key = op.path.at(-1);
  const parent = op.path.slice(0, -1);
  if (node === undefined || typeof key !== "string") return NOTHING;
  if (node.type !== "object" && node.type !== "array") return NOTHING;
  // A comment in it is the user's; a duplicate key would come to light.
  const inside = doc.body.slice(node.offset + 1, node.offset + node.length - 1);
  if (inside.trim() !== "") return NOTHING;
  if (propertiesOf(nodeAt(doc.root, parent)!, key).length > 1) return NOTHING;
  return { ok: true, edits: removeProperty(doc, parent, key), inverse: [] };
}

function runOp(doc: JsonDoc, op: EditOp): Step | Refused {
  switch (op.op) {
    case "appendToArray":
      return appendToJson(doc, op);
    case "removeWhere":
    case "replaceWhere":
      return editElements(doc, op);
    case "setKey":
      return setJsonKey(doc, op);
    case "removeKey":
      return removeKey(doc, op);
    case "pruneEmpty":
      return prune(doc, op);
  }
}

function readDoc(body: string, mode: JsonMode): { readonly ok: true; doc: JsonDoc } | Refused {
  const parsed = parseJsonTree(body, mode);
  if (!parsed.ok) return parsed;
  const { root, value } = parsed;
  if (root.type !== "object") return wrongType([], "object", root.type);
  return { ok: true, doc: { body, root, value, style: detectStyle(body, root) } };
}

/**
 * Plans operations on a JSON text without byte order mark, one at a time. What an operation leaves
 * as it was is not read again for the next.
 */
export function jsonSteps({ mode }: { readonly mode: JsonMode }): StepRunner {
  let last: JsonDoc | undefined;
  return (body, op) => {
    if (last?.body !== body) {
      const read = readDoc(body, mode);
      if (!read.ok) return read;
      last = read.doc;
    }
    return runOp(last, op);
  };
}

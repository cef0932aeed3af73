/** What is put into a JSON text: properties and array elements. Pure. */

import {
  type ConfigPath,
  type ConfigValue,
  type EditOp,
  type InverseOp,
  pathText,
  refuse,
  type Refused,
} from "./edit_op.ts";
import { type JsonDoc, replaceNode, wrongType } from "./json_doc.ts";
import { printJson } from "./json_style.ts";
import { type JsonNode, listSpan, nodeAt } from "./json_tree.ts";
import { insertLast } from "./list_layout.ts";
import { NOTHING, type Step } from "./plan_edits.ts";
import { sameValue, valueAt } from "./read_value.ts";

function insert(doc: JsonDoc, parent: JsonNode, entry: { key?: string; value: ConfigValue }) {
  const head = entry.key === undefined ? "" : JSON.stringify(entry.key) + doc.style.colon;
  return insertLast(doc.body, listSpan(doc.body, parent), {
    style: doc.style,
    print: (indent) => head + printJson(entry.value, doc.style, { indent }),
  });
}

/** Adds the value below `path`, creating what is missing; the leaf is `make(value)`. */
function createBelow(
  doc: JsonDoc,
  path: ConfigPath,
  leaf: { value: ConfigValue; created: ConfigPath[] },
): Step | Refused {
  let depth = path.length - 1;
  while (nodeAt(doc.root, path.slice(0, depth)) === undefined) depth--;
  const parent = nodeAt(doc.root, path.slice(0, depth))!;
  const missing = path.slice(depth);
  const bad = missing.findIndex((part) => typeof part === "number");
  if (bad >= 0) {
    const message = `Cannot edit JSON: there is no ${pathText(path.slice(0, depth + bad + 1))}`;
    return refuse("missing-element", message, path);
  }
  if (parent.type !== "object") return wrongType(path.slice(0, depth), "object", parent.type);
  let value = leaf.value;
  for (const key of missing.slice(1).reverse()) value = fromEntry(String(key), value);
  const created: InverseOp[] = leaf.created.map((at) => ({ undo: "prune", path: at }));
  for (let end = path.length - 1; end > depth; end--) {
    created.push({ undo: "prune", path: path.slice(0, end) });
  }
  const edits = insert(doc, parent, { key: String(missing[0]), value });
  return { ok: true, edits, inverse: created.reverse() };
}

function fromEntry(key: string, value: ConfigValue): ConfigValue {
  return Object.fromEntries([[key, value]]);
}

/** Appends an element, creating what is missing on the way. */
export function appendToJson(doc: JsonDoc, op: EditOp & { op: "appendToArray" }): Step | Refused {
  const { path, value } = op;
  const undo: InverseOp = { undo: "removeEqual", path, value };
  const array = nodeAt(doc.root, path);
  if (array === undefined) {
    const step = createBelow(doc, path, { value: [value], created: [path] });
    return step.ok ? { ...step, inverse: [...step.inverse, undo] } : step;
  }
  if (array.type !== "array") return wrongType(path, "array", array.type);
  const present = valueAt(doc.value, path) as unknown[];
  if (present.some((item) => sameValue(item, value))) return NOTHING;
  return { ok: true, edits: insert(doc, array, { value }), inverse: [undo] };
}

/** Sets a key, in place where it is there already. */
export function setJsonKey(doc: JsonDoc, op: EditOp & { op: "setKey" }): Step | Refused {
  const { path, key, value } = op;
  const target = [...path, key];
  const node = nodeAt(doc.root, target);
  if (node === undefined) {
    const step = createBelow(doc, target, { value, created: [] });
    const undo: InverseOp = { undo: "setBack", path, key, ours: value };
    return step.ok ? { ...step, inverse: [...step.inverse, undo] } : step;
  }
  const previous = valueAt(doc.value, target) as ConfigValue;
  if (sameValue(previous, value)) return NOTHING;
  if (op.whenPresent === "refuse") {
    const message = `Cannot edit JSON: ${pathText(target)} has another value already`;
    return refuse("conflict", message, target);
  }
  const inverse: InverseOp = { undo: "setBack", path, key, ours: value, previous };
  return { ok: true, edits: [replaceNode(doc, node, value)], inverse: [inverse] };
}

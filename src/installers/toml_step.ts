/** One edit operation on a TOML text -> replacements and what undoes them. Pure. */

import {
  type ConfigPath,
  type ConfigValue,
  type EditOp,
  type InverseOp,
  refuse,
  type Refused,
} from "./edit_op.ts";
import { dominantEol } from "./json_style.ts";
import { removeItem } from "./list_remove.ts";
import { NOTHING, type Step } from "./plan_edits.ts";
import { isTomlValue, printInline, printTableElement } from "./print_toml.ts";
import { isTable, readToml, sameValue, valueAt } from "./read_value.ts";
import { applyEdits, composeEdits, type TextEdit } from "./text_edit.ts";
import { appendToToml, isPlain, setTomlKey, toPlain } from "./toml_add.ts";
import { findNode, type FoundNode, openToml, startsWith } from "./toml_document.ts";
import { type TomlDoc, unsupported, wrongType } from "./toml_issue.ts";
import { deleteStatements } from "./toml_place.ts";

function removeNode(body: string, found: FoundNode): TextEdit[] {
  const { holder, statement } = found;
  if (holder !== undefined) return removeItem(body, holder.node.list!, holder.index);
  return deleteStatements(body, [statement], { gaps: "end" });
}

function statementsBelow(doc: TomlDoc, path: ConfigPath) {
  return doc.toml.statements.filter((statement) => startsWith(statement.path, path));
}

function matches(doc: TomlDoc, op: { path: ConfigPath; where: (value: unknown) => boolean }) {
  const items = valueAt(doc.value, op.path) as unknown[];
  return items.flatMap((item, index) => op.where(item) ? [index] : []);
}

function removeElements(doc: TomlDoc, op: EditOp & { op: "removeWhere" }): Step | Refused {
  const indexes = matches(doc, op);
  if (findNode(doc.toml, op.path) === undefined) {
    const gone = indexes.flatMap((index) => statementsBelow(doc, [...op.path, index]));
    return { ok: true, edits: deleteStatements(doc.toml.body, gone, { gaps: "all" }), inverse: [] };
  }
  let edits: TextEdit[] = [];
  let { toml } = doc;
  for (const index of indexes.reverse()) {
    const found = findNode(toml, [...op.path, index]);
    if (found === undefined) return unsupported(op.path, "is not understood");
    const next = removeNode(toml.body, found);
    edits = composeEdits(edits, next);
    const reopened = openToml(applyEdits(toml.body, next));
    if (reopened === undefined) return unsupported(op.path, "is not understood");
    toml = reopened;
  }
  return { ok: true, edits, inverse: [] };
}

/** The element's lines become the new element's; a comment of the user among them stays below. */
function replaceTable(
  doc: TomlDoc,
  path: ConfigPath,
  change: { readonly index: number; readonly value: Record<string, ConfigValue> },
): TextEdit[] {
  const { body } = doc.toml;
  const old = statementsBelow(doc, [...path, change.index]);
  const [first, ...rest] = deleteStatements(body, old, { gaps: "keep" });
  if (first === undefined) return [];
  const keys = path.filter((part) => typeof part === "string");
  const eol = dominantEol(body);
  const tail = body.slice(0, first.offset + first.length).endsWith("\n") ? eol : "";
  const text = printTableElement(keys, change.value).join(eol) + tail;
  return [{ ...first, text }, ...rest];
}

function replaceElements(doc: TomlDoc, op: EditOp & { op: "replaceWhere" }): Step | Refused {
  const { path, value } = op;
  if (!isTomlValue(value)) return unsupported(path, "would get a value that TOML cannot hold");
  const edits: TextEdit[] = [];
  for (const index of matches(doc, op)) {
    if (sameValue(valueAt(doc.value, [...path, index]), value)) continue;
    const found = findNode(doc.toml, [...path, index]);
    if (found !== undefined) {
      const { start, end } = found.node;
      edits.push({ offset: start, length: end - start, text: printInline(value) });
    } else if (isTable(value)) {
      edits.push(
        ...replaceTable(doc, path, { index, value: value as Record<string, ConfigValue> }),
      );
    } else return unsupported(path, "holds tables only");
  }
  return { ok: true, edits, inverse: [] };
}

function editElements(
  doc: TomlDoc,
  op: EditOp & { op: "removeWhere" | "replaceWhere" },
): Step | Refused {
  const array = valueAt(doc.value, op.path);
  if (array === undefined) return NOTHING;
  if (!Array.isArray(array)) return wrongType(op.path, "an array");
  return op.op === "removeWhere" ? removeElements(doc, op) : replaceElements(doc, op);
}

function removeKey(doc: TomlDoc, op: EditOp & { op: "removeKey" }): Step | Refused {
  const { path, key } = op;
  const target = [...path, key];
  const previous = valueAt(doc.value, target);
  if (previous === undefined) return NOTHING;
  const { body } = doc.toml;
  const found = findNode(doc.toml, target);
  const edits = found === undefined
    ? deleteStatements(body, statementsBelow(doc, target), { gaps: "all" })
    : removeNode(body, found);
  const inverse: InverseOp[] = isPlain(previous)
    ? [{ undo: "setBack", path, key, previous: toPlain(previous) }]
    : [];
  return { ok: true, edits, inverse };
}

function prune(doc: TomlDoc, op: EditOp & { op: "pruneEmpty" }): Step {
  const { body } = doc.toml;
  const found = findNode(doc.toml, op.path);
  if (found !== undefined) {
    const { list } = found.node;
    const empty = list !== undefined && list.items.length === 0 && list.comments.length === 0;
    if (!empty) return NOTHING;
    return { ok: true, edits: removeNode(body, found), inverse: [] };
  }
  const below = statementsBelow(doc, op.path);
  if (below.length !== 1 || below[0]?.kind !== "table") return NOTHING;
  return { ok: true, edits: deleteStatements(body, below, { gaps: "all" }), inverse: [] };
}

/** Plans one operation on a TOML text without byte order mark. */
export function tomlStep(body: string, op: EditOp): Step | Refused {
  const read = readToml(body);
  if (!read.ok) return read;
  const toml = openToml(body);
  if (toml === undefined) {
    return refuse("unsupported", "Cannot edit TOML: the text is not understood");
  }
  const doc = { toml, value: read.value };
  switch (op.op) {
    case "appendToArray":
      return appendToToml(doc, op);
    case "removeWhere":
    case "replaceWhere":
      return editElements(doc, op);
    case "setKey":
      return setTomlKey(doc, op);
    case "removeKey":
      return removeKey(doc, op);
    case "pruneEmpty":
      return prune(doc, op);
  }
}

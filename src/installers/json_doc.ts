/** A JSON document at hand, and the issues of editing it. Pure. */

import { type ConfigPath, type ConfigValue, pathText, refuse, type Refused } from "./edit_op.ts";
import { type JsonStyle, printJson } from "./json_style.ts";
import type { JsonNode } from "./json_tree.ts";
import { indentAt } from "./list_layout.ts";
import type { TextEdit } from "./text_edit.ts";

export interface JsonDoc {
  readonly body: string;
  readonly root: JsonNode;
  readonly value: unknown;
  readonly style: JsonStyle;
}

/** Something else stands where a container is needed. */
export function wrongType(path: ConfigPath, wanted: string, found: string): Refused {
  const message = `Cannot edit JSON: ${pathText(path)} is of type ${found}, not ${wanted}`;
  return refuse("wrong-type", message, path);
}

/** Writes another value in the place of a node. */
export function replaceNode(doc: JsonDoc, node: JsonNode, value: ConfigValue): TextEdit {
  const indent = doc.style.compact ? undefined : indentAt(doc.body, node.offset);
  const text = printJson(value, doc.style, { indent });
  return { offset: node.offset, length: node.length, text };
}

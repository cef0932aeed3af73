/** The syntax of a TOML text with its offsets. Types only. */

import type { ListComment, ListSpan } from "./list_layout.ts";

export interface TomlNode {
  readonly start: number;
  readonly end: number;
  readonly kind: "scalar" | "array" | "inline-table";
  /** Brackets, items and commas of an array or inline table. */
  readonly list?: ListSpan;
  /** Of an array. */
  readonly elements?: readonly TomlNode[];
  /** Of an inline table. */
  readonly entries?: readonly TomlEntry[];
}

export interface TomlEntry {
  readonly keys: readonly string[];
  readonly node: TomlNode;
}

export interface TomlStatement {
  readonly kind: "table" | "array-table" | "pair";
  readonly keys: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly comment?: ListComment;
  readonly node?: TomlNode;
}

export interface TomlScan {
  readonly statements: readonly TomlStatement[];
  /** Comments that stand alone on their line. */
  readonly comments: readonly ListComment[];
}

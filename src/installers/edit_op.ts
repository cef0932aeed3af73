/**
 * The vocabulary of config edits: operations and their outcomes as plain data.
 *
 * The same operations drive the JSON planner, the TOML planner and, by another path, the check of
 * both in `verify.ts`. Nothing here reads or writes a file.
 */

import type { TextEdit } from "./text_edit.ts";

/** A value that both JSON and TOML can hold (TOML refuses null). */
export type ConfigValue =
  | null
  | boolean
  | number
  | string
  | ConfigValue[]
  | { [key: string]: ConfigValue };

/** Keys and array positions from the root of the document. */
export type ConfigPath = readonly (string | number)[];

/** Recognises an array element; it sees the parsed value. */
export type ElementTest = (value: unknown) => boolean;

/**
 * One change. Each is idempotent: applied to a text that already has the result it changes nothing.
 *
 * - `appendToArray`: the value becomes the last element; missing parents are created. Nothing
 *   happens if an equal element is there already.
 * - `removeWhere`: removes the array elements that pass the test. Containers stay, even if empty.
 * - `replaceWhere`: gives each element that passes the test this value, at its old position
 *   (Codex trust keys are positional).
 * - `setKey`: with `whenPresent: "refuse"` another value of the user is a conflict, not replaced.
 * - `removeKey`: removes the key, all duplicates included.
 * - `pruneEmpty`: removes the container at the path if it is empty and holds no comment. Only for
 *   containers that we created.
 */
export type EditOp =
  | { readonly op: "appendToArray"; readonly path: ConfigPath; readonly value: ConfigValue }
  | { readonly op: "removeWhere"; readonly path: ConfigPath; readonly where: ElementTest }
  | {
    readonly op: "replaceWhere";
    readonly path: ConfigPath;
    readonly where: ElementTest;
    readonly value: ConfigValue;
  }
  | {
    readonly op: "setKey";
    readonly path: ConfigPath;
    readonly key: string;
    readonly value: ConfigValue;
    readonly whenPresent?: "replace" | "refuse";
  }
  | { readonly op: "removeKey"; readonly path: ConfigPath; readonly key: string }
  | { readonly op: "pruneEmpty"; readonly path: ConfigPath };

export type IssueCode =
  | "invalid-text"
  | "not-strict-json"
  | "wrong-type"
  | "missing-element"
  | "conflict"
  | "unsupported"
  | "not-verified"
  | "modified-by-user"
  | "not-utf8"
  | "read-only"
  | "not-a-file"
  | "io-error"
  | "locked";

/** Why a text was not edited. Expected bad input is data, never a throw. */
export interface EditIssue {
  readonly code: IssueCode;
  /** Where in the document; empty for the document as a whole. */
  readonly path: ConfigPath;
  readonly message: string;
}

export interface Refused {
  readonly ok: false;
  readonly issue: EditIssue;
}

/** What undoes one operation on a text that the user has edited since; JSON-serialisable. */
export type InverseOp =
  | { readonly undo: "removeEqual"; readonly path: ConfigPath; readonly value: ConfigValue }
  | { readonly undo: "prune"; readonly path: ConfigPath }
  | {
    readonly undo: "setBack";
    readonly path: ConfigPath;
    readonly key: string;
    /** What we left there; absent = we removed the key. */
    readonly ours?: ConfigValue;
    /** What was there; absent = nothing. */
    readonly previous?: ConfigValue;
  };

/** A planned edit of one text. Show it, verify it, then apply it. */
export interface TextPlan {
  readonly ok: true;
  /** The text the plan was made for; null = there was no file. */
  readonly before: string | null;
  readonly after: string;
  readonly changed: boolean;
  /** Replacements in `before` (a missing file counts as empty), in order, not overlapping. */
  readonly edits: readonly TextEdit[];
  /** In the order of the operations; to be undone from the end. */
  readonly inverse: readonly InverseOp[];
}

export type PlanResult = TextPlan | Refused;

/** Makes an issue result; `path` defaults to the document. */
export function refuse(code: IssueCode, message: string, path: ConfigPath = []): Refused {
  return { ok: false, issue: { code, path, message } };
}

/** The path as people write it: `hooks.Stop[0]`. */
export function pathText(path: ConfigPath): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[A-Za-z0-9_-]+$/.test(part)) text += text === "" ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text === "" ? "the document" : text;
}

/**
 * Text -> value, by a path of its own: the planners work on syntax trees, this file on
 * `JSON.parse` and `smol-toml`, so that one parser's mistake cannot vouch for itself. Pure.
 */

import { isDeepStrictEqual } from "node:util";
import { parse as parseTomlText } from "smol-toml";
import { refuse, type Refused } from "./edit_op.ts";

/** `strict`: comments and trailing commas are errors, as for the program that reads the file. */
export type JsonMode = "strict" | "jsonc";

export type ReadResult = { readonly ok: true; readonly value: unknown } | Refused;

export const BOM = "\uFEFF";

/** Splits a leading byte order mark off. */
export function splitBom(text: string): { bom: string; body: string } {
  return text.startsWith(BOM) ? { bom: BOM, body: text.slice(1) } : { bom: "", body: text };
}

/** Whether the text holds nothing but JSON white space. */
export function isBlank(body: string): boolean {
  return /^[ \t\r\n]*$/.test(body);
}

const JSONC_TOKEN = /"(?:[^"\\\r\n]|\\.)*"|\/\/[^\r\n]*|\/\*[^]*?\*\/|,|[^"/,]+|["/]/g;

function isComment(token: string): boolean {
  return token.startsWith("//") || token.startsWith("/*");
}

/** The comments of a JSONC text in order. */
export function jsonComments(text: string): string[] {
  return (text.match(JSONC_TOKEN) ?? []).filter(isComment);
}

/** Blanks comments and trailing commas, keeping every offset. */
export function toStrictJson(text: string): string {
  const parts: string[] = [];
  let lastChar = "";
  let commaAt = -1;
  for (const token of text.match(JSONC_TOKEN) ?? []) {
    if (isComment(token)) parts.push(token.replace(/[^\r\n]/g, " "));
    else {
      const first = token.trimStart()[0];
      if (token === ",") {
        // Only a comma after a value can be a trailing one: `[,]` and `[1,,]` stay errors.
        commaAt = "[{,:".includes(lastChar) ? -1 : parts.length;
      } else if (first !== undefined) {
        if (commaAt >= 0 && (first === "]" || first === "}")) parts[commaAt] = " ";
        commaAt = -1;
      }
      lastChar = token.trimEnd().at(-1) ?? lastChar;
      parts.push(token);
    }
  }
  return parts.join("");
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split(/\r?\n/)[0] ?? text).replace(/\.$/, "");
}

/** The value of a JSON text; a missing, empty or white-space text is an empty object. */
export function readJson(text: string | null, mode: JsonMode): ReadResult {
  const { body } = splitBom(text ?? "");
  if (isBlank(body)) return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(mode === "strict" ? body : toStrictJson(body)) };
  } catch (error) {
    if (mode === "strict" && readJson(text, "jsonc").ok) {
      const what = "it holds comments or trailing commas, which its reader does not accept";
      return refuse("not-strict-json", `Cannot read JSON: ${what}`);
    }
    return refuse("invalid-text", `Cannot read JSON: ${reason(error)}`);
  }
}

/** The value of a TOML text; a missing text is an empty table. */
export function readToml(text: string | null): ReadResult {
  try {
    const { body } = splitBom(text ?? "");
    // A copy, since the parser's tables lack the prototype that element tests may count on.
    return { ok: true, value: cloneValue(parseTomlText(body, { integersAsBigInt: "asNeeded" })) };
  } catch (error) {
    const line = typeof error === "object" && error !== null && "line" in error
      ? ` (line ${error.line})`
      : "";
    return refuse("invalid-text", `Cannot read TOML: ${reason(error)}${line}`);
  }
}

/** A JSON object or TOML table, and neither an array nor a date. */
export function isTable(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Copies tables and arrays; dates and the like are shared, nobody changes them. */
export function cloneValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneValue);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cloneValue(item)]));
}

/** The own value of a key; `undefined` for inherited names such as `constructor`. */
export function ownValue(table: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Deep equality that ignores key order and the prototype that a parser gives its tables. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (isTable(a) && isTable(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]));
  }
  if (typeof a === "bigint" || typeof b === "bigint") return a === b;
  return a === b || isDeepStrictEqual(a, b);
}

/** The value at a path, or `undefined`. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof part === "number") value = Array.isArray(value) ? value[part] : undefined;
    else value = isTable(value) ? ownValue(value, part) : undefined;
  }
  return value;
}

/** Values printed as TOML. Pure; returns `undefined` for what TOML cannot hold. */

import type { ConfigValue } from "./edit_op.ts";

function isTableArray(value: ConfigValue): value is { [key: string]: ConfigValue }[] {
  return Array.isArray(value) && value.length > 0 &&
    value.every((item) => typeof item === "object" && item !== null && !Array.isArray(item));
}

/** Prints a key, quoted where needed. */
export function printKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : printString(key);
}

function printString(text: string): string {
  // JSON's escapes are a subset of TOML's, except that TOML wants DEL escaped too.
  return JSON.stringify(text).replaceAll("\x7f", "\\u007f");
}

/** Prints keys joined by dots. */
export function printKeys(keys: readonly string[]): string {
  return keys.map(printKey).join(".");
}

/** Whether TOML can hold the value: no null, no lone surrogates, no infinite numbers. */
export function isTomlValue(value: ConfigValue): boolean {
  if (value === null) return false;
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return true;
  if (Array.isArray(value)) return value.every(isTomlValue);
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isTomlValue(item));
}

/** Prints a value on one line. */
export function printInline(value: ConfigValue): string {
  if (typeof value === "string") return printString(value);
  if (Array.isArray(value)) return `[${value.map(printInline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([key, item]) =>
    `${printKey(key)} = ${printInline(item)}`
  );
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}

/** The lines of one element of an array of tables; arrays of tables in it get their own headers. */
export function printTableElement(
  keys: readonly string[],
  value: { [key: string]: ConfigValue },
): string[] {
  const lines = [`[[${printKeys(keys)}]]`];
  const nested: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (isTableArray(item)) {
      for (const element of item) nested.push(...printTableElement([...keys, key], element));
    } else lines.push(`${printKey(key)} = ${printInline(item)}`);
  }
  return [...lines, ...nested];
}

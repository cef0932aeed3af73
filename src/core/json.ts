/** Reading untyped JSON without throwing: every getter answers undefined for another type. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function stringAt(object: JsonObject, ...keys: string[]): string | undefined {
  for (const key of keys) {
    const value = own(object, key);
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

export function objectAt(object: JsonObject, key: string): JsonObject | undefined {
  const value = own(object, key);
  return isObject(value) ? value : undefined;
}

export function arrayAt(object: JsonObject, key: string): Json[] | undefined {
  const value = own(object, key);
  return Array.isArray(value) ? value : undefined;
}

/** A key named `__proto__` or `constructor` in a payload is data like any other. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Deeper levels are left out of canonical text: no call is told by them, and stacks end. */
const MAX_DEPTH = 100;

/** JSON with sorted keys: the same value gives the same text whatever order it was sent in. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) return "null";
  if (Array.isArray(value)) {
    return `[${value.map((element) => canonicalJson(element, depth + 1)).join(",")}]`;
  }
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const entries = Object.keys(value).sort().map((key) =>
    `${JSON.stringify(key)}:${canonicalJson(value[key], depth + 1)}`
  );
  return `{${entries.join(",")}}`;
}

/** The parsed value, or undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The operations on parsed values: what an edited text must mean. Pure.
 *
 * Deliberately shares nothing with the text planners, since `verify.ts` holds their work against it.
 */

import {
  type ConfigPath,
  type EditOp,
  type ElementTest,
  pathText,
  refuse,
  type Refused,
} from "./edit_op.ts";
import { cloneValue, isTable, ownValue, sameValue, valueAt } from "./read_value.ts";

type Table = Record<string, unknown>;

function define(table: Table, key: string, value: unknown): void {
  // A plain assignment to `__proto__` would change the prototype instead.
  Object.defineProperty(table, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

class Mismatch extends Error {}

/** The container at a path; missing ones are made on request. */
function reach(
  root: unknown,
  path: ConfigPath,
  options: { readonly make?: () => unknown } = {},
): unknown {
  let value = root;
  path.forEach((part, index) => {
    if (value === undefined) return;
    const here = pathText(path.slice(0, index + 1));
    if (typeof part === "number") {
      if (!Array.isArray(value)) throw new Mismatch(`${here} is not in an array`);
      value = value[part];
    } else {
      if (!isTable(value)) throw new Mismatch(`${here} is not in a table`);
      if (ownValue(value, part) === undefined && options.make !== undefined) {
        define(value, part, index === path.length - 1 ? options.make() : {});
      }
      value = ownValue(value, part);
    }
  });
  if (value === undefined && options.make !== undefined) {
    throw new Mismatch(`${pathText(path)} does not exist`);
  }
  return value;
}

function changeElements(
  root: unknown,
  path: ConfigPath,
  options: { readonly where: ElementTest; readonly replace?: unknown },
): void {
  const array = reach(root, path);
  if (array === undefined) return;
  if (!Array.isArray(array)) throw new Mismatch(`${pathText(path)} is not an array`);
  const kept = array.flatMap((item) => {
    if (!options.where(item)) return [item];
    return "replace" in options ? [cloneValue(options.replace)] : [];
  });
  array.splice(0, array.length, ...kept);
}

function prune(root: unknown, path: ConfigPath, after: unknown): void {
  const parent = reach(root, path.slice(0, -1));
  const key = path.at(-1);
  const value = valueAt(root, path);
  if (!isTable(parent) || typeof key !== "string" || value === undefined) return;
  const empty = Array.isArray(value) ? value.length === 0 : isTable(value) && isEmpty(value);
  // The planner leaves an empty container that holds a comment, so both results are right.
  if (empty && valueAt(after, path) === undefined) delete parent[key];
}

function isEmpty(table: Table): boolean {
  return Object.keys(table).length === 0;
}

function applyOp(root: unknown, op: EditOp, after: unknown): void {
  switch (op.op) {
    case "appendToArray": {
      const array = reach(root, op.path, { make: () => [] });
      if (!Array.isArray(array)) throw new Mismatch(`${pathText(op.path)} is not an array`);
      if (!array.some((item) => sameValue(item, op.value))) array.push(cloneValue(op.value));
      return;
    }
    case "removeWhere":
      return changeElements(root, op.path, { where: op.where });
    case "replaceWhere":
      return changeElements(root, op.path, { where: op.where, replace: op.value });
    case "setKey": {
      const table = reach(root, op.path, { make: () => ({}) });
      if (!isTable(table)) throw new Mismatch(`${pathText(op.path)} is not a table`);
      return define(table, op.key, cloneValue(op.value));
    }
    case "removeKey": {
      const table = reach(root, op.path);
      if (table === undefined) return;
      if (!isTable(table)) throw new Mismatch(`${pathText(op.path)} is not a table`);
      delete table[op.key];
      return;
    }
    case "pruneEmpty":
      return prune(root, op.path, after);
  }
}

/**
 * The value that an edited text must have.
 *
 * @param options.after The edited text's value; it only decides which of two right results of
 * `pruneEmpty` is meant.
 * @param options.isOwned The value is the caller's own and may itself become the new one.
 */
export function applyOps(
  value: unknown,
  ops: readonly EditOp[],
  options: { readonly after: unknown; readonly isOwned?: boolean },
): { readonly ok: true; readonly value: unknown } | Refused {
  const root = options.isOwned === true ? value : cloneValue(value);
  try {
    for (const op of ops) applyOp(root, op, options.after);
    return { ok: true, value: root };
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    return refuse("wrong-type", `Cannot edit the value: ${error.message}`);
  }
}

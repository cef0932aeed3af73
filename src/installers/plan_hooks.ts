/**
 * From the value of a config file and the entries that should be in it to edit operations: exactly
 * one current entry per subscription, stale, double and misplaced ones of ours gone, everything
 * else as it is. Pure.
 */

import type { JsonHooksTarget } from "../core/install/install_target.ts";
import type { Json } from "../core/json.ts";
import type { DesiredEntry } from "./desired.ts";
import type { ConfigPath, ConfigValue, EditOp } from "./edit_op.ts";
import { isPlaceholder, keepsPlaceholder, leavingOps } from "./keep_positions.ts";
import { parseOwnCommand } from "./ownership.ts";
import { isTable, sameValue, valueAt } from "./read_value.ts";

export interface HooksOptions {
  readonly target: JsonHooksTarget;
  readonly entries: readonly DesiredEntry[];
  /** Ids and aliases of other providers whose entries rightly live in the same file. */
  readonly neighbours: ReadonlySet<string>;
  /** We have left placeholders in this file: they are ours. */
  readonly hasGaps?: boolean;
}

/** What is wrong with the file, in a person's words; empty when all is as it should be. */
export interface HooksPlan {
  readonly ops: readonly EditOp[];
  readonly removal: readonly EditOp[];
  readonly findings: readonly string[];
  /** Elements of ours that were found. */
  readonly found: number;
  /** Whether a removal leaves a placeholder. */
  readonly leavesGaps: boolean;
}

export function planHooks(value: unknown, options: HooksOptions): HooksPlan {
  const arrays = arraysOf(value, options);
  const findings: string[] = [];
  const ops: EditOp[] = [];
  const removal: EditOp[] = [];
  let found = 0;
  let leavesGaps = false;
  const keepsPositions = options.target.positional === true;
  for (const path of arrays) {
    const desired = options.entries.filter((entry) => sameValue(entry.path, path));
    const items = valueAt(value, path);
    const list = Array.isArray(items) ? items : [];
    const mixed = mixedRemovals(list, path, options);
    const isOwned = (item: unknown) => isOwnElement(item, options);
    const own = list.filter(isOwned);
    found += own.filter((item) => !isPlaceholder(item)).length + mixed.length;
    ops.push(...mixed, ...repairs(list, desired, { path, options, findings }));
    // A list that held nothing but ours and is to hold nothing any more was made by us.
    const isEmptied = own.length > 0 && own.length === list.length && desired.length === 0;
    if (isEmptied) ops.push({ op: "pruneEmpty", path });
    removal.push(...mixed);
    if (own.length > 0) {
      removal.push(
        ...leavingOps(list, path, { isOwn: isOwned, isLeaving: isOwned, keepsPositions }),
      );
    }
    leavesGaps ||= keepsPositions && keepsPlaceholder(list, isOwned);
    if (mixed.length > 0) findings.push(`misplaced in a hook group of yours: ${path.join(".")}`);
  }
  if (options.entries.length > 0) ops.unshift(...requiredOps(value, options));
  return { ops, removal, findings, found, leavesGaps };
}

/** Arrays that hold, or are to hold, entries of ours: also those of events no longer managed. */
function arraysOf(value: unknown, { target, entries }: HooksOptions): ConfigPath[] {
  const known = [...target.subscriptions.map(({ event }) => target.arrayPath(event))];
  const paths = new Map<string, ConfigPath>();
  for (const path of [...known, ...entries.map((entry) => entry.path)]) {
    paths.set(JSON.stringify(path), path);
  }
  for (const parent of new Set(known.map((path) => JSON.stringify(path.slice(0, -1))))) {
    const at = JSON.parse(parent) as string[];
    const table = at.length === 0 ? undefined : valueAt(value, at);
    if (!isTable(table)) continue;
    for (const [key, item] of Object.entries(table)) {
      if (Array.isArray(item)) paths.set(JSON.stringify([...at, key]), [...at, key]);
    }
  }
  return [...paths.values()];
}

function requiredOps(value: unknown, { target }: HooksOptions): EditOp[] {
  return (target.required ?? []).flatMap(({ path, value: wanted }): EditOp[] => {
    if (valueAt(value, path) !== undefined) return [];
    const key = path.at(-1)!;
    return [{ op: "setKey", path: path.slice(0, -1), key, value: wanted as ConfigValue }];
  });
}

type RepairOptions = {
  readonly path: ConfigPath;
  readonly options: HooksOptions;
  readonly findings: string[];
};

function repairs(
  list: readonly unknown[],
  desired: readonly DesiredEntry[],
  { path, options, findings }: RepairOptions,
): EditOp[] {
  const own = list.filter((item) => isOwnElement(item, options));
  const isWanted = (item: unknown) => desired.some((entry) => sameValue(entry.value, item));
  const missing = desired.filter(({ value }) => !own.some((item) => sameValue(item, value)));
  const leaves = leavingOps(list, path, {
    isOwn: (item) => isOwnElement(item, options),
    isLeaving: (item) => !isWanted(item) && isOwnElement(item, options),
    keepsPositions: options.target.positional === true,
  });
  // A placeholder that is still needed is as it should be, unless it is our own place again.
  const isDue = (item: unknown) => !isPlaceholder(item) || missing.length > 0 || leaves.length > 0;
  const wrong = own.filter((item) => !isWanted(item) && isDue(item));
  const hasDoubles = own.some((item, at) => own.slice(0, at).some((one) => sameValue(one, item)));
  if (wrong.length === 0 && missing.length === 0 && !hasDoubles) return [];
  const name = path.join(".");
  if (wrong.length > 0) findings.push(`stale or superfluous: ${name} (${wrong.length})`);
  if (missing.length > wrong.length) findings.push(`missing: ${name}`);
  if (hasDoubles) findings.push(`double: ${name}`);
  if (hasDoubles) return [removeOwn(path, options), ...desired.map((entry) => append(entry))];
  // A stale entry is renewed at its place: the trust of the entries behind it is positional.
  const renewed = new Set<DesiredEntry>();
  const ops = wrong.flatMap((item): EditOp[] => {
    const heir = missing.find((entry) => !renewed.has(entry) && isHeir(entry, item, desired));
    const where = (other: unknown) => sameValue(other, item);
    if (heir === undefined) return [];
    renewed.add(heir);
    return [{ op: "replaceWhere", path, where, value: heir.value as ConfigValue }];
  });
  const heirless = renewed.size === wrong.length ? [] : leaves;
  return [...ops, ...heirless, ...missing.filter((entry) => !renewed.has(entry)).map(append)];
}

function isHeir(entry: DesiredEntry, item: unknown, desired: readonly DesiredEntry[]): boolean {
  return desired.length === 1 ||
    ownCommands(item).some(({ event }) => event === null || event === entry.event);
}

function append({ path, value }: DesiredEntry): EditOp {
  return { op: "appendToArray", path, value: value as ConfigValue };
}

function removeOwn(path: ConfigPath, options: HooksOptions): EditOp {
  return { op: "removeWhere", path, where: (item) => isOwnElement(item, options) };
}

/** An element is ours if every command in it is; what the user mixed stays the user's. */
export function isOwnElement(
  item: unknown,
  { target, neighbours, hasGaps }: Omit<HooksOptions, "entries">,
): boolean {
  if (hasGaps === true && isPlaceholder(item)) return true;
  if (target.fixed !== undefined && sameValue(item, target.fixed)) return true;
  const commands = target.commandsOf(item as Json);
  return commands.length > 0 && commands.every((command) => isOwn(command, neighbours));
}

function isOwn(command: string, neighbours: ReadonlySet<string>): boolean {
  const own = parseOwnCommand(command);
  return own !== null && !neighbours.has(own.provider);
}

function ownCommands(item: unknown) {
  return stringsOf(item).flatMap((text) => parseOwnCommand(text) ?? []);
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return isTable(value) ? Object.values(value).flatMap(stringsOf) : [];
}

/** Handlers of ours inside groups that hold foreign ones too. */
function mixedRemovals(
  list: readonly unknown[],
  path: ConfigPath,
  options: HooksOptions,
): EditOp[] {
  return list.flatMap((item, index) => {
    const commands = options.target.commandsOf(item as Json);
    const own = commands.filter((command) => isOwn(command, options.neighbours));
    if (own.length === 0 || own.length === commands.length || !isTable(item)) return [];
    return Object.entries(item).flatMap(([key, inner]): EditOp[] => {
      const where = (handler: unknown) => isOwnHandler(handler, options.neighbours);
      if (!Array.isArray(inner) || !inner.some(where)) return [];
      return [{ op: "removeWhere", path: [...path, index, key], where }];
    });
  });
}

function isOwnHandler(handler: unknown, neighbours: ReadonlySet<string>): boolean {
  if (!isTable(handler)) return false;
  return Object.values(handler).some((text) => typeof text === "string" && isOwn(text, neighbours));
}

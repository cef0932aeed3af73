/**
 * How entries of ours leave a list whose other entries are known by their position: an empty one
 * stays in the place of ours as long as somebody else's follows. Pure.
 */

import type { ConfigPath, ConfigValue, EditOp } from "./edit_op.ts";
import { sameValue } from "./read_value.ts";

/** A group without handlers: nothing runs, and what stands below it keeps its number. */
export const PLACEHOLDER: ConfigValue = { hooks: [] };

export function isPlaceholder(item: unknown): boolean {
  return sameValue(item, PLACEHOLDER);
}

/** Takes the elements of ours that `isLeaving` names out of a list. */
export function leavingOps(
  list: readonly unknown[],
  path: ConfigPath,
  options: {
    readonly isOwn: (item: unknown) => boolean;
    readonly isLeaving: (item: unknown) => boolean;
    /** Otherwise they simply go. */
    readonly keepsPositions: boolean;
  },
): EditOp[] {
  const { isOwn, isLeaving, keepsPositions } = options;
  if (!keepsPositions) {
    return list.some(isLeaving) ? [{ op: "removeWhere", path, where: isLeaving }] : [];
  }
  const last = list.findLastIndex((item) => !isOwn(item));
  const held = list.filter((item, at) => at < last && isLeaving(item));
  const swaps = held.filter((item) => !isPlaceholder(item)).map((item): EditOp => ({
    op: "replaceWhere",
    path,
    where: (other) => sameValue(other, item),
    value: PLACEHOLDER,
  }));
  const goes = list.some((item, at) => at > last && isLeaving(item));
  const isKept = (item: unknown) => held.length > 0 && isPlaceholder(item);
  const where = (item: unknown) => isLeaving(item) && !isKept(item);
  return goes ? [...swaps, { op: "removeWhere", path, where }] : swaps;
}

/** Whether the list still needs a placeholder once all of ours have left. */
export function keepsPlaceholder(
  list: readonly unknown[],
  isOwn: (item: unknown) => boolean,
): boolean {
  const last = list.findLastIndex((item) => !isOwn(item));
  return list.slice(0, Math.max(0, last)).some(isOwn);
}

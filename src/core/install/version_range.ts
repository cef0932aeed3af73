/** Program versions, compared part by part as numbers. */

import type { VersionRange } from "./install_target.ts";

/** The first thing in a program's answer that looks like a version, or null. */
export function versionIn(text: string): string | null {
  return /(?<![\w.])v?(\d+(?:\.\d+){1,3})(?!\d)/.exec(text)?.[1] ?? null;
}

/** Negative, zero or positive, like a sort's comparison; missing parts count as zero. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((text) => text.split(".").map(Number));
  for (let at = 0; at < Math.max(a!.length, b!.length); at++) {
    const difference = (a![at] ?? 0) - (b![at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** An unknown version is inside open ranges only: one unknown event name can stop an agent. */
export function isInRange(version: string | null, range: VersionRange | undefined): boolean {
  if (range?.from === undefined && range?.below === undefined) return true;
  if (version === null) return false;
  if (range.from !== undefined && compareVersions(version, range.from) < 0) return false;
  return range.below === undefined || compareVersions(version, range.below) < 0;
}

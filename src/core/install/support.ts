/** Whether a provider's hooks can work with the program that is there. Pure. */

import type { InstallSpec, InstallTarget } from "./install_target.ts";
import { compareVersions, isInRange } from "./version_range.ts";

export type ProgramFacts = {
  readonly version: string | null;
  /** Of the program's file, where it is a script: `#!/usr/bin/python3`. */
  readonly firstLine?: string | null;
};

/** Why they cannot, in a person's words; null when they can. */
export function whyUnsupported(spec: InstallSpec, program: ProgramFacts): string | null {
  const { version, firstLine } = program;
  for (const { versions, shebang, why } of spec.unsupported ?? []) {
    if (versions !== undefined && version !== null && isInRange(version, versions)) return why;
    if (shebang !== undefined && shebang.test(firstLine ?? "")) return why;
  }
  const floors = spec.targets.flatMap((target) => floorOf(target, version) ?? []);
  const [highest] = floors.sort((a, b) => compareVersions(b, a));
  if (highest === undefined) return null;
  const what = version === null ? "its version is unknown" : "too old";
  return `${what}: needs ${highest} or later`;
}

/** The version that a target begins with, where this one may not have it. */
function floorOf(target: InstallTarget, version: string | null): string | null {
  const ranges = target.kind === "own-file"
    ? [target.versions]
    : target.subscriptions.map(({ versions }) => versions);
  if (ranges.some((range) => isInRange(version, range))) return null;
  const starts = ranges.flatMap((range) => range?.from ?? []).sort(compareVersions);
  return starts[0] ?? null;
}

/**
 * I/O edge: the files of one provider in one place. They belong together: all are planned before
 * the first is written, and none is written if one is refused.
 */

import { dirname } from "node:path";
import type { ProviderRecord } from "../core/provider.ts";
import { resolveFile } from "./context.ts";
import type { InstallContext } from "./context.ts";
import { type Desired, desiredOf } from "./desired.ts";
import { observeObstacles } from "./observe.ts";
import { reconcileFile } from "./reconcile_file.ts";
import type { ReconcileOptions } from "./reconcile.ts";
import type { Records } from "./records.ts";
import type { FileReport } from "./report.ts";

export type PlaceOptions = ReconcileOptions & {
  readonly version: string | null;
  /** Paths that another place has brought in order. */
  readonly done: ReadonlySet<string>;
};

export interface PlaceDone {
  readonly files: readonly FileReport[];
  readonly records: Records;
  readonly obstacles: readonly string[];
  /** Entries of ours would do harm beside what is there. */
  readonly blocked: boolean;
}

export async function reconcilePlace(
  record: ProviderRecord,
  options: PlaceOptions,
): Promise<PlaceDone> {
  const { context, version, uninstalls = false } = options;
  const found = uninstalls ? [] : await observeObstacles(record, context);
  const obstacles = found.map(({ message }) => message);
  if (found.some(({ blocks }) => blocks)) {
    return { files: [], records: options.records, obstacles, blocked: true };
  }
  const all = desiredOf(record, context, { version, wanted: !uninstalls })
    .filter(({ path }) => !options.done.has(path));
  // What names a file of ours goes before the file does.
  const ordered = uninstalls ? all.toReversed() : all;
  // A file that stands alone is planned once.
  const isDryRun = ordered.length > 1 || (options.isDryRun ?? false);
  const plan = await carryOut(ordered, record, { ...options, isDryRun });
  const isRefused = plan.files.some(({ action }) => action === "refused");
  const { files, records } = isRefused
    ? { files: plan.files.map(heldBack), records: options.records }
    : isDryRun === (options.isDryRun ?? false)
    ? plan
    : await carryOut(ordered, record, options);
  return { files, records, obstacles, blocked: false };
}

async function carryOut(all: readonly Desired[], record: ProviderRecord, options: PlaceOptions) {
  const files: FileReport[] = [];
  let { records } = options;
  for (const desired of all) {
    const done = await reconcileFile(desired, { ...options, records, record });
    files.push(done.report);
    records = done.records;
  }
  return { files, records };
}

/** One file without the other would be half an install, or would start what is not ours. */
function heldBack(file: FileReport): FileReport {
  if (file.action === "refused" || file.action === "unchanged") return file;
  const { path, found } = file;
  return { path, found, action: "unchanged", findings: ["held back: another file is refused"] };
}

/** A place that the user took away as a whole is not made anew. */
export async function isStillThere(
  { install }: ProviderRecord,
  place: InstallContext,
): Promise<boolean> {
  for (const { base, file } of install.targets) {
    const folder = dirname(resolveFile(place, base, file));
    if (await Deno.stat(folder).then(({ isDirectory }) => isDirectory, () => false)) return true;
  }
  return false;
}

/**
 * I/O edge: brings the files of one provider to what they should be: observe, plan, verify, apply,
 * report. Nothing is written that was not proved, and nothing but what is ours.
 */

import type { ProviderRecord } from "../core/provider.ts";
import type { InstallContext } from "./context.ts";
import { desiredOf } from "./desired.ts";
import { exists, removeFolders } from "./folders.ts";
import { observeObstacles } from "./observe.ts";
import type { FoundProgram } from "./program_version.ts";
import { reconcileFile } from "./reconcile_file.ts";
import { type Records, withFolders, withProvider } from "./records.ts";
import { type FileReport, type ProviderReport, reportOf } from "./report.ts";
import { folderVariables } from "./variables.ts";
import type { WriteGate } from "./write_guard.ts";

export interface ReconcileOptions {
  readonly context: InstallContext;
  readonly records: Records;
  /** Null: not found, or not looked for. */
  readonly program: FoundProgram | null;
  readonly uninstalls?: boolean;
  /** Plan and show only. */
  readonly isDryRun?: boolean;
  /** Named by the user: written also when its program was not found. */
  readonly isExplicit?: boolean;
  /** Repairs what was installed before; sessions that run know its hooks already. */
  readonly isUpkeep?: boolean;
  readonly gate?: WriteGate;
  readonly now: number;
}

export interface Reconciled {
  readonly report: ProviderReport;
  readonly records: Records;
}

export async function reconcile(
  record: ProviderRecord,
  options: ReconcileOptions,
): Promise<Reconciled> {
  const { context, program, uninstalls = false } = options;
  if (!uninstalls && program === null && !options.isExplicit) {
    return { report: reportOf(record, { program, files: [], status: "cli-missing" }), ...options };
  }
  const obstacles = uninstalls ? [] : await observeObstacles(record, context);
  const blocking = obstacles.find(({ blocks }) => blocks);
  const named = { obstacles: obstacles.map(({ message }) => message) };
  if (blocking !== undefined) {
    const status = "conflict" as const;
    return { report: reportOf(record, { program, files: [], status, ...named }), ...options };
  }
  const version = program?.version ?? null;
  const files: FileReport[] = [];
  let { records } = options;
  const all = desiredOf(record, context, { version, wanted: !uninstalls });
  // What names a file of ours goes before the file does.
  for (const desired of uninstalls ? all.toReversed() : all) {
    const done = await reconcileFile(desired, { ...options, records, record });
    files.push(done.report);
    records = done.records;
  }
  if (uninstalls && !options.isDryRun) records = await removeCreatedFolders(records);
  const report = reportOf(record, { program, files, uninstalls, ...named });
  return { report, records: withInstall(record, { ...options, records, report }) };
}

function withInstall(
  record: ProviderRecord,
  { records, report, program, now, ...options }: ReconcileOptions & {
    readonly report: ProviderReport;
  },
): Records {
  const { uninstalls, isDryRun, isUpkeep, context } = options;
  if (isDryRun) return records;
  const isWhole = report.files.every(({ action }) => action !== "refused");
  if (uninstalls) return isWhole ? withProvider(records, record.id, null) : records;
  const earlier = records.providers[record.id];
  const isSame = earlier !== undefined && (isUpkeep || report.status === "unchanged");
  if (!isWhole && earlier === undefined) return records;
  return withProvider(records, record.id, {
    installedAt: isSame ? earlier.installedAt : now,
    version: program?.version ?? null,
    variables: folderVariables(record, context.get),
  });
}

/** Deepest first, as far as they are empty; those of other providers stay until these go. */
async function removeCreatedFolders(records: Records): Promise<Records> {
  const left: string[] = [];
  for (const folder of [...records.folders].sort((a, b) => b.length - a.length)) {
    await removeFolders([folder]);
    // One that cannot be looked at is looked at again the next time.
    if (await exists(folder).catch(() => true)) left.push(folder);
  }
  return withFolders(records, left);
}

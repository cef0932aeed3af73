/**
 * I/O edge: brings the files of one provider to what they should be: observe, plan, verify, apply,
 * report. Nothing is written that was not proved, and nothing but what is ours.
 */

import { whyUnsupported } from "../core/install/support.ts";
import type { ProviderRecord } from "../core/provider.ts";
import type { InstallContext } from "./context.ts";
import { exists, removeFolders } from "./folders.ts";
import type { FoundProgram } from "./program_version.ts";
import { isStillThere, reconcilePlace } from "./reconcile_place.ts";
import { type ProviderInstall, type Records, withFolders, withProvider } from "./records.ts";
import { type FileReport, type ProviderReport, reportOf } from "./report.ts";
import { folderVariables, placesOf } from "./variables.ts";
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
  const { program, uninstalls = false, isExplicit = false } = options;
  if (!uninstalls && program === null && !isExplicit) {
    return { report: reportOf(record, { program, files: [], status: "cli-missing" }), ...options };
  }
  const install = options.records.providers[record.id];
  // One that is not found is still the version that it was.
  const facts = program ?? { version: install?.version ?? null };
  const unsupported = uninstalls ? null : whyUnsupported(record.install, facts);
  const found = await everywhere(record, { ...options, version: facts.version, unsupported });
  const { files, obstacles, blocked } = found;
  let { records } = found;
  if (uninstalls && !options.isDryRun) records = await removeCreatedFolders(records);
  const missing = program === null ? "cli-missing" as const : "unsupported" as const;
  const status = unsupported === null ? blocked ? "conflict" as const : undefined : missing;
  const report = reportOf(record, {
    program,
    files,
    uninstalls,
    obstacles,
    unsupported,
    ...(status === undefined ? {} : { status }),
  });
  const kept = { ...options, records, report };
  return { report, records: status === undefined ? await withInstall(record, kept) : records };
}

type EverywhereOptions = ReconcileOptions & {
  readonly version: string | null;
  readonly unsupported: string | null;
};

async function everywhere(record: ProviderRecord, options: EverywhereOptions) {
  const { context, uninstalls = false, unsupported, version } = options;
  let { records } = options;
  const files: FileReport[] = [];
  const obstacles = new Set<string>();
  let blocked = false;
  const install = records.providers[record.id];
  // Where nothing is known of the program, nothing is taken away either.
  const isLeftAlone = unsupported !== null && version === null;
  for (const place of isLeftAlone ? [] : placesOf(context, record, install)) {
    if (place !== context && !uninstalls && !await isStillThere(record, place)) continue;
    const done = await reconcilePlace(record, {
      ...options,
      context: place,
      records,
      uninstalls: uninstalls || unsupported !== null,
      done: new Set(files.map(({ path }) => path)),
    });
    files.push(...done.files);
    records = done.records;
    if (unsupported === null) done.obstacles.forEach((text) => obstacles.add(text));
    blocked ||= done.blocked;
  }
  return { files, records, obstacles: [...obstacles], blocked };
}

async function withInstall(
  record: ProviderRecord,
  { records, report, program, now, ...options }: ReconcileOptions & {
    readonly report: ProviderReport;
  },
): Promise<Records> {
  const { uninstalls, isDryRun, isUpkeep, context } = options;
  if (isDryRun) return records;
  const isWhole = report.files.every(({ action }) => action !== "refused");
  if (uninstalls) return isWhole ? withProvider(records, record.id, null) : records;
  const before = records.providers[record.id];
  const isSame = before !== undefined && (isUpkeep || report.status === "unchanged");
  if (!isWhole && before === undefined) return records;
  const earlier = await earlierPlaces(record, context, before);
  return withProvider(records, record.id, {
    installedAt: isSame ? before.installedAt : now,
    version: program?.version ?? before?.version ?? null,
    variables: folderVariables(record, context.get),
    ...(earlier.length === 0 ? {} : { earlier }),
  });
}

/** The variables of the other places, as far as anything is left of these. */
async function earlierPlaces(
  record: ProviderRecord,
  context: InstallContext,
  install: ProviderInstall | undefined,
): Promise<Readonly<Record<string, string>>[]> {
  const left: Readonly<Record<string, string>>[] = [];
  for (const place of placesOf(context, record, install)) {
    if (place === context || !await isStillThere(record, place)) continue;
    left.push(folderVariables(record, place.get));
  }
  return left;
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

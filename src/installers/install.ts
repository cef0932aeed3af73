/** I/O edge: an install or uninstall of several providers as one piece of work, under one lock. */

import type { ProviderRecord } from "../core/provider.ts";
import { writeConflicts } from "./conflicts.ts";
import type { InstallContext } from "./context.ts";
import type { Refused } from "./edit_op.ts";
import { withInstallLock } from "./install_lock.ts";
import { launcherProviders } from "./launcher_file.ts";
import { findLauncherTools } from "./launcher_tools.ts";
import { observePrograms, type Programs } from "./observe.ts";
import { reconcile, type Reconciled, type ReconcileOptions } from "./reconcile.ts";
import { keepRecords, settlePending } from "./pending.ts";
import { readRecords } from "./records.ts";
import { type ProviderReport, reportOf } from "./report.ts";
import { stage } from "./staging.ts";

export interface InstallOptions {
  readonly uninstalls?: boolean;
  readonly isDryRun?: boolean;
  readonly isExplicit?: boolean;
  /** Writes our own pieces anew, also where they look right. */
  readonly isRefresh?: boolean;
  readonly now: number;
  readonly signal?: AbortSignal;
}

export type Installed =
  | { readonly ok: true; readonly reports: readonly ProviderReport[] }
  | Refused;

export function installLockPath({ stateFolder }: Pick<InstallContext, "stateFolder">): string {
  return `${stateFolder}/install.lock`;
}

/** Staging first and whole; a dry run neither stages nor locks, since it writes nothing. */
export async function installAll(
  records: readonly ProviderRecord[],
  context: InstallContext,
  options: InstallOptions,
): Promise<Installed> {
  // Asking programs takes longest, and needs no lock.
  const [programs, tools] = await Promise.all([
    options.uninstalls ? new Map() : observePrograms(records, context),
    findLauncherTools(context.get("PATH") ?? ""),
  ]);
  const job = { ...options, context, programs };
  if (options.isDryRun) return await work(records, job);
  const lockOptions = { timeoutMs: 30_000, ...(options.signal ? { signal: options.signal } : {}) };
  const locked = await withInstallLock(installLockPath(context), async () => {
    if (!options.uninstalls) {
      const staged = await stage(context, {
        providers: launcherProviders(),
        tools,
        isRefresh: options.isRefresh ?? false,
      });
      if (!staged.ok) return staged;
    }
    return await work(records, job);
  }, lockOptions);
  return locked.ok ? locked.value : locked;
}

/** Whatever happens to one provider, the others are done. */
async function reconcileOrSay(
  record: ProviderRecord,
  options: ReconcileOptions,
): Promise<Reconciled> {
  try {
    return await reconcile(record, options);
  } catch (error) {
    const notes = [error instanceof Error ? error.message : String(error)];
    const failed = { program: options.program, files: [], status: "failed" as const, notes };
    return { report: reportOf(record, failed), records: options.records };
  }
}

type Job = InstallOptions & { readonly context: InstallContext; readonly programs: Programs };

async function work(records: readonly ProviderRecord[], job: Job): Promise<Installed> {
  const { context, programs, ...options } = job;
  const reports: ProviderReport[] = [];
  const { stateFolder } = context;
  const known = await readRecords(stateFolder);
  let kept = options.isDryRun ? known : await settlePending(stateFolder, known);
  let written = known;
  for (const record of records) {
    const found = programs.get(record.id) ?? null;
    // One that did not answer in time is still the version that it was.
    const version = found?.version ?? kept.providers[record.id]?.version ?? null;
    const program = found === null ? null : { ...found, version };
    const done = await reconcileOrSay(record, { ...options, context, program, records: kept });
    reports.push(done.report);
    kept = done.records;
    // After each provider, so that a killed run can still be undone.
    if (!options.isDryRun) await keepRecords(stateFolder, written, kept);
    written = kept;
    // A person decides a fight that the server gave up.
    if (!options.isDryRun) await writeConflicts(stateFolder, { [record.id]: [] });
  }
  return { ok: true, reports };
}

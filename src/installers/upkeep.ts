/**
 * I/O edge: one pass of the server over installed providers: stage, reconcile as far as the guard
 * allows, keep what was given up, say what was done.
 */

import type { ProviderRecord } from "../core/provider.ts";
import { writeConflicts } from "./conflicts.ts";
import type { InstallContext } from "./context.ts";
import { keepDiscovery } from "./discover.ts";
import { installLockPath } from "./install.ts";
import { withInstallLock } from "./install_lock.ts";
import { launcherProviders } from "./launcher_file.ts";
import { findLauncherTools, type LauncherTools } from "./launcher_tools.ts";
import { keepRecords, settlePending } from "./pending.ts";
import type { FoundProgram } from "./program_version.ts";
import { reconcile } from "./reconcile.ts";
import { readRecords, type Records } from "./records.ts";
import { type ProviderReport, reportLines } from "./report.ts";
import { stage } from "./staging.ts";
import { contextOfInstall } from "./variables.ts";
import type { WriteGuard } from "./write_guard.ts";

export interface UpkeepOptions {
  readonly context: InstallContext;
  readonly guard: WriteGuard;
  readonly log: (text: string) => void;
  readonly now: () => number;
  readonly programOf: (id: string) => FoundProgram | null;
  readonly signal: AbortSignal;
}

export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #said = new Map<string, string>();
  #tools: LauncherTools | null = null;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Those of `wanted` that are still installed; the records as they are afterwards. */
  async run(wanted: readonly ProviderRecord[]): Promise<Records> {
    const { context, log, signal } = this.#options;
    const tools = this.#tools ??= await findLauncherTools(context.get("PATH") ?? "");
    let reports: readonly ProviderReport[] = [];
    const locked = await withInstallLock(installLockPath(context), async () => {
      const known = await readRecords(context.stateFolder);
      const records = await settlePending(context.stateFolder, known);
      await keepRecords(context.stateFolder, known, records);
      const due = wanted.filter(({ id }) => records.providers[id] !== undefined);
      if (due.length === 0) return records;
      const staged = await stage(context, { providers: launcherProviders(), tools });
      if (!staged.ok) {
        log(staged.issue.message);
        return records;
      }
      const done = await this.#reconcileAll(due, records);
      reports = done.reports;
      return done.records;
    }, { signal });
    if (!locked.ok) {
      if (!signal.aborted) log(locked.issue.message);
      return await readRecords(context.stateFolder);
    }
    for (const record of wanted) {
      const report = reports.find(({ provider }) => provider === record.id);
      if (report !== undefined) await this.#after(record, report, locked.value);
    }
    return locked.value;
  }

  async #reconcileAll(due: readonly ProviderRecord[], records: Records) {
    const reports: ProviderReport[] = [];
    let kept = records;
    for (const record of due) {
      const before = kept;
      const done = await this.#reconcile(record, kept);
      reports.push(done.report);
      kept = done.records;
      await keepRecords(this.#options.context.stateFolder, before, kept);
    }
    return { reports, records: kept };
  }

  async #reconcile(record: ProviderRecord, records: Records) {
    const { context, guard, now, programOf } = this.#options;
    const install = records.providers[record.id]!;
    const found = programOf(record.id);
    // One that did not answer in time has not become another version.
    const program = found === null ? null : { ...found, version: found.version ?? install.version };
    return await reconcile(record, {
      context: contextOfInstall(context, record, install),
      records,
      program,
      isUpkeep: true,
      gate: guard,
      now: now(),
    });
  }

  async #after(record: ProviderRecord, report: ProviderReport, records: Records): Promise<void> {
    const { context, guard } = this.#options;
    this.#say(report);
    for (const { path, action } of report.files) if (action === "unchanged") guard.settle(path);
    const conflicts = report.files.flatMap(({ path }) => guard.conflictOn(path) ?? []);
    await writeConflicts(context.stateFolder, { [record.id]: conflicts });
    const install = records.providers[record.id];
    if (install === undefined) return;
    const there = contextOfInstall(context, record, install);
    // Seconds may pass until it answers: nothing waits for that.
    void keepDiscovery(record, there, report).catch((error) =>
      this.#options.log(`cannot ask ${record.displayName}: ${String(error)}`)
    );
  }

  /** Each thing once: a file that stays broken is no news. */
  #say(report: ProviderReport): void {
    const isNews = report.status !== "unchanged" && report.status !== "cli-missing";
    const text = isNews ? reportLines({ ...report, notes: [], next: null }).join(";") : "";
    const isRefusal = report.status === "conflict" || report.status === "failed";
    if (text !== "" && this.#said.get(report.provider) !== text) this.#options.log(text);
    this.#said.set(report.provider, isRefusal ? text : "");
  }
}

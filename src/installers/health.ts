/** I/O edge: observes every provider for its health, and keeps the result in the state folder. */

import type { ProviderRecord } from "../core/provider.ts";
import type { InstallContext } from "./context.ts";
import { type Health, type HealthFacts, judgeHealth, type OpenSession } from "./judge.ts";
import { observeUntrusted } from "./observe.ts";
import type { FoundProgram } from "./program_version.ts";
import { reconcile } from "./reconcile.ts";
import { type Records, writeJsonFile } from "./records.ts";
import type { ProviderReport } from "./report.ts";
import { checkLauncher } from "./staging.ts";

/** What only the server, or a look at the processes, knows. */
export interface Heard {
  readonly lastEventAt: number | null;
  readonly sessions: readonly OpenSession[];
}

export interface ProviderHealth extends Health {
  readonly provider: string;
  readonly displayName: string;
  readonly program: string | null;
  readonly version: string | null;
  readonly installedAt: number | null;
  readonly lastEventAt: number | null;
}

export interface HealthOptions {
  readonly context: InstallContext;
  readonly records: Records;
  /** Null: not found. */
  readonly program: FoundProgram | null;
  readonly heard: Heard;
  /** Fights over its files that the server gave up. */
  readonly conflicts?: readonly string[];
  readonly now: number;
}

export async function observeHealth(
  record: ProviderRecord,
  options: HealthOptions,
): Promise<ProviderHealth> {
  const { context, records, program, heard, now } = options;
  const { report } = await reconcile(record, {
    context,
    program,
    records,
    isDryRun: true,
    isExplicit: true,
    now,
  });
  const install = records.providers[record.id];
  const found = report.files.reduce((sum, file) => sum + file.found, 0);
  const isManaged = found > 0 || install !== undefined;
  const facts: HealthFacts = {
    isManaged,
    hasProgram: report.program !== null,
    ...await problemsOf(report, context, { isManaged, given: options.conflicts ?? [] }),
    untrusted: isManaged ? await observeUntrusted(record, context, report.version) : [],
    trustFix: record.install.trust?.fix ?? null,
    afterInstall: record.install.afterInstall,
    installedAt: install?.installedAt ?? null,
    ...heard,
  };
  return {
    provider: record.id,
    displayName: record.displayName,
    ...judgeHealth(facts),
    program: report.program,
    version: report.version,
    installedAt: facts.installedAt,
    lastEventAt: heard.lastEventAt,
  };
}

type Problems = Pick<HealthFacts, "repairs" | "errors" | "conflicts">;

async function problemsOf(
  { files, obstacles, program, version, status }: ProviderReport,
  context: InstallContext,
  { isManaged, given }: { readonly isManaged: boolean; readonly given: readonly string[] },
): Promise<Problems> {
  const refused = files.flatMap(({ issue }) => issue === undefined ? [] : [issue]);
  const refusals = refused.filter(({ code }) => code === "conflict");
  const conflicts = [...given, ...refusals.map(({ message }) => message)];
  const errors = refused.filter(({ code }) => code !== "conflict").map(({ message }) => message);
  const launcher = await checkLauncher(context);
  // What the missing program would tell decides which events belong there: no drift without it.
  const knows = program !== null && version !== null;
  const drift = knows ? files.flatMap(driftOf) : [];
  return {
    repairs: launcher.ok ? drift : [launcher.issue.message, ...drift],
    errors: isManaged ? errors : [],
    conflicts: status === "conflict" || isManaged ? [...conflicts, ...obstacles] : [],
  };
}

function driftOf({ action, path, findings }: ProviderReport["files"][number]): string[] {
  if (action === "unchanged" || action === "refused") return [];
  const what = findings.length > 0
    ? findings.join("; ")
    : action === "removed"
    ? "obsolete"
    : "missing";
  return [`${path}: ${what}`];
}

export function healthPath(stateFolder: string): string {
  return `${stateFolder}/health.json`;
}

/** Last event times outlive the server: they are taken over from what was kept. */
export async function readHealth(stateFolder: string): Promise<Map<string, ProviderHealth>> {
  try {
    const value = JSON.parse(await Deno.readTextFile(healthPath(stateFolder)));
    return new Map(Object.entries(value.providers ?? {}));
  } catch {
    return new Map();
  }
}

export async function writeHealth(
  stateFolder: string,
  all: readonly ProviderHealth[],
): Promise<void> {
  const earlier = await readHealth(stateFolder);
  for (const health of all) earlier.set(health.provider, health);
  await writeJsonFile(healthPath(stateFolder), {
    version: 1,
    providers: Object.fromEntries(earlier),
  });
}

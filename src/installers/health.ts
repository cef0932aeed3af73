/** I/O edge: observes every provider for its health, and keeps the result in the state folder. */

import type { ProviderRecord } from "../core/provider.ts";
import type { InstallContext } from "./context.ts";
import { checkLauncher } from "./launcher_file.ts";
import { type Health, type HealthFacts, judgeHealth, type OpenSession } from "./judge.ts";
import { observeUntrusted } from "./observe.ts";
import type { FoundProgram } from "./program_version.ts";
import { reconcile } from "./reconcile.ts";
import { type Records, writeJsonFile } from "./records.ts";
import type { ProviderReport } from "./report.ts";
import { installedPlaces } from "./variables.ts";

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
  /** Why hooks cannot work with the program that is there, or null. */
  readonly unsupported: string | null;
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
  const { context, records, heard, conflicts = [] } = options;
  const { report, drift, ...found } = await observeProblems(record, options);
  const install = records.providers[record.id];
  const isManaged = report.files.some((file) => file.found > 0) || install !== undefined;
  const launcher = await checkLauncher(context);
  const isOurs = report.status === "conflict" || isManaged;
  const facts: HealthFacts = {
    isManaged,
    hasProgram: report.program !== null,
    repairs: launcher.ok ? drift : [launcher.issue.message, ...drift],
    errors: isManaged ? found.errors : [],
    conflicts: isOurs ? [...conflicts, ...found.conflicts] : [],
    unsupported: report.unsupported,
    untrusted: isManaged ? await untrustedIn(record, options, report.version) : [],
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
    unsupported: report.unsupported,
    installedAt: facts.installedAt,
    lastEventAt: heard.lastEventAt,
  };
}

/** What a look at a provider's files finds wrong, in a person's words. */
export interface Problems {
  readonly report: ProviderReport;
  readonly errors: readonly string[];
  readonly conflicts: readonly string[];
  /** What an install would repair. */
  readonly drift: readonly string[];
}

export async function observeProblems(
  record: ProviderRecord,
  { context, records, program, now }: Omit<HealthOptions, "heard" | "conflicts">,
): Promise<Problems> {
  const [place = context] = installedPlaces(context, record, records.providers[record.id]);
  const dry = { context: place, program, records, isDryRun: true, isExplicit: true, now };
  const { report } = await reconcile(record, dry);
  const { files, obstacles, version } = report;
  const refused = files.flatMap(({ issue }) => issue === undefined ? [] : [issue]);
  const errors = refused.filter(({ code }) => code !== "conflict").map(({ message }) => message);
  const refusals = refused.filter(({ code }) => code === "conflict");
  // What the missing program would tell decides which events belong there: no drift of texts without.
  const knows = program !== null && version !== null;
  const drift = files.filter(({ diff }) => knows || diff === undefined).flatMap(driftOf);
  const conflicts = [...refusals.map(({ message }) => message), ...obstacles];
  return { report, errors, conflicts, drift };
}

async function untrustedIn(
  record: ProviderRecord,
  { context, records }: Pick<HealthOptions, "context" | "records">,
  version: string | null,
): Promise<string[]> {
  const places = installedPlaces(context, record, records.providers[record.id]);
  const found = await Promise.all(
    places.map((place) => observeUntrusted(record, place, version)),
  );
  return found.flat();
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

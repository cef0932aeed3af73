/** Composes a provider's health from its files, the running processes and what the server heard. */

import type { ProcessTable } from "../core/process/process.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { createProcesses } from "../estimator/processes.ts";
import { readConflicts } from "../installers/conflicts.ts";
import { type Discovery, readDiscoveries } from "../installers/discover.ts";
import {
  observeHealth,
  type ProviderHealth,
  readHealth,
  writeHealth,
} from "../installers/health.ts";
import { observePrograms } from "../installers/observe.ts";
import { readRecords } from "../installers/records.ts";
import { readHeard } from "../socket/heard_file.ts";
import { installContext } from "./_install_context.ts";
import { latest, openSessions } from "./_open_sessions.ts";
import type { Told } from "./_told.ts";

/** With what the agent says of itself, which is no sign that its hooks are heard. */
export type FullHealth = ProviderHealth & { readonly discovery: Discovery | null };

/** @param told By provider id; null without a server. */
export async function providerHealth(
  records: readonly ProviderRecord[],
  told: ReadonlyMap<string, Told> | null,
): Promise<FullHealth[]> {
  const context = installContext();
  const { stateFolder } = context;
  const processes = createProcesses();
  const [kept, installs, conflicts, discoveries, table, programs] = await Promise.all([
    readHealth(stateFolder),
    readRecords(stateFolder),
    readConflicts(stateFolder),
    readDiscoveries(stateFolder),
    // Without it nothing is known of running agents.
    processes.readTable().catch((): ProcessTable => new Map()),
    observePrograms(records, context),
  ]);
  const heard = readHeard(stateFolder);
  const startOf = (row: Parameters<NonNullable<typeof processes.startedAt>>[0]) =>
    processes.startedAt?.(row) ?? null;
  const all = await Promise.all(records.map(async (record): Promise<FullHealth> => {
    const { id } = record;
    const said = told?.get(id) ?? null;
    const lastEventAt = latest([said?.lastAt, heard.get(id), kept.get(id)?.lastEventAt]);
    const sessions = openSessions(record, {
      processes: table,
      told: told === null ? null : said?.sessions ?? [],
      lastEventAt,
      startOf,
    });
    const health = await observeHealth(record, {
      context,
      records: installs,
      program: programs.get(id) ?? null,
      heard: { lastEventAt, sessions },
      conflicts: conflicts[id] ?? [],
      now: Date.now(),
    });
    return { ...health, discovery: discoveries[id] ?? null };
  }));
  // A look must not fail because its result cannot be kept.
  await writeHealth(stateFolder, all).catch(() => {});
  return all;
}

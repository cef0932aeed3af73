/** Composes a provider's health from its files, the running processes and what the server heard. */

import type { ProcessTable } from "../core/process.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { PROVIDERS } from "../core/registry.ts";
import { matchProcess } from "../core/signature.ts";
import { createProcesses } from "../estimator/processes.ts";
import {
  observeHealth,
  type ProviderHealth,
  readHealth,
  writeHealth,
} from "../installers/health.ts";
import type { OpenSession } from "../installers/judge.ts";
import { readRecords } from "../installers/records.ts";
import { installContext } from "./_install_context.ts";

/** When the server last heard of each provider; empty without a server. */
export type LastHeard = ReadonlyMap<string, number>;

export async function providerHealth(
  records: readonly ProviderRecord[],
  heard: LastHeard,
): Promise<ProviderHealth[]> {
  const context = installContext();
  const [kept, installs, processes] = await Promise.all([
    readHealth(context.stateFolder),
    readRecords(context.stateFolder),
    readTable(),
  ]);
  const now = Date.now();
  const all = await Promise.all(records.map((record) => {
    const lastEventAt = latest(heard.get(record.id), kept.get(record.id)?.lastEventAt);
    const sessions = openSessions(record, processes, { now, lastEventAt });
    return observeHealth(record, {
      context,
      records: installs,
      heard: { lastEventAt, sessions },
      now,
    });
  }));
  // A look must not fail because its result cannot be kept.
  await writeHealth(context.stateFolder, all).catch(() => {});
  return all;
}

function latest(...times: (number | null | undefined)[]): number | null {
  const known = times.filter((time) => typeof time === "number");
  return known.length === 0 ? null : Math.max(...known);
}

async function readTable(): Promise<ProcessTable> {
  try {
    return await createProcesses().readTable();
  } catch {
    return new Map(); // Then nothing is known of running agents.
  }
}

type SessionOptions = { readonly now: number; readonly lastEventAt: number | null };

/** Agents with a terminal; without one they are somebody's tool, not a pane. */
function openSessions(
  record: ProviderRecord,
  processes: ProcessTable,
  { lastEventAt }: SessionOptions,
): OpenSession[] {
  return [...processes.values()].flatMap((row) => {
    if (row.tty === null || matchProcess(row, PROVIDERS)?.provider !== record.id) return [];
    // The inner process of two is the agent; its launcher would name the same session again.
    const parent = processes.get(row.ppid);
    if (parent !== undefined && matchProcess(parent, PROVIDERS)?.provider === record.id) return [];
    const startedAt = startOf(row.pid);
    const name = `${row.cwd ?? row.tty} (pid ${row.pid})`;
    return [{ name, startedAt, movedAt: null, heardAt: lastEventAt }];
  });
}

/** The folder of a process is made when it starts; null where the system has none. */
function startOf(pid: number): number | null {
  try {
    return Deno.statSync(`/proc/${pid}`).mtime?.getTime() ?? null;
  } catch {
    return null;
  }
}

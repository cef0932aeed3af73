/** Composes a provider's health from its files, the running processes and what the server heard. */

import { uptime } from "node:os";
import type { ProcessRow, ProcessTable } from "../core/process.ts";
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
import { observePrograms } from "../installers/observe.ts";
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
  const [kept, installs, processes, programs] = await Promise.all([
    readHealth(context.stateFolder),
    readRecords(context.stateFolder),
    readTable(),
    observePrograms(records, context),
  ]);
  const now = Date.now();
  const all = await Promise.all(records.map((record) => {
    const lastEventAt = latest(heard.get(record.id), kept.get(record.id)?.lastEventAt);
    const sessions = openSessions(record, processes, { now, lastEventAt });
    return observeHealth(record, {
      context,
      records: installs,
      program: programs.get(record.id) ?? null,
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
  { now, lastEventAt }: SessionOptions,
): OpenSession[] {
  return [...processes.values()].flatMap((row) => {
    if (row.tty === null || matchProcess(row, PROVIDERS)?.provider !== record.id) return [];
    // The inner process of two is the agent; its launcher would name the same session again.
    const parent = processes.get(row.ppid);
    if (parent !== undefined && matchProcess(parent, PROVIDERS)?.provider === record.id) return [];
    const startedAt = startOf(row, now);
    const name = `${row.cwd ?? row.tty} (pid ${row.pid})`;
    return [{ name, startedAt, movedAt: null, heardAt: lastEventAt }];
  });
}

/** Clock ticks since boot on Linux (100 a second everywhere), a date elsewhere; null if neither. */
function startOf({ startTime }: ProcessRow, now: number): number | null {
  const ticks = /^(\d+)(?!\d*[-:/ ])/.exec(startTime)?.[1];
  const bootedAt = now - uptime() * 1000;
  const at = ticks === undefined ? Date.parse(startTime) : bootedAt + Number(ticks) * 10;
  return Number.isFinite(at) ? at : null;
}

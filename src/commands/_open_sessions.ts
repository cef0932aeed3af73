/** The agents that run in front of a person, each with what the server heard of it. Pure. */

import { ancestors, type ProcessRow, type ProcessTable } from "../core/process/process.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { PROVIDERS } from "../core/registry.ts";
import { matchProcess } from "../core/process/signature.ts";
import type { OpenSession } from "../installers/judge.ts";

/** An open session as the control API tells it. */
export type ToldSession = {
  readonly pid: number | null;
  readonly startTime: string | null;
  readonly tty: string | null;
  readonly heardAt: number | null;
  readonly movedAt: number | null;
};

export type OpenOptions = {
  readonly processes: ProcessTable;
  /** Null without a server. */
  readonly told: readonly ToldSession[] | null;
  /** Of the provider as a whole: all that is known without a server. */
  readonly lastEventAt: number | null;
  readonly startOf: (row: ProcessRow) => number | null;
};

export function openSessions(record: ProviderRecord, options: OpenOptions): OpenSession[] {
  const { processes, told, lastEventAt, startOf } = options;
  return [...processes.values()].filter((row) => isAgent(record, row, processes)).map((row) => {
    const own = told?.filter((session) => isOf(session, row, processes)) ?? [];
    return {
      name: `${row.cwd ?? row.tty} (pid ${row.pid})`,
      startedAt: startOf(row),
      heardAt: told === null ? lastEventAt : latest(own.map(({ heardAt }) => heardAt)),
      movedAt: latest(own.map(({ movedAt }) => movedAt)),
    };
  });
}

/** With a terminal: without one it is somebody's tool, not a pane. */
function isAgent(record: ProviderRecord, row: ProcessRow, processes: ProcessTable): boolean {
  const match = matchProcess(row, PROVIDERS);
  if (match?.provider !== record.id || !match.interactive) return false;
  // The outer process of two stands for both; the inner one would name the same session again.
  const parent = processes.get(row.ppid);
  return parent === undefined || matchProcess(parent, PROVIDERS)?.provider !== record.id;
}

/** By its process, or one below it; a session of a shared background process by its terminal. */
function isOf(session: ToldSession, row: ProcessRow, processes: ProcessTable): boolean {
  const { pid, startTime, tty } = session;
  if (pid === null) return tty !== null && tty === row.tty;
  if (pid === row.pid) return startTime === row.startTime;
  const inner = processes.get(pid);
  return inner?.startTime === startTime &&
    ancestors(processes, pid).some((ancestor) => ancestor.pid === row.pid);
}

export function latest(times: readonly (number | null | undefined)[]): number | null {
  const known = times.filter((time) => typeof time === "number");
  return known.length === 0 ? null : Math.max(...known);
}

/** The agents in one process table: which programs, where, and what they have started. */

import type { ChildSight } from "../core/estimate/agent_sight.ts";
import {
  children,
  foregroundOf,
  isDescendant,
  processID,
  type ProcessRow,
  type ProcessTable,
} from "../core/process/process.ts";
import { PROVIDERS } from "../core/registry.ts";
import { type AgentMatch, nearestAgent } from "../core/process/signature_agent.ts";
import { matchProcess } from "../core/process/signature.ts";

export type FoundAgent = {
  readonly match: AgentMatch;
  readonly row: ProcessRow;
  readonly isHeadless: boolean;
  readonly isForeground: boolean;
  readonly children: readonly ProcessRow[];
};

/** Our own hooks are children of an agent as well, and prove nothing. */
const OWN_WORDS = ["mytty-hook", "mytty"];

/** One entry per agent, launchers and forks folded into it; background services left out. */
export function findAgents(table: ProcessTable): readonly FoundAgent[] {
  let found = FOUND.get(table);
  if (found === undefined) FOUND.set(table, found = searchAgents(table));
  return found;
}

/** Most readings bring the very same table. */
const FOUND = new WeakMap<ProcessTable, readonly FoundAgent[]>();

function searchAgents(table: ProcessTable): FoundAgent[] {
  const found = new Map<number, AgentMatch>();
  for (const row of table.values()) {
    const own = matchProcess(row, PROVIDERS);
    if (own === null || own.shared) continue;
    const match = nearestAgent(table, row.pid, PROVIDERS);
    if (match === null || match.shared) continue;
    // Without a terminal it is a part of something else: an editor's, a service's.
    if (match.row.tty === null && match.leader.tty === null) continue;
    found.set(match.row.pid, match);
  }
  const agents = [...found.values()].filter((match) => !isFork(table, match, found));
  return agents.map((match) => ({
    match,
    row: match.row,
    isHeadless: !match.interactive,
    isForeground: isForeground(table, match),
    children: children(table, match.row.pid).filter((row) => !isOurs(row)),
  }));
}

/** A worker of the same agent, with the same words, below it. */
function isFork(
  table: ProcessTable,
  { row, provider }: AgentMatch,
  found: ReadonlyMap<number, AgentMatch>,
): boolean {
  const parent = table.get(row.ppid);
  const above = parent === undefined ? undefined : found.get(parent.pid);
  return above !== undefined && above.provider === provider &&
    (above.row.argv ?? []).join("\0") === (row.argv ?? []).join("\0");
}

function isForeground(table: ProcessTable, { row, leader }: AgentMatch): boolean {
  if (leader.tty === null || leader.foregroundPgid <= 0) return true;
  if (leader.pgid === leader.foregroundPgid || row.pgid === row.foregroundPgid) return true;
  // An editor or pager that the agent itself has opened.
  const group = foregroundOf(table, leader.tty, { sid: leader.sid });
  return group.some((each) => isDescendant(table, each.pid, leader.pid));
}

function isOurs({ argv = [] }: ProcessRow): boolean {
  return argv.some((word) =>
    OWN_WORDS.some((own) => word === own || word.endsWith(`/${own}`) || word.includes("mytty-hook"))
  );
}

/** Since when children are there, remembered between readings. */
export class ChildAges {
  #since = new Map<string, number>();

  sights(
    agents: readonly FoundAgent[],
    context: { readonly now: number; readonly startedAt: (row: ProcessRow) => number | null },
  ): Map<number, ChildSight[]> {
    const next = new Map<string, number>();
    const sights = new Map<number, ChildSight[]>();
    for (const { row: agent, children } of agents) {
      const ages = children.map((row) => {
        const key = `${row.pid} ${row.startTime}`;
        const startedAt = this.#since.get(key) ?? context.startedAt(row) ?? context.now;
        next.set(key, startedAt);
        return { process: processID(row), startedAt };
      });
      sights.set(agent.pid, ages);
    }
    this.#since = next;
    return sights;
  }
}

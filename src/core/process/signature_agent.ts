/**
 * From a process near an agent (a hook's parent, a pane's foreground group) to the agent itself.
 *
 * An npm agent is often two processes: a runtime's launcher that leads the pane's group, and the
 * real program below it. Both match; hooks, transcripts and registries belong to the inner one.
 */

import {
  ancestors,
  children,
  foregroundOf,
  type ProcessRow,
  type ProcessTable,
} from "./process.ts";
import { commandOf } from "./process_command.ts";
import { matchProcess, type ProcessMatch, type SignedProvider } from "./signature.ts";

export interface AgentMatch extends ProcessMatch {
  /** The program that does the work. */
  readonly row: ProcessRow;
  /** The outermost process of the same launch; the same as `row` without a launcher. */
  readonly leader: ProcessRow;
}

/**
 * The provider's own process at or above `pid`, through shells, `env` and launchers.
 *
 * With `others`, a nearer agent of another provider ends the walk with null: an agent that runs
 * another provider's hooks must not be taken for it, nor the agent that started it.
 */
export function agentProcess(
  table: ProcessTable,
  pid: number,
  options: { readonly provider: SignedProvider; readonly others?: readonly SignedProvider[] },
): AgentMatch | null {
  const found = nearestAgent(table, pid, [options.provider, ...(options.others ?? [])]);
  return found?.provider === options.provider.id ? found : null;
}

/** The nearest agent of any of the providers at or above `pid`. */
export function nearestAgent(
  table: ProcessTable,
  pid: number,
  providers: readonly SignedProvider[],
): AgentMatch | null {
  const start = table.get(pid);
  if (start === undefined) return null;
  for (const row of [start, ...ancestors(table, pid)]) {
    const match = matchProcess(row, providers);
    if (match !== null) return withLauncher(table, row, { match, providers });
  }
  return null;
}

/** The agent in the foreground of a terminal: the outermost match of its group, or null. */
export function foregroundAgent(
  table: ProcessTable,
  tty: string,
  options: { readonly providers: readonly SignedProvider[]; readonly sid?: number },
): AgentMatch | null {
  const { providers } = options;
  const group = foregroundOf(table, tty, options.sid === undefined ? {} : { sid: options.sid });
  const matches = new Map<number, { row: ProcessRow; match: ProcessMatch }>();
  for (const row of group) {
    const match = matchProcess(row, providers);
    if (match !== null) matches.set(row.pid, { row, match });
  }
  const outermost = [...matches.values()].find(({ row }) =>
    !ancestors(table, row.pid).some((above) => matches.has(above.pid))
  );
  return outermost === undefined
    ? null
    : withLauncher(table, outermost.row, { match: outermost.match, providers });
}

function withLauncher(
  table: ProcessTable,
  row: ProcessRow,
  context: { readonly match: ProcessMatch; readonly providers: readonly SignedProvider[] },
): AgentMatch {
  const { match, providers } = context;
  const isLaunch = (outer: ProcessRow, inner: ProcessRow) =>
    outer.pgid === inner.pgid && hasSameArgs(outer, inner) &&
    matchProcess(outer, providers)?.provider === match.provider &&
    matchProcess(inner, providers)?.provider === match.provider;
  let leader = row;
  for (const above of ancestors(table, row.pid)) {
    if (!isLaunch(above, leader)) break;
    leader = above;
  }
  return { ...match, row: innermost(table, leader, isLaunch), leader };
}

function innermost(
  table: ProcessTable,
  leader: ProcessRow,
  isLaunch: (outer: ProcessRow, inner: ProcessRow) => boolean,
): ProcessRow {
  // Ends: every step goes to a process not seen yet.
  const seen = new Set([leader.pid]);
  let row = leader;
  for (;;) {
    const below = children(table, row.pid).find((child) =>
      !seen.has(child.pid) && isLaunch(row, child) && !isFork(row, child)
    );
    if (below === undefined) return row;
    seen.add(below.pid);
    row = below;
  }
}

/** A launcher hands its words on; an agent that starts another of its kind gives it new ones. */
function hasSameArgs(outer: ProcessRow, inner: ProcessRow): boolean {
  return sameWords(commandOf(outer).args, commandOf(inner).args);
}

/** A launcher starts another command; an equal one is a fork of the agent (Qwen keeps one). */
function isFork(outer: ProcessRow, inner: ProcessRow): boolean {
  return sameWords(outer.argv ?? [], inner.argv ?? []);
}

function sameWords(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((word, at) => word === right[at]);
}

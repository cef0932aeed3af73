/** Reads what the process tree says about a hook while its caller is still there. */

import { type Origin, originOf } from "../core/placement/origin.ts";
import { type PaneEnv, paneKey } from "../core/placement/pane_key.ts";
import { PANE_VARIABLES } from "../core/placement/pane_variables.ts";
import type { PlacementEvidence } from "../core/placement/placement.ts";
import {
  ancestors,
  type Processes,
  processID,
  type ProcessRow,
  type ProcessTable,
  terminalHost,
} from "../core/process/process.ts";
import { commandOf, isBareShell } from "../core/process/process_command.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { findProvider, PROVIDERS } from "../core/registry.ts";
import { type AgentMatch, agentProcess, nearestAgent } from "../core/process/signature_agent.ts";
import { matchProcess } from "../core/process/signature.ts";
import type { HookRequest } from "../core/wire/hook_request.ts";

export type Evidence = Omit<PlacementEvidence, "provider" | "sessionID"> & {
  /** The other machine or container that the hook came from; null for this one. */
  readonly host: string | null;
};

/** Never rejects: evidence that cannot be read is evidence that is not there. */
export async function readEvidence(
  request: HookRequest,
  record: ProviderRecord,
  processes: Processes,
): Promise<Evidence> {
  const table = await readTable(request, record, processes);
  const start = table.get(request.pid ?? 0) ?? table.get(toldPid(request, record) ?? 0);
  const chain = start === undefined ? [] : [start, ...ancestors(table, start.pid)];
  const match = start === undefined ? null : findAgent(table, start.pid, { request, record });
  const origin = originOf(request.env, { hostname: Deno.hostname(), hasAgent: match !== null });
  const none = withoutProcess(request, record, origin);
  if (origin.host !== null || chain.length === 0) return none;
  const agent = match?.row ?? terminalProgram(chain);
  // Whoever happened to start a shared process is no parent of the sessions in it.
  const isOwn = match !== null && !match.shared;
  const above = isOwn ? nearestAgent(table, match.leader.ppid, PROVIDERS) : null;
  const isInShared = above?.shared === true;
  return {
    ...none,
    chain: isInShared ? beforeShared(chain) : chain,
    // What a shared process started inherits the variables of whoever started that process.
    claim: isInShared ? null : none.claim,
    agent,
    shared: match === null ? none.shared && agent === null : match.shared,
    outer: above === null || above.shared ? null : processID(above.row),
    outerSession: isInShared ? await outerSession(above, match!.row, processes) : null,
    paneKey: agent === null ? null : await paneKeyOf(table, agent, { env: request.env, processes }),
  };
}

/** The hook's caller and its ancestors, nearest first; empty when nobody is there any more. */
async function readTable(
  request: HookRequest,
  record: ProviderRecord,
  processes: Processes,
): Promise<ProcessTable> {
  for (const pid of [request.pid, toldPid(request, record)]) {
    if (pid === null) continue;
    const table = await processes.readChain(pid).catch(() => new Map() as ProcessTable);
    const row = table.get(pid);
    if (row !== undefined && isCaller(row, request, processes)) return table;
  }
  return new Map();
}

/** The caller of a spooled hook may be gone, and its pid somebody's who began only later. */
function isCaller(row: ProcessRow, { isSpooled, at }: HookRequest, processes: Processes): boolean {
  if (!isSpooled) return true;
  const startedAt = processes.startedAt?.(row) ?? null;
  return startedAt !== null && at !== null && startedAt <= at;
}

function toldPid({ env }: HookRequest, { hook }: ProviderRecord): number | null {
  const told = Number(hook.pidVariable === undefined ? NaN : env[hook.pidVariable]);
  return Number.isSafeInteger(told) && told > 0 ? told : null;
}

/** Without its process, a provider that shares one among panes may be speaking for any of them. */
function withoutProcess(request: HookRequest, record: ProviderRecord, origin: Origin): Evidence {
  const isRouted = record.routing === "session";
  const isHere = origin.host === null;
  return {
    backgroundJob: (record.hook.backgroundJob ?? []).some((name) => request.env[name]),
    claim: isRouted && !isHere && !origin.isRelayed ? null : request.claim,
    chain: [],
    agent: null,
    // Panes of this machine cannot hold the sessions of another.
    shared: isRouted && isHere,
    outer: null,
    paneKey: null,
    host: origin.host,
  };
}

function findAgent(
  table: ProcessTable,
  pid: number,
  { request, record }: { readonly request: HookRequest; readonly record: ProviderRecord },
): AgentMatch | null {
  const told = toldPid(request, record);
  const from = told !== null && table.has(told) ? told : pid;
  return agentProcess(table, from, { provider: record, others: PROVIDERS });
}

/** Ancestors above a shared process are those of the pane that happened to start it. */
function beforeShared(chain: readonly ProcessRow[]): readonly ProcessRow[] {
  const end = chain.findIndex((row) => matchProcess(row, PROVIDERS)?.shared === true);
  return end < 0 ? chain : chain.slice(0, end);
}

/** The session in which a shared process started this agent, where its variables say so. */
async function outerSession(
  above: AgentMatch,
  agent: ProcessRow,
  processes: Processes,
): Promise<{ provider: string; sessionID: string } | null> {
  const variable = findProvider(above.provider)?.hook.sessionVariable;
  if (variable === undefined) return null;
  const env = await processes.readEnv(agent.pid, [variable]).catch(() => null);
  const sessionID = env?.[variable];
  return sessionID ? { provider: above.provider, sessionID } : null;
}

/** An agent that no signature knows: the nearest program on a terminal that is not a shell. */
function terminalProgram(chain: readonly ProcessRow[]): ProcessRow | null {
  return chain.find((row) =>
    row.tty !== null && !isBareShell(row) && commandOf(row).programs.length > 0
  ) ??
    null;
}

/** Some agents clean their hooks' environment: the agent's own is asked then. */
async function paneKeyOf(
  table: ProcessTable,
  agent: ProcessRow,
  { env, processes }: { readonly env: PaneEnv; readonly processes: Processes },
): Promise<string | null> {
  const host = terminalHost(table, agent.pid);
  const options = {
    startOf: (pid: number) => table.get(pid)?.startTime,
    host: host === null ? null : processID(host),
  };
  const key = paneKey(env, options);
  if (key !== null) return key;
  const own = await processes.readEnv(agent.pid, PANE_VARIABLES).catch(() => null);
  return own === null ? null : paneKey(own, options);
}

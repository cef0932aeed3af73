/** Reads what the process tree says about a hook while its caller is still there. */

import { type Origin, originOf } from "../core/origin.ts";
import { type PaneEnv, paneKey } from "../core/pane_key.ts";
import { PANE_VARIABLES } from "../core/pane_variables.ts";
import type { PlacementEvidence } from "../core/placement.ts";
import {
  ancestors,
  type Processes,
  processID,
  type ProcessRow,
  type ProcessTable,
  terminalHost,
} from "../core/process.ts";
import { commandOf, isBareShell } from "../core/process_command.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { findProvider, PROVIDERS } from "../core/registry.ts";
import { type AgentMatch, agentProcess, nearestAgent } from "../core/signature_agent.ts";
import { matchProcess } from "../core/signature.ts";
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
  const table = await readTable(request, processes);
  const chain = request.pid === null ? [] : chainOf(table, request.pid);
  const match = chain.length === 0 ? null : findAgent(table, request, record);
  const origin = originOf(request.env, { hostname: Deno.hostname(), hasAgent: match !== null });
  const none = withoutProcess(request, record, origin);
  if (origin.host !== null || chain.length === 0) return none;
  const agent = match?.row ?? terminalProgram(chain);
  const above = match === null ? null : nearestAgent(table, match.leader.ppid, PROVIDERS);
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

async function readTable(request: HookRequest, processes: Processes): Promise<ProcessTable> {
  // A spooled hook's caller is gone, and its pid may be somebody else's by now.
  if (request.pid === null || request.isSpooled) return new Map();
  return await processes.readChain(request.pid).catch(() => new Map() as ProcessTable);
}

function chainOf(table: ProcessTable, pid: number): ProcessRow[] {
  const start = table.get(pid);
  return start === undefined ? [] : [start, ...ancestors(table, pid)];
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
  request: HookRequest,
  record: ProviderRecord,
): AgentMatch | null {
  const { pidVariable } = record.hook;
  const told = Number(pidVariable === undefined ? NaN : request.env[pidVariable]);
  const from = table.has(told) ? told : request.pid!;
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

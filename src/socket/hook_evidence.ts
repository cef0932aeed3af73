/** Reads what the process tree says about a hook while its caller is still there. */

import { type Processes, processID, type ProcessRow, type ProcessTable } from "../core/process.ts";
import { ancestors, terminalHost } from "../core/process.ts";
import { paneKey } from "../core/pane_key.ts";
import type { PlacementEvidence } from "../core/placement.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { commandOf, isBareShell } from "../core/process_command.ts";
import { PROVIDERS } from "../core/registry.ts";
import { type AgentMatch, agentProcess, nearestAgent } from "../core/signature_agent.ts";
import type { HookRequest } from "../core/wire/hook_request.ts";

export type Evidence = Omit<PlacementEvidence, "provider" | "sessionID">;

/** Never rejects: evidence that cannot be read is evidence that is not there. */
export async function readEvidence(
  request: HookRequest,
  record: ProviderRecord,
  processes: Processes,
): Promise<Evidence> {
  const backgroundJob = (record.hook.backgroundJob ?? []).some((name) => request.env[name]);
  const none = { backgroundJob, claim: request.claim, chain: [], agent: null, shared: false };
  // A spooled hook's caller is gone, and its pid may be somebody else's by now.
  if (request.pid === null || request.isSpooled) return { ...none, outer: null, paneKey: null };
  const table = await processes.readChain(request.pid).catch(() => new Map() as ProcessTable);
  const start = table.get(request.pid);
  if (start === undefined) return { ...none, outer: null, paneKey: null };
  const chain = [start, ...ancestors(table, request.pid)];
  const match = findAgent(table, request, record);
  const agent = match?.row ?? terminalProgram(chain);
  const above = match === null ? null : nearestAgent(table, match.leader.ppid, PROVIDERS);
  return {
    ...none,
    chain,
    agent,
    shared: match?.shared ?? false,
    outer: above === null || above.shared ? null : processID(above.row),
    paneKey: agent === null ? null : paneKeyOf(table, agent, request.env),
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

/** An agent that no signature knows: the nearest program on a terminal that is not a shell. */
function terminalProgram(chain: readonly ProcessRow[]): ProcessRow | null {
  return chain.find((row) =>
    row.tty !== null && !isBareShell(row) && commandOf(row).programs.length > 0
  ) ??
    null;
}

function paneKeyOf(
  table: ProcessTable,
  agent: ProcessRow,
  env: Readonly<Record<string, string>>,
): string | null {
  const host = terminalHost(table, agent.pid);
  return paneKey(env, {
    startOf: (pid) => table.get(pid)?.startTime,
    host: host === null ? null : processID(host),
  });
}

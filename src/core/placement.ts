/**
 * Which surface a raw hook belongs to (design section 5). Inherited variables are a claim; the
 * process tree and the session are evidence. More than one match is no match: never guess.
 *
 * Pure: the evidence was read at the edge, the decision is made on the state at the event's turn.
 */

import { boundSurface } from "./authorize.ts";
import type { ProcessID, SurfaceOpened } from "./event.ts";
import { derivedID, sha256Hex } from "./ids.ts";
import { isSameProcess, processID, type ProcessRow } from "./process.ts";
import { sessionKey, type State } from "./state.ts";
import type { SurfaceClaim } from "./wire/hook_request.ts";

export type PlacementEvidence = {
  readonly provider: string;
  readonly sessionID: string | null;
  /** An explicit background job belongs to no pane. */
  readonly backgroundJob: boolean;
  readonly claim: SurfaceClaim | null;
  /** The hook's ancestors, nearest first; empty where the tree could not be read. */
  readonly chain: readonly ProcessRow[];
  /** The agent's own process; null when it was not recognised. */
  readonly agent: ProcessRow | null;
  /** One process for sessions of many panes: its environment and ancestry prove no pane. */
  readonly shared: boolean;
  /** The next agent above this one, when it was started by another agent. */
  readonly outer: ProcessID | null;
  /** Key of the multiplexer or terminal pane; includes the server's identity. */
  readonly paneKey: string | null;
};

export type Rule =
  | "background-job"
  | "session"
  | "process"
  | "capability"
  | "adopted"
  | "unplaced";

export type Placement = {
  readonly surfaceID: string | null;
  readonly parentRunID: string | null;
  readonly rule: Rule;
  /** The pane is new to us and is opened with this entry. */
  readonly opens: SurfaceOpened | null;
};

export function placeHook(state: State, evidence: PlacementEvidence): Placement {
  if (evidence.backgroundJob) return placed(null, "background-job");
  const parentRunID = nestedParent(state, evidence);
  const found = findSurface(state, evidence);
  return parentRunID === null ? found : { ...found, parentRunID };
}

function findSurface(state: State, evidence: PlacementEvidence): Placement {
  const bound = boundSurface(state, evidence.provider, evidence.sessionID);
  if (evidence.shared) {
    return bound === null ? placed(null, "unplaced") : placed(bound, "session");
  }
  if (bound !== null && isSameAgent(state, evidence)) return placed(bound, "session");
  const byProcess = surfaceOfChain(state, evidence);
  if (byProcess !== undefined) {
    return placed(byProcess, byProcess === null ? "unplaced" : "process");
  }
  const claimed = claimedSurface(state, evidence);
  if (claimed !== null) return placed(claimed, "capability");
  const opens = adoption(evidence);
  if (opens === null) return placed(null, "unplaced");
  const known = state.surfaces.get(opens.surfaceID);
  // A pane that the person closed stays closed: what still runs there is listed without a pane.
  if (known !== undefined && known.closedAt !== null) return placed(null, "unplaced");
  if (known !== undefined) return placed(opens.surfaceID, "adopted");
  return { surfaceID: opens.surfaceID, parentRunID: null, rule: "adopted", opens };
}

function placed(surfaceID: string | null, rule: Rule): Placement {
  return { surfaceID, parentRunID: null, rule, opens: null };
}

function isSameAgent(state: State, { provider, sessionID, agent }: PlacementEvidence): boolean {
  const known = state.sessions.get(sessionKey(provider, sessionID ?? ""))?.process ?? null;
  return known !== null && agent !== null && isSameProcess(known, agent);
}

/** The nearest ancestor that is an open surface's root; null when two surfaces claim it. */
function surfaceOfChain(state: State, { chain }: PlacementEvidence): string | null | undefined {
  if (chain.length === 0) return undefined;
  const roots = new Map<string, string[]>();
  for (const surface of state.surfaces.values()) {
    if (surface.closedAt !== null || surface.root === null) continue;
    const key = processKey(surface.root);
    roots.set(key, [...roots.get(key) ?? [], surface.surfaceID]);
  }
  for (const row of chain) {
    const surfaces = roots.get(processKey(row));
    if (surfaces !== undefined) return surfaces.length === 1 ? surfaces[0]! : null;
  }
  return undefined;
}

function claimedSurface(state: State, { claim }: PlacementEvidence): string | null {
  if (claim === null) return null;
  if (claim.capability === null) {
    return state.surfaces.get(claim.surfaceID)?.closedAt === null ? claim.surfaceID : null;
  }
  const owner = state.capabilities.get(sha256Hex(claim.capability));
  return owner === claim.surfaceID ? owner : null;
}

/**
 * A pane nobody opened: known by the process that leads its terminal, so that a reused tty name or
 * pid is another pane. An agent without a terminal has no pane.
 */
function adoption({ agent, chain, paneKey }: PlacementEvidence): SurfaceOpened | null {
  if (agent === null || agent.tty === null) return null;
  const root = terminalLeader(agent, chain);
  const surfaceID = derivedID("surface", "adopted", paneKey ?? agent.tty, processKey(root));
  return {
    type: "surface-opened",
    id: derivedID("event", "surface-opened", surfaceID),
    surfaceID,
    capabilityHash: null,
    label: null,
    cwd: root.cwd ?? agent.cwd ?? null,
    tty: agent.tty,
    root: processID(root),
    multiplexer: paneKey,
    adopted: true,
  };
}

function terminalLeader(agent: ProcessRow, chain: readonly ProcessRow[]): ProcessRow {
  const onTerminal = chain.filter((row) => row.tty === agent.tty);
  return onTerminal.find((row) => row.pid === agent.sid) ?? onTerminal.at(-1) ?? agent;
}

/** The current run of the session whose agent started this one. */
function nestedParent(
  state: State,
  { outer, provider, sessionID }: PlacementEvidence,
): string | null {
  if (outer === null) return null;
  for (const session of state.sessions.values()) {
    if (session.process === null || !isSameProcess(session.process, outer)) continue;
    const isItself = session.provider === provider && session.sessionID === sessionID;
    if (!isItself && session.endedAt === null) return session.currentRunID;
  }
  return null;
}

function processKey({ pid, startTime }: ProcessID): string {
  return `${pid} ${startTime}`;
}

/**
 * Which surface a raw hook belongs to (design section 5). Inherited variables are a claim; the
 * process tree and the session are evidence. More than one match is no match: never guess.
 *
 * Pure: the evidence was read at the edge, the decision is made on the state at the event's turn.
 */

import { boundSurface } from "./authorize.ts";
import type { ProcessID, SurfaceOpened } from "../log/event.ts";
import { sha256Hex } from "../ids.ts";
import { nestedParent, servedRun } from "./nested_agent.ts";
import { placeInTerminal, placeRoute, surfacesOfChain } from "./pane_place.ts";
import { isSameProcess, type ProcessRow } from "../process/process.ts";
import type { RouteEvidence } from "./session_routing.ts";
import { sessionKey, type State } from "../log/state.ts";
import type { SurfaceClaim } from "../wire/hook_request.ts";

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
  /** The session of a shared process in which this agent was started, where it says so. */
  readonly outerSession?: { readonly provider: string; readonly sessionID: string } | null;
  /** Key of the multiplexer or terminal pane; includes the server's identity. */
  readonly paneKey: string | null;
  /** What tells a session's pane where its process does not. */
  readonly routing?: RouteEvidence | null;
};

export type Placement = {
  readonly surfaceID: string | null;
  readonly parentRunID: string | null;
  readonly rule: string;
  /** What stood against a firmer rule, or why there is no pane. */
  readonly why?: string;
  /** The pane is new to us and is opened with this entry. */
  readonly opens: SurfaceOpened | null;
  /** The pane's own process, where another one speaks for the session. */
  readonly process?: ProcessID;
};

export function placeHook(state: State, evidence: PlacementEvidence): Placement {
  if (evidence.backgroundJob) return { ...nowhere("background-job"), parentRunID: null };
  const found = evidence.outerSession
    ? placeUnderSession(state, evidence.outerSession)
    : findSurface(state, evidence);
  return { parentRunID: nestedParent(state, evidence, found.surfaceID), ...found };
}

type Found = Omit<Placement, "parentRunID"> & Partial<Placement>;

function findSurface(state: State, evidence: PlacementEvidence): Found {
  const { provider, sessionID, chain, claim, shared } = evidence;
  const bound = boundSurface(state, provider, sessionID);
  if (shared) return placeShared(state, evidence, bound);
  if (bound !== null && isSameAgent(state, evidence)) return placed(bound, "session");
  const claimed = claimedSurface(state, claim);
  const byProcess = surfacesOfChain(state, chain);
  if (byProcess.length === 1) return placed(byProcess[0]!, "process");
  if (byProcess.length > 1) {
    // The capability decides between panes that one process leads, and only between them.
    if (claimed !== null && byProcess.includes(claimed)) return placed(claimed, "capability");
    return nowhere("unplaced", "more than one surface is led by the same process");
  }
  if (claimed !== null) return placed(claimed, "capability");
  return placeInTerminal(state, evidence);
}

function placeShared(
  state: State,
  { provider, sessionID, routing }: PlacementEvidence,
  bound: string | null,
): Found {
  if (routing && sessionID !== null) {
    const routed = placeRoute({ state, provider, sessionID, evidence: routing });
    if (routed.surfaceID !== null || !isLoose(state, provider, sessionID)) return routed;
  }
  if (bound !== null) return placed(bound, "session");
  return nowhere("unplaced", "one background process serves many panes");
}

/** Bound by word alone, to no process that could have gone. */
function isLoose(state: State, provider: string, sessionID: string): boolean {
  const session = state.sessions.get(sessionKey(provider, sessionID));
  return session !== undefined && session.surfaceID !== null && session.process === null;
}

/** An agent inside a shared process: its variables name the session that started it. */
function placeUnderSession(
  state: State,
  { provider, sessionID }: { readonly provider: string; readonly sessionID: string },
): Found {
  const parent = state.sessions.get(sessionKey(provider, sessionID));
  const surfaceID = boundSurface(state, provider, sessionID);
  if (parent === undefined || surfaceID === null) {
    return nowhere("unplaced", "the session that started it has no pane");
  }
  return { ...placed(surfaceID, "parent-session"), parentRunID: servedRun(parent) };
}

function placed(surfaceID: string, rule: string): Found {
  return { surfaceID, rule, opens: null };
}

function nowhere(rule: string, why?: string): Found {
  return { surfaceID: null, rule, opens: null, ...(why === undefined ? {} : { why }) };
}

function isSameAgent(state: State, { provider, sessionID, agent }: PlacementEvidence): boolean {
  const known = state.sessions.get(sessionKey(provider, sessionID ?? ""))?.process ?? null;
  return known !== null && agent !== null && isSameProcess(known, agent);
}

function claimedSurface(state: State, claim: SurfaceClaim | null): string | null {
  if (claim === null) return null;
  if (claim.capability === null) {
    return state.surfaces.get(claim.surfaceID)?.closedAt === null ? claim.surfaceID : null;
  }
  const owner = state.capabilities.get(sha256Hex(claim.capability));
  return owner === claim.surfaceID ? owner : null;
}

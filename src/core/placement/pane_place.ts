/** From a process on a terminal to the surface of its pane: the one it has, or a new one. */

import type { SurfaceOpened } from "../log/event.ts";
import { derivedID } from "../ids.ts";
import { isSameProcess, processID, processKey, type ProcessRow } from "../process/process.ts";
import { type RouteEvidence, type RoutePane, routeSession } from "./session_routing.ts";
import type { State } from "../log/state.ts";
import type { ProcessID } from "../process/process.ts";

export type PanePlace = {
  readonly surfaceID: string | null;
  readonly rule: string;
  readonly why?: string;
  readonly opens: SurfaceOpened | null;
};

type InTerminal = {
  readonly agent: ProcessRow | null;
  /** From the agent or below it upwards, nearest first. */
  readonly chain: readonly ProcessRow[];
  readonly paneKey: string | null;
};

/**
 * Open surfaces led by the nearest ancestor that leads any. One that somebody opened counts before
 * one that was only adopted.
 */
export function surfacesOfChain(state: State, chain: readonly ProcessRow[]): readonly string[] {
  for (const row of chain) {
    const surfaces = state.roots.get(processKey(row));
    if (surfaces === undefined) continue;
    const opened = surfaces.filter((id) => state.surfaces.get(id)?.adopted === false);
    return opened.length > 0 ? opened : surfaces;
  }
  return [];
}

/** The surface of a pane that nobody opened; an agent without a terminal has no pane. */
export function placeInTerminal(state: State, terminal: InTerminal): PanePlace {
  const opens = adoption(terminal);
  if (opens === null) return nowhere("no agent on a terminal was found above the hook");
  // What was in a pane that the person closed stays without one; who comes after it gets one.
  if (wasClosed(state, terminal)) return nowhere("its surface was closed");
  const isOpen = state.surfaces.get(opens.surfaceID)?.closedAt === null;
  return {
    surfaceID: isOpen ? opens.surfaceID : unused(state, opens).surfaceID,
    rule: "adopted",
    opens: isOpen ? null : unused(state, opens),
  };
}

/** Whether this very process, or one that it comes from, had spoken in a surface that a person closed. */
function wasClosed(state: State, { agent, chain }: InTerminal): boolean {
  const rows = agent === null ? chain : [agent, ...chain];
  function isClosed(surfaceID: string | null): boolean {
    return state.surfaces.get(surfaceID ?? "")?.closeReason === "closed";
  }
  function isIts(process: ProcessID | null | undefined): boolean {
    return process ? rows.some((row) => isSameProcess(process, row)) : false;
  }
  for (const { surfaceID, process } of state.sessions.values()) {
    if (isIts(process) && isClosed(surfaceID)) return true;
  }
  // An agent of which only the process is known has runs, but no session.
  for (const [place, runID] of state.latest) {
    if (isClosed(place) && isIts(state.runs.get(runID)?.process)) return true;
  }
  return false;
}

/** The pane's surface, or its next one where earlier ones were closed. */
function unused(state: State, opens: SurfaceOpened): SurfaceOpened {
  let { surfaceID } = opens;
  // Ends: the log holds so many surfaces and no more.
  while (state.surfaces.has(surfaceID)) surfaceID = derivedID("surface", "again", surfaceID);
  return { ...opens, id: derivedID("event", "surface-opened", surfaceID), surfaceID };
}

export type Routed = PanePlace & { readonly process?: ProcessID };

/** The surface of the pane that a session is routed to. */
export function placeRoute(question: {
  readonly state: State;
  readonly provider: string;
  readonly sessionID: string;
  readonly evidence: RouteEvidence;
}): Routed {
  const route = routeSession(question);
  if (route.pane === null) return nowhere(route.why);
  const place = surfaceOfPane(question.state, route.pane);
  if (place.surfaceID === null) return place;
  return { ...place, rule: route.rule, process: processID(route.pane.agent) };
}

function surfaceOfPane(state: State, pane: RoutePane): PanePlace {
  const surfaces = surfacesOfChain(state, [pane.agent, ...pane.chain]);
  if (surfaces.length > 1) return nowhere("more than one surface is led by the same process");
  const [surfaceID] = surfaces;
  if (surfaceID !== undefined) return { surfaceID, rule: "process", opens: null };
  return placeInTerminal(state, { ...pane, chain: [pane.agent, ...pane.chain] });
}

/**
 * A pane is known by the process that leads its terminal, so that a reused tty name, pid or pane
 * number is another pane.
 */
function adoption({ agent, chain, paneKey }: InTerminal): SurfaceOpened | null {
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

function nowhere(why: string): PanePlace {
  return { surfaceID: null, rule: "unplaced", why, opens: null };
}

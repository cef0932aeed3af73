/** Events about a process that nothing else tells of, and which sessions belong to a process. */

import type { AgentEvent, EventKind } from "../log/event.ts";
import type { Decision } from "./estimate.ts";
import type { AgentSight } from "./agent_sight.ts";
import { HOOK_LEAD_MS } from "./estimate_session.ts";
import { processKey } from "../process/process.ts";
import { derivedID, runIDOf } from "../ids.ts";
import { findProvider } from "../registry.ts";
import type { Session, State } from "../log/state.ts";

/**
 * What a launch means. An agent whose prompts would be told (by hooks that speak, by a file made
 * with the first prompt) sits at its prompt; of others only the process is known, and it runs.
 */
export function launchKind(sight: AgentSight, isHooked: boolean): EventKind {
  if (sight.isHeadless) return "started";
  const isTold = isHooked || findProvider(sight.provider)?.transcript?.absentIsIdle === true;
  return isTold ? "idle" : "started";
}

/** Whether a hook says that the program is ready: a print run begins with its prompt. */
export function isToldReady({ isHeadless, provider }: AgentSight): boolean {
  return isHeadless || findProvider(provider)?.hook.readyIsTold === true;
}

export function processEvent(
  sight: AgentSight,
  { runID, kind, name, now }: {
    readonly runID: string;
    readonly kind: EventKind;
    readonly name: string;
    readonly now: number;
  },
): AgentEvent {
  const hookName = `mytty.native.${name}`;
  return {
    type: "agent-event",
    id: derivedID("event", hookName, runID),
    runID,
    provider: sight.provider,
    kind,
    occurredAt: kind === "started" ? Math.min(now, sight.startedAt) : now,
    source: "process",
    sessionID: null,
    surfaceID: sight.surfaceID,
    message: null,
    hookName,
    toolUseID: null,
    toolName: null,
    process: sight.process,
    ...(sight.parentRunID === null ? {} : { parentRunID: sight.parentRunID, nested: true }),
    ...(sight.cwd === null ? {} : { cwd: sight.cwd }),
  };
}

/** A print run has its prompt from the start, also where no hook tells it. */
export function headlessStart(sight: AgentSight, session: Session, now: number): Decision[] {
  if (!sight.isHeadless || now - session.at < HOOK_LEAD_MS) return [];
  const { sessionID, surfaceID } = session;
  const runID = runIDOf(sight.provider, sessionID, "headless");
  const event = processEvent(sight, { runID, kind: "started", name: "headlessStarted", now });
  return [(at) => at.runs.has(runID) ? [] : [{ ...event, sessionID, surfaceID }]];
}

/**
 * Open sessions by their process; where a session's process is not known, by pane and provider.
 * The one that spoke last counts: a process holds one conversation at a time.
 */
export function sessionsByProcess(state: State): ReadonlyMap<string, Session> {
  const found = new Map<string, Session>();
  const note = (key: string, session: Session) => {
    if (session.position >= (found.get(key)?.position ?? -1)) found.set(key, session);
  };
  for (const session of state.sessions.values()) {
    if (session.endedAt !== null) continue;
    const { process, surfaceID, provider } = session;
    if (process !== null) note(processKey(process), session);
    else if (surfaceID !== null) note(`${surfaceID} ${provider}`, session);
  }
  return found;
}

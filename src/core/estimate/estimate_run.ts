/** What the process table says about a run, as entries. */

import type { AgentEvent, LogEntry } from "../log/event.ts";
import type { AgentSight } from "./agent_sight.ts";
import { derivedID } from "../ids.ts";
import type { Run, State } from "../log/state.ts";

export function opening(state: State, { opens }: AgentSight): LogEntry[] {
  return opens === null || state.surfaces.has(opens.surfaceID) ? [] : [opens];
}

type Parts = { readonly kind: AgentEvent["kind"]; readonly name: string; readonly now: number };

/** What the table says about a run that hooks or files made. */
export function aboutRun(run: Run, { kind, name, now }: Parts): AgentEvent {
  const hookName = `mytty.native.${name}`;
  return {
    type: "agent-event",
    id: derivedID("event", hookName, run.runID, String(run.position)),
    runID: run.runID,
    provider: run.provider,
    kind,
    occurredAt: Math.max(now, run.updatedAt),
    source: "process",
    sessionID: run.sessionID,
    surfaceID: run.surfaceID,
    message: null,
    hookName,
    toolUseID: null,
    toolName: null,
    ...(kind === "running" ? { settles: "all" } : {}),
    ...(run.parentRunID === null ? {} : { parentRunID: run.parentRunID }),
  };
}

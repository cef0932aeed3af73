/**
 * A turn that broke off: its last tool has finished, and then nothing came, neither word nor hook.
 * A turn in which a tool still runs is never stale, however long it takes.
 */

import type { LogEntry } from "../log/event.ts";
import type { SessionRef } from "./estimate_session.ts";
import { derivedID } from "../ids.ts";
import { sessionKey, type State } from "../log/state.ts";

/** Models think for minutes; nobody watches one for longer than this without a sign. */
export const STALE_MS = 10 * 60_000;

export function staleEntries(
  state: State,
  { ref, since }: { readonly ref: SessionRef; readonly since: number },
  now: number,
): LogEntry[] {
  const session = state.sessions.get(sessionKey(ref.provider, ref.sessionID));
  const run = session?.currentRunID ? state.runs.get(session.currentRunID) : undefined;
  if (run?.state !== "running" || run.background) return [];
  // A hook that came later speaks for it.
  if (run.updatedAt > since || now - run.updatedAt < STALE_MS) return [];
  const hookName = "mytty.native.turnStale";
  return [{
    type: "agent-event",
    id: derivedID("event", hookName, run.runID, String(run.position)),
    runID: run.runID,
    provider: run.provider,
    kind: "idle",
    occurredAt: now,
    source: "transcript",
    sessionID: run.sessionID,
    surfaceID: run.surfaceID,
    message: "No sign of work since its last tool finished, ten minutes ago",
    hookName,
    toolUseID: null,
    toolName: null,
    weak: true,
    ...(run.parentRunID === null ? {} : { parentRunID: run.parentRunID }),
  }];
}

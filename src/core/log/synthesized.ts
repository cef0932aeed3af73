/** Events that the daemon makes itself. Their ids are derived, so making one twice has no effect. */

import { endOfGone } from "./run_end.ts";
import type { AgentEvent, SessionEnded } from "./event.ts";
import { derivedID } from "../ids.ts";
import type { Run, Session } from "./state.ts";

/** `run` ends without success or failure because of `cause`. */
export function synthesizedIdle(
  run: Run,
  cause: { id: string; occurredAt: number },
  hookName: string,
): AgentEvent {
  return {
    type: "agent-event",
    id: derivedID("event", hookName, run.runID, cause.id),
    runID: run.runID,
    provider: run.provider,
    kind: "idle",
    // Never before what the run itself last said: a start from a stepped-back clock still ends it.
    occurredAt: Math.max(cause.occurredAt, run.updatedAt),
    source: "server",
    sessionID: run.sessionID,
    surfaceID: run.surfaceID,
    message: null,
    hookName,
    toolUseID: null,
    toolName: null,
    ...(run.parentRunID === null ? {} : { parentRunID: run.parentRunID }),
  };
}

/** `run` ends because its process is gone: lost, where there was anything to lose. */
export function synthesizedGone(
  run: Run,
  cause: { id: string; occurredAt: number },
  hookName: string,
): AgentEvent {
  return { ...synthesizedIdle(run, cause, hookName), ...endOfGone(run) };
}

/** `session` is over because of `cause`, as the daemon saw it. */
export function endedSession(
  session: Session,
  cause: { id: string; occurredAt: number },
  { hookName, reason }: { hookName: string; reason: SessionEnded["reason"] },
): SessionEnded {
  return {
    type: "session-ended",
    id: derivedID("event", hookName, session.key, cause.id),
    provider: session.provider,
    sessionID: session.sessionID,
    occurredAt: cause.occurredAt,
    source: "server",
    hookName,
    reason,
  };
}

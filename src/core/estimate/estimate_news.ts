/**
 * Whether what a file tells is news: hooks win while they speak, so a reading counts only where it
 * says more than the state does. Pure: decided on the state at the reading's turn.
 */

import { type AgentEvent, isLive, isWaiting } from "../log/event.ts";
import type { SessionEnded, SessionStarted } from "../log/event.ts";
import { type Run, sessionKey, type State } from "../log/state.ts";

/** A hook and a transcript tell one start within this long of each other, under whatever key. */
const SAME_START_MS = 2_000;

/** Clocks of two programs on one machine: what a file dates just before the run is still of it. */
const SLACK_MS = 1_000;

export type Entry = AgentEvent | SessionStarted | SessionEnded;

export function isNews(state: State, entry: Entry): boolean {
  if (entry.type === "session-started") return isNewSession(state, entry);
  if (entry.type === "session-ended") return true;
  const run = state.runs.get(entry.runID);
  switch (entry.kind) {
    case "started":
      return isNewStart(state, entry, run);
    case "succeeded":
    case "failed":
    case "idle":
      return isNewEnd(entry, run);
    case "approval-requested":
    case "input-requested":
      return run?.state === "running" && isAfter(entry, run);
    case "running":
      return isAnswer(entry, run);
    case "disconnected":
      return run !== undefined && isLive(run.state);
  }
}

function isNewSession(state: State, entry: SessionStarted): boolean {
  const known = state.sessions.get(sessionKey(entry.provider, entry.sessionID));
  if (known === undefined) return true;
  // Seen again after its end: only what happened since tells of a new life.
  if (known.endedAt !== null) return entry.occurredAt > known.endedAt;
  const isBound = known.surfaceID !== null || entry.surfaceID === null;
  const hasFile = known.transcript !== null || entry.transcript === undefined;
  const hasProcess = known.process !== null || entry.process === undefined;
  return !isBound || !hasFile || !hasProcess;
}

function isNewStart(state: State, entry: AgentEvent, run: Run | undefined): boolean {
  if (run?.startSeen) {
    return !isLive(run.state) && run.endedAt !== null && entry.occurredAt > run.endedAt;
  }
  const session = state.sessions.get(sessionKey(entry.provider, entry.sessionID ?? ""));
  if (session !== undefined && session.endedAt !== null && entry.occurredAt <= session.endedAt) {
    return false;
  }
  const current = session?.currentRunID ? state.runs.get(session.currentRunID) : undefined;
  if (current === undefined || current.startedAt === null) return true;
  if (current.source === "process") return true;
  // A file that was rewritten is read anew: an earlier turn may be the last one in it.
  if (entry.occurredAt < current.startedAt - SAME_START_MS) return false;
  if (current.source === "transcript") return true;
  return Math.abs(current.startedAt - entry.occurredAt) > SAME_START_MS;
}

function isNewEnd(entry: AgentEvent, run: Run | undefined): boolean {
  if (run === undefined) return false;
  if (!isLive(run.state)) return run.endGuessed && entry.kind !== "idle";
  if (run.background && entry.kind === "succeeded") return false;
  // An earlier end of a turn that was taken up again.
  return run.startedAt === null || entry.occurredAt >= run.startedAt - SLACK_MS;
}

function isAnswer(entry: AgentEvent, run: Run | undefined): boolean {
  if (run === undefined || !isWaiting(run.state)) return false;
  if (entry.settles === "all") return isAfter(entry, run);
  const keys = Array.isArray(entry.settles) ? entry.settles : [];
  return run.requests.some((open) =>
    open.weak || keys.includes(open.key) ||
    (open.toolUseID !== null && keys.includes(open.toolUseID))
  ) && isAfter(entry, run);
}

function isAfter(entry: AgentEvent, run: Run): boolean {
  return entry.occurredAt >= run.updatedAt - SLACK_MS;
}

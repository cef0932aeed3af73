/**
 * What a live status file says against what is shown: ESC, a refusal and an approval, which no hook
 * tells. It refines the session's run; where none is known, it opens one that the transcript's turn
 * takes over.
 */

import { type AgentEvent, isLive, isWaiting, type LogEntry } from "../log/event.ts";
import { HOOK_LEAD_MS, type SessionRef, STATUS_LEAD_MS } from "./estimate_session.ts";
import { derivedID, runIDOf } from "../ids.ts";
import type { LiveStatus } from "./reading.ts";
import { processKey } from "../process/process.ts";
import { liveRuns } from "../log/run_index.ts";
import { placeKey, type Run, sessionKey, type State } from "../log/state.ts";

export type StatusContext = {
  readonly ref: SessionRef;
  readonly status: LiveStatus;
  /** When this status was first seen. */
  readonly since: number;
  readonly now: number;
  readonly isHooked: boolean;
  /** Hooks may still come for a session that is new. */
  readonly isExpected: boolean;
};

/** The status was written a moment before or after the hook of the same moment ran. */
const SLACK_MS = 300;

export function statusEntries(state: State, context: StatusContext): LogEntry[] {
  const { ref, now, since } = context;
  const session = state.sessions.get(sessionKey(ref.provider, ref.sessionID));
  const isOver = session !== undefined && session.endedAt !== null &&
    (context.status.at ?? since) <= session.endedAt;
  if (isOver) return [];
  if (session === undefined || session.endedAt !== null) {
    const lead = context.isExpected ? HOOK_LEAD_MS : 0;
    return now - since < lead ? [] : [observedSession(context)];
  }
  const run = session.currentRunID === null ? undefined : state.runs.get(session.currentRunID);
  switch (context.status.phase) {
    case "idle":
      return idleEntries(run, context);
    case "busy":
      return busyEntries(state, run, context);
    case "waiting":
      return waitingEntries(state, run, context);
    case null:
      return [];
  }
}

function idleEntries(run: Run | undefined, context: StatusContext): LogEntry[] {
  if (run === undefined || !isLive(run.state) || run.background || !isNewer(run, context)) {
    return [];
  }
  // Without hooks the transcript says how it ended; it is written a little later.
  if (!context.isHooked && context.now - context.since < HOOK_LEAD_MS) return [];
  const event = about(run, context, { kind: "idle", hookName: "mytty.native.statusIdle" });
  // A turn that ended well says so itself: its hook may be dated just before this.
  return [isWaiting(run.state) ? event : { ...event, weak: true }];
}

function busyEntries(state: State, run: Run | undefined, context: StatusContext): LogEntry[] {
  if (run !== undefined && isLive(run.state)) {
    const place = liveRuns(state, placeKey(run));
    const asking = place.filter((each) =>
      isWaiting(each.state) && isNewer(each, context) && isOf(each, run)
    );
    return asking.map((each) =>
      about(each, context, {
        kind: "running",
        hookName: "mytty.native.statusBusy",
        settles: "all",
      })
    );
  }
  const at = context.status.at ?? context.since;
  if (run?.endedAt !== undefined && run.endedAt !== null && at <= run.endedAt) return [];
  if (context.now - context.since < STATUS_LEAD_MS) return [];
  return [provisional(context)];
}

function isOf(run: Run, main: Run): boolean {
  return run.runID === main.runID || run.parentRunID === main.runID;
}

function waitingEntries(state: State, run: Run | undefined, context: StatusContext): LogEntry[] {
  if (run === undefined || !isLive(run.state)) return busyEntries(state, run, context);
  const isAsked = liveRuns(state, placeKey(run)).some((each) =>
    isWaiting(each.state) && isOf(each, run)
  );
  if (isAsked || !isNewer(run, context)) return [];
  if (context.isHooked && context.now - context.since < HOOK_LEAD_MS) return [];
  const { asks, message } = context.status;
  return [{
    ...about(run, context, {
      kind: asks === "approval" ? "approval-requested" : "input-requested",
      hookName: "mytty.native.statusWaiting",
    }),
    requestKey: "status",
    weak: true,
    message,
  }];
}

/** What the run's last event said is older than the status. */
function isNewer(run: Run, { status, since }: StatusContext): boolean {
  const at = status.at ?? since;
  return at >= run.updatedAt - SLACK_MS && (run.startedAt === null || at > run.startedAt);
}

function observedSession({ ref, status, since }: StatusContext): LogEntry {
  const hookName = "mytty.native.sessionObserved";
  return {
    type: "session-started",
    id: derivedID(
      "event",
      hookName,
      ref.provider,
      ref.sessionID,
      ref.process === null ? "" : processKey(ref.process),
    ),
    provider: ref.provider,
    sessionID: ref.sessionID,
    surfaceID: ref.parentRunID === null ? ref.surfaceID : null,
    ...(ref.parentRunID === null ? {} : { parentRunID: ref.parentRunID }),
    occurredAt: status.at ?? since,
    source: "process",
    hookName,
    ...(ref.process === null ? {} : { process: ref.process }),
    ...(ref.cwd === null ? {} : { cwd: ref.cwd }),
    ...(ref.transcript === null ? {} : { transcript: ref.transcript }),
  };
}

function provisional(context: StatusContext): AgentEvent {
  const { ref, status, since } = context;
  const mark = String(status.at ?? since);
  const runID = runIDOf(ref.provider, ref.sessionID, `status\0${mark}`);
  return {
    ...base(context, runID, "mytty.native.statusBusy"),
    kind: "started",
    surfaceID: ref.surfaceID,
    ...(ref.parentRunID === null ? {} : { parentRunID: ref.parentRunID, nested: true }),
    ...(ref.cwd === null ? {} : { cwd: ref.cwd }),
  };
}

type Parts = Pick<AgentEvent, "kind" | "hookName" | "settles">;

function about(run: Run, context: StatusContext, parts: Parts): AgentEvent {
  return {
    ...base(context, run.runID, parts.hookName ?? ""),
    sessionID: run.sessionID,
    surfaceID: run.surfaceID,
    ...(run.parentRunID === null ? {} : { parentRunID: run.parentRunID }),
    ...parts,
  };
}

function base({ ref, status, since }: StatusContext, runID: string, hookName: string): AgentEvent {
  const at = status.at ?? since;
  return {
    type: "agent-event",
    id: derivedID("event", hookName, runID, String(at)),
    runID,
    provider: ref.provider,
    kind: "running",
    occurredAt: at,
    source: "process",
    sessionID: ref.sessionID,
    surfaceID: ref.surfaceID,
    message: null,
    hookName,
    toolUseID: null,
    toolName: null,
    ...(ref.process === null ? {} : { process: ref.process }),
  };
}

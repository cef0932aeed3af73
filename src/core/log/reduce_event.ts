/** Folds one agent event: the run, its session, its items, and what follows for other runs. */

import { updateItems } from "./attention.ts";
import { type AgentEvent, type ExplainedRow, isLive, type LogRow } from "./event.ts";
import { applied, notApplied, type Outcome } from "./outcome.ts";
import { emptyRun, REASONS, stepRun } from "./reduce_run.ts";
import { replaceSession, revives, touchSession } from "./reduce_session.ts";
import { isMainRun, liveRuns, putRun } from "./run_index.ts";
import { placeKey, type Run, sessionKey, type State } from "./state.ts";
import { synthesizedIdle } from "./synthesized.ts";

const SUPERSEDED = "mytty.runSuperseded";
/** The same, where the turn that began was read from a file or seen by its process. */
const TURN_SUPERSEDED = "mytty.native.turnSuperseded";

export function reduceAgentEvent(
  state: State,
  row: LogRow,
  { event, isNews }: { event: AgentEvent; isNews: boolean },
): Outcome {
  const known = state.runs.get(event.runID);
  const over = () => overReason(state, event) ?? supersededReason(state, event, known);
  const mismatch = mismatchReason(known, event) ?? (isNews ? over() : undefined);
  if (mismatch !== undefined) return notApplied(mismatch);
  const before = known ?? emptyRun(event);
  const step = stepRun(before, event);
  if ("reason" in step) {
    const { endedAt } = step;
    if (endedAt !== undefined) state.runs.set(event.runID, { ...before, endedAt });
    return notApplied(step.reason);
  }
  const outcome = applied();
  const placed = place(step.run, { row, event, before });
  const after = updateItems(state, { event, before, after: placed, at: row.at }, outcome);
  putRun(state, known, after);
  outcome.changes.unshift({ change: "run", before: known, after });
  if (isMainRun(state, after)) settleOthers(state, event, after, outcome);
  touchSession(state, row, { event, run: after }, outcome);
  return outcome;
}

/** What a rejected row did all the same: a second end makes late what occurred before it. */
export function replayRejected(state: State, { entry, reason }: ExplainedRow): void {
  if (entry.type !== "agent-event" || reason !== REASONS.alreadyEnded) return;
  const run = state.runs.get(entry.runID);
  const step = run === undefined ? undefined : stepRun(run, entry);
  if (run === undefined || step === undefined || !("reason" in step)) return;
  if (step.endedAt !== undefined) state.runs.set(run.runID, { ...run, endedAt: step.endedAt });
}

function mismatchReason(run: Run | undefined, event: AgentEvent): string | undefined {
  if (run === undefined) {
    const ends = event.kind !== "started" && event.kind !== "running" &&
      event.kind !== "input-requested" && event.kind !== "approval-requested";
    return ends && event.parentRunID !== undefined ? REASONS.unknownChild : undefined;
  }
  if (run.provider !== event.provider) return REASONS.otherProvider;
  if (run.sessionID !== null && event.sessionID !== null && run.sessionID !== event.sessionID) {
    return REASONS.otherSession;
  }
  const otherSurface = run.surfaceID !== null && event.surfaceID !== null &&
    run.surfaceID !== event.surfaceID;
  // An envelope speaks for its own pane only; the daemon's own evidence may move a run.
  return otherSurface && event.source === "envelope" ? REASONS.otherSurface : undefined;
}

/** What occurred before its session or its parent's turn ended does not bring them back. */
function overReason(state: State, event: AgentEvent): string | undefined {
  if (!revives(event)) return undefined;
  const parent = state.runs.get(event.parentRunID ?? "");
  const endsChildren = parent?.state === "succeeded" || parent?.state === "disconnected";
  if (endsChildren && (event.undated || event.occurredAt <= (parent.endedAt ?? 0))) {
    return REASONS.parentOver;
  }
  if (event.sessionID === null) return undefined;
  const endedAt = state.sessions.get(sessionKey(event.provider, event.sessionID))?.endedAt ?? null;
  if (endedAt === null) return undefined;
  // A prompt that is told as it happens is news whatever the clock says.
  if (event.kind === "started" && !event.late) return undefined;
  return event.undated || event.occurredAt <= endedAt ? REASONS.sessionOver : undefined;
}

/**
 * One turn of a session is active at a time: what an ended one still tells (a tool's late hook, say)
 * does not bring it back beside the newer one, which would then be over without ending it.
 */
function supersededReason(
  state: State,
  event: AgentEvent,
  run: Run | undefined,
): string | undefined {
  if (run === undefined || run.endedAt === null || run.sessionID === null) return undefined;
  if (event.kind === "started" || !revives(event) || !isMainRun(state, run)) return undefined;
  const session = state.sessions.get(sessionKey(run.provider, run.sessionID));
  const current = state.runs.get(session?.currentRunID ?? "");
  if (current === undefined || current.runID === run.runID) return undefined;
  return (current.startedAt ?? 0) > (run.startedAt ?? 0) ? REASONS.superseded : undefined;
}

/** The run with what the row says about it: where it is, and since when it is so. */
function place(
  run: Run,
  { row, event, before }: { row: LogRow; event: AgentEvent; before: Run },
): Run {
  const { placement = run.placement } = event;
  const changed = before.state !== run.state || before.position === 0;
  return {
    ...run,
    surfaceID: event.surfaceID ?? run.surfaceID,
    ...(placement === undefined ? {} : { placement }),
    workSince: workSince({ row, event, before }),
    statePosition: changed ? row.position : before.statePosition,
    stateAt: changed ? row.at : before.stateAt,
    position: row.position,
  };
}

function workSince(
  { row, event, before }: { row: LogRow; event: AgentEvent; before: Run },
): number | null {
  if (event.kind === "running") return before.workSince ?? row.at;
  if (event.kind !== "started") return before.workSince;
  if (isLive(before.state) && before.startSeen) return before.workSince;
  return event.workSince ?? row.at;
}

/**
 * What an applied event of a main run means for the others of its place: a start ends earlier runs
 * of the session, an end ends its sub-agents, and either answers what sub-agents had asked.
 */
function settleOthers(state: State, event: AgentEvent, run: Run, outcome: Outcome): void {
  const others = liveRuns(state, placeKey(run)).filter((other) =>
    other.runID !== run.runID && other.provider === run.provider &&
    other.sessionID === run.sessionID
  );
  for (const other of others) {
    if (isMainRun(state, other)) {
      if (event.kind === "started") {
        const isNative = event.source === "transcript" || event.source === "process";
        const name = isNative ? TURN_SUPERSEDED : SUPERSEDED;
        outcome.followUps.push(synthesizedIdle(other, event, name));
      }
    } else if (event.kind === "succeeded" || event.kind === "disconnected") {
      outcome.followUps.push(synthesizedIdle(other, event, "mytty.parentEnded"));
    } else if (other.requests.length > 0 && answersChildren(event)) {
      outcome.followUps.push({
        ...synthesizedIdle(other, event, "mytty.requestSettled"),
        kind: "running",
        settles: "all",
      });
    }
  }
  if (event.kind === "started" && run.parentRunID === null) replaceSession(state, event, outcome);
}

/** A person cannot prompt or interrupt past an open dialog, so whatever was asked is answered. */
function answersChildren(event: AgentEvent): boolean {
  if (event.kind === "started") return event.continuation !== true;
  // The start that superseded the run has already said whether it answers.
  if (event.hookName === SUPERSEDED || event.hookName === TURN_SUPERSEDED) return false;
  return event.kind === "idle" || event.kind === "failed" || event.kind === "disconnected";
}

/** Which run an agent works for that another agent started. */

import { runIDOf } from "../ids.ts";
import { isSameProcess, type ProcessID, processKey } from "../process/process.ts";
import { liveRuns } from "../log/run_index.ts";
import type { Session, State } from "../log/state.ts";

export type NestedEvidence = {
  readonly provider: string;
  readonly sessionID: string | null;
  readonly outer: ProcessID | null;
};

/** The run of the session whose agent started this one; null when it works for itself. */
export function nestedParent(
  state: State,
  { outer, provider, sessionID }: NestedEvidence,
  surfaceID: string | null,
): string | null {
  if (outer === null) return null;
  let latest: Session | undefined;
  for (const key of state.agents.get(processKey(outer)) ?? []) {
    const session = state.sessions.get(key)!;
    const isItself = session.provider === provider && session.sessionID === sessionID;
    if (!isItself && (latest === undefined || session.position > latest.position)) latest = session;
  }
  if (latest !== undefined) return servedRun(latest);
  return surfaceID === null ? null : runWithoutSession(state, outer, surfaceID);
}

/**
 * What an agent works for that `session` started: its current run. While it has none (only its start
 * was told) the run that its events without a turn would belong to: a parent that is not there yet is
 * not the same as none.
 */
export function servedRun({ provider, sessionID, currentRunID }: Session): string {
  return currentRunID ?? runIDOf(provider, sessionID, sessionID);
}

/** An agent that only the process table shows has runs, but no session. */
function runWithoutSession(state: State, outer: ProcessID, surfaceID: string): string | null {
  const run = liveRuns(state, surfaceID).find((run) =>
    run.parentRunID === null && run.sessionID === null && run.process !== null &&
    isSameProcess(run.process, outer)
  );
  return run?.runID ?? null;
}

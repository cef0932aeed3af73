/**
 * The start-up sweep: runs left live by an earlier server whose process is gone get one
 * event that ends them. The daemon is not the terminal, so living processes are spared.
 */

import { type AgentEvent, isLive, type ProcessID } from "./event.ts";
import { derivedID } from "../ids.ts";
import { type Run, sessionKey, type State } from "./state.ts";
import { synthesizedGone } from "./synthesized.ts";

export type SweepCandidate = {
  readonly run: Run;
  /** Whose life spares the run; null when nobody ever told, so nobody vouches for it. */
  readonly process: ProcessID | null;
};

/** Live runs, sub-agents' too, with the process that vouches for each. */
export function sweepCandidates(state: State): SweepCandidate[] {
  return [...state.runs.values()].filter((run) => isLive(run.state))
    .map((run) => ({ run, process: voucher(state, run) }));
}

/** Idempotent: the id depends on the run and its last event only. */
export function sweepEvent(run: Run, occurredAt: number): AgentEvent {
  const id = derivedID("event", "startup-sweep", run.runID, String(run.position));
  return { ...synthesizedGone(run, { id, occurredAt }, "mytty.startupSweep"), id };
}

function voucher(state: State, run: Run): ProcessID | null {
  if (run.process !== null) return run.process;
  if (run.sessionID !== null) {
    const session = state.sessions.get(sessionKey(run.provider, run.sessionID));
    if (session?.process) return session.process;
  }
  return run.surfaceID === null ? null : state.surfaces.get(run.surfaceID)?.root ?? null;
}

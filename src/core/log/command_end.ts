/** How commands end in a surface whose shell, or wrapper, reports their exit status. */

import { type AgentEvent, isLive, type ProcessID } from "./event.ts";
import { derivedID } from "../ids.ts";
import { liveRuns } from "./run_index.ts";
import { endOfCommand } from "./run_end.ts";
import type { Run, State, Surface } from "./state.ts";
import { synthesizedIdle } from "./synthesized.ts";

/**
 * A report comes by a process of its own. So long after an agent's end it decides how that is
 * called; what nobody reports is lost then.
 */
export const REPORT_MS = 2_000;
/** A report that comes later than that still corrects what was concluded so recently. */
const CORRECTED_FOR_MS = 30_000;

/** Ends that were only concluded from a process that was gone. */
const CONCLUDED: readonly (string | null)[] = [
  "mytty.sessionLost",
  "mytty.native.processExited",
];

/** Whether somebody will say how a command of this surface ended. */
export function isReported(surface: Surface | undefined): boolean {
  return surface?.closedAt === null && surface.reportsEnds === true;
}

export type CommandEnd = {
  /** Null where there is none: the command was lost. */
  readonly exitCode: number | null;
  readonly now: number;
  /** What still runs was not the command: it is in the background, or was stopped. */
  readonly isAlive: (process: ProcessID) => boolean;
};

/** What the end of the surface's command means for the runs in it. */
export function commandEnds(state: State, surfaceID: string, end: CommandEnd): AgentEvent[] {
  const main = liveRuns(state, surfaceID).filter((run) => run.parentRunID === null);
  const over = main.filter(({ process }) => process === null || !end.isAlive(process));
  const runs = main.length > 0 ? over : concludedJustNow(state, surfaceID, end.now);
  return runs.map((run) => commandFinished(run, end));
}

function concludedJustNow(state: State, surfaceID: string, now: number): Run[] {
  const run = state.runs.get(state.latest.get(surfaceID) ?? "");
  const isConcluded = run !== undefined && !isLive(run.state) && CONCLUDED.includes(run.hookName) &&
    now - (run.endedAt ?? 0) < CORRECTED_FOR_MS;
  return isConcluded ? [run] : [];
}

function commandFinished(run: Run, { exitCode, now }: CommandEnd): AgentEvent {
  const id = derivedID("event", "native", "commandFinished", run.runID, String(run.position));
  // What corrects a concluded end has to be later than it.
  const cause = { id, occurredAt: Math.max(now, (run.endedAt ?? 0) + 1) };
  const event = synthesizedIdle(run, cause, "mytty.native.commandFinished");
  return { ...event, id, source: "process", ...endOfCommand(exitCode) };
}

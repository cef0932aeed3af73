/** What the end of a command, or of a process, says about the run that it was. Pure. */

import { type AgentEvent, isWaiting } from "./event.ts";
import type { Run } from "./state.ts";

type End = Pick<AgentEvent, "kind" | "message">;

/** 128 + SIGHUP, SIGINT, SIGTERM: somebody closed, interrupted or ended it. */
const INTERRUPTS: ReadonlySet<number> = new Set([129, 130, 143]);

/** The end that an exit status tells; null where it had none of its own (killed by a signal). */
export function endOfCommand(exitCode: number | null): End {
  if (exitCode === null) return { kind: "disconnected", message: null };
  if (exitCode === 0) return { kind: "succeeded", message: null };
  if (INTERRUPTS.has(exitCode)) {
    return { kind: "idle", message: `Interrupted (exit status ${exitCode})` };
  }
  return { kind: "failed", message: `Exit status ${exitCode}` };
}

/**
 * The end of a run whose process is gone and of which nobody told how. A turn that was at work or
 * had asked something is lost. Where only the process was ever known, nothing says that there was
 * a turn: people quit such an agent like any program, and quitting is no alarm.
 */
export function endOfGone(run: Run): End {
  const isProcessOnly = run.source === "process" && run.sessionID === null;
  return isProcessOnly && !isWaiting(run.state)
    ? { kind: "idle", message: "Its process ended" }
    : { kind: "disconnected", message: null };
}

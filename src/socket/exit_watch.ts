/** Notices processes that are gone: their sessions end, their panes close. */

import type { LogEntry, ProcessID } from "../core/log/event.ts";
import { derivedID } from "../core/ids.ts";
import type { Processes } from "../core/process/process.ts";
import { isReported, REPORT_MS } from "../core/log/command_end.ts";
import { liveRuns, liveRunsOf } from "../core/log/run_index.ts";
import { sweepCandidates, sweepEvent } from "../core/log/sweep.ts";
import { endedSession } from "../core/log/synthesized.ts";
import type { Run, Session } from "../core/log/state.ts";
import type { Mailbox } from "./mailbox.ts";

/** Entries of one commit; the event loop turns between two. */
const BATCH = 1_000;

/** How long what was at work is not called lost although its process is gone. */
export type Patience = {
  /** With its pane gone too: a last hook is a process of its own, and may be heard after it. */
  readonly lastHook: number;
  /** Where an exit status is reported. */
  readonly report: number;
};

const PATIENCE: Patience = { lastHook: 1_000, report: REPORT_MS };
export const NO_PATIENCE: Patience = { lastHook: 0, report: 0 };

export class ExitWatch {
  readonly #mailbox: Mailbox;
  readonly #processes: Processes;
  /** Since when processes are gone whose runs have not ended, by their names. */
  #goneSince: ReadonlyMap<string, number> = new Map();
  /** Asked before a session whose process is gone is ended: what its own files still tell. */
  lastWord: ((session: Session) => Promise<void>) | null = null;

  constructor({ mailbox, processes }: { mailbox: Mailbox; processes: Processes }) {
    this.#mailbox = mailbox;
    this.#processes = processes;
  }

  /** Start-up: runs left live by an earlier server whose process is gone end as disconnected. */
  async sweep(): Promise<void> {
    const isAlive = this.#onePass();
    const entries: LogEntry[] = [];
    for (const { run, process } of sweepCandidates(this.#mailbox.state)) {
      if (process !== null && await isAlive(process)) continue;
      entries.push(sweepEvent(run, Date.now()));
    }
    await this.#append(entries);
  }

  /**
   * One pass over the open sessions and panes whose process is known. Closing a terminal, a person
   * ends agent and pane at once, and what the agent says to that comes after; a shell says how its
   * command ended: what was at work is not called lost before `patience` is over.
   */
  async check(patience = PATIENCE): Promise<void> {
    const { state } = this.#mailbox;
    const isAlive = this.#onePass();
    const before = this.#goneSince;
    const goneSince = new Map<string, number>();
    const maySpeak = (process: ProcessID, runs: readonly Run[], time: number) => {
      if (runs.length === 0 || time === 0) return false;
      const name = processName(process);
      const since = before.get(name) ?? performance.now();
      goneSince.set(name, since);
      return performance.now() - since < time;
    };
    const entries: LogEntry[] = [];
    for (const session of [...state.sessions.values()]) {
      if (session.endedAt !== null || session.process === null) continue;
      if (await isAlive(session.process)) continue;
      const time = await this.#timeOf(session, { patience, isAlive });
      if (maySpeak(session.process, liveRunsOf(state, session), time)) continue;
      await this.lastWord?.(session);
      const cause = { id: processName(session.process), occurredAt: Date.now() };
      const hookName = "mytty.native.processExited";
      entries.push(endedSession(session, cause, { hookName, reason: "lost" }));
    }
    for (const { surfaceID, closedAt, root } of [...state.surfaces.values()]) {
      if (closedAt !== null || root === null || await isAlive(root)) continue;
      if (maySpeak(root, liveRuns(state, surfaceID), patience.lastHook)) continue;
      const id = derivedID("event", "surface-closed", surfaceID);
      entries.push({ type: "surface-closed", id, surfaceID, reason: "gone" });
    }
    this.#goneSince = goneSince;
    await this.#append(entries);
  }

  async #timeOf(
    { surfaceID }: Session,
    { patience, isAlive }: {
      readonly patience: Patience;
      readonly isAlive: (process: ProcessID) => Promise<boolean>;
    },
  ): Promise<number> {
    const surface = this.#mailbox.state.surfaces.get(surfaceID ?? "");
    const root = surface?.root ?? null;
    if (root !== null && !await isAlive(root)) return patience.lastHook;
    return isReported(surface) ? patience.report : 0;
  }

  /** Asks about each process once: many sessions may have the same. */
  #onePass(): (process: ProcessID) => Promise<boolean> {
    const known = new Map<string, Promise<boolean>>();
    return (process) => {
      const name = processName(process);
      const answer = known.get(name) ?? this.#processes.isAlive(process);
      known.set(name, answer);
      return answer;
    };
  }

  async #append(entries: readonly LogEntry[]): Promise<void> {
    for (let from = 0; from < entries.length; from += BATCH) {
      await this.#mailbox.submit(() => ({ entries: entries.slice(from, from + BATCH) }));
    }
  }
}

function processName({ pid, startTime }: ProcessID): string {
  return `${pid} ${startTime}`;
}

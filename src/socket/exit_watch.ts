/** Notices processes that are gone: their sessions end, their panes close. */

import type { LogEntry, ProcessID } from "../core/log/event.ts";
import { derivedID } from "../core/ids.ts";
import type { Processes } from "../core/process/process.ts";
import { sweepCandidates, sweepEvent } from "../core/log/sweep.ts";
import { endedSession } from "../core/log/synthesized.ts";
import type { Session } from "../core/log/state.ts";
import type { Mailbox } from "./mailbox.ts";

/** Entries of one commit; the event loop turns between two. */
const BATCH = 1_000;

export class ExitWatch {
  readonly #mailbox: Mailbox;
  readonly #processes: Processes;
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

  /** One pass over the open sessions and panes whose process is known. */
  async check(): Promise<void> {
    const { sessions, surfaces } = this.#mailbox.state;
    const isAlive = this.#onePass();
    const entries: LogEntry[] = [];
    for (const session of [...sessions.values()]) {
      if (session.endedAt !== null || session.process === null) continue;
      if (await isAlive(session.process)) continue;
      await this.lastWord?.(session);
      const cause = { id: processName(session.process), occurredAt: Date.now() };
      const hookName = "mytty.native.processExited";
      entries.push(endedSession(session, cause, { hookName, reason: "lost" }));
    }
    for (const { surfaceID, closedAt, root } of [...surfaces.values()]) {
      if (closedAt !== null || root === null || await isAlive(root)) continue;
      const id = derivedID("event", "surface-closed", surfaceID);
      entries.push({ type: "surface-closed", id, surfaceID, reason: "gone" });
    }
    await this.#append(entries);
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

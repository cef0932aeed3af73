/** Notices processes that are gone: their sessions end, their panes close. */

import type { LogEntry, ProcessID } from "../core/event.ts";
import type { Processes } from "../core/process.ts";
import { sweepCandidates, sweepEvent } from "../core/sweep.ts";
import { endedSession } from "../core/synthesized.ts";
import { derivedID } from "../core/ids.ts";
import type { Mailbox } from "./mailbox.ts";

export class ExitWatch {
  readonly #mailbox: Mailbox;
  readonly #processes: Processes;

  constructor({ mailbox, processes }: { mailbox: Mailbox; processes: Processes }) {
    this.#mailbox = mailbox;
    this.#processes = processes;
  }

  /** Start-up: runs left live by an earlier server whose process is gone end as disconnected. */
  async sweep(): Promise<void> {
    for (const { run, process } of sweepCandidates(this.#mailbox.state)) {
      if (process !== null && await this.#processes.isAlive(process)) continue;
      await this.#append(() => [sweepEvent(run, Date.now())]);
    }
  }

  /** One pass over the open sessions and panes whose process is known. */
  async check(): Promise<void> {
    const { sessions, surfaces } = this.#mailbox.state;
    for (const session of [...sessions.values()]) {
      if (session.endedAt !== null || session.process === null) continue;
      if (await this.#processes.isAlive(session.process)) continue;
      const cause = { id: processName(session.process), occurredAt: Date.now() };
      const hookName = "mytty.native.processExited";
      await this.#append(() => [endedSession(session, cause, { hookName, reason: "lost" })]);
    }
    for (const { surfaceID, closedAt, root } of [...surfaces.values()]) {
      if (closedAt !== null || root === null || await this.#processes.isAlive(root)) continue;
      const id = derivedID("event", "surface-closed", surfaceID);
      await this.#append(() => [{ type: "surface-closed", id, surfaceID, reason: "gone" }]);
    }
  }

  async #append(entries: () => LogEntry[]): Promise<void> {
    await this.#mailbox.submit(() => ({ entries: entries() }));
  }
}

function processName({ pid, startTime }: ProcessID): string {
  return `${pid} ${startTime}`;
}

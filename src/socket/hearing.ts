/**
 * When each session's hooks were last heard, and when its transcript told a turn that they had not.
 * Fed by every row of the log, those of earlier runs of the server too.
 */

import type { EventSource, LogRow } from "../core/log/event.ts";
import { sessionKey, type State } from "../core/log/state.ts";

/** An open session as a look at the processes can find it again. */
export type HeardSession = {
  readonly sessionID: string;
  readonly pid: number | null;
  readonly startTime: string | null;
  readonly tty: string | null;
  readonly cwd: string | null;
  readonly heardAt: number | null;
  /** A turn began that only the transcript told. */
  readonly movedAt: number | null;
};

type Times = { heardAt: number | null; movedAt: number | null };

const SPOKEN: ReadonlySet<EventSource> = new Set(["hook", "envelope", "muxy"]);

/** Sessions that never say their end must not fill the memory. */
const MOST = 20_000;

export class Hearing {
  readonly #times = new Map<string, Times>();

  observe({ at, entry }: LogRow): void {
    if (!("source" in entry) || entry.sessionID === null) return;
    const key = sessionKey(entry.provider, entry.sessionID);
    if (entry.type === "session-ended") {
      this.#times.delete(key);
      return;
    }
    const times = this.#times.get(key) ?? { heardAt: null, movedAt: null };
    if (SPOKEN.has(entry.source)) times.heardAt = at;
    if (entry.source === "transcript" && "kind" in entry && entry.kind === "started") {
      times.movedAt = at;
    }
    // Moved to the end: the first is the one that was silent longest.
    this.#times.delete(key);
    this.#times.set(key, times);
    if (this.#times.size > MOST) this.#times.delete(this.#times.keys().next().value!);
  }

  /** What is known, to be kept and given to `restore` of another. */
  times(): readonly (readonly [string, Times])[] {
    return [...this.#times];
  }

  restore(times: unknown): void {
    for (const [key, { heardAt, movedAt }] of times as ReturnType<Hearing["times"]>) {
      this.#times.set(key, { heardAt, movedAt });
    }
  }

  /** The same rows, each seen on its way. */
  *following<Row extends LogRow>(rows: Iterable<Row>): Generator<Row> {
    for (const row of rows) {
      this.observe(row);
      yield row;
    }
  }

  sessionsOf(provider: string, { sessions, surfaces }: State): HeardSession[] {
    return [...sessions.values()].flatMap((session): HeardSession[] => {
      if (session.provider !== provider || session.endedAt !== null) return [];
      const times = this.#times.get(session.key);
      const surface = surfaces.get(session.surfaceID ?? "");
      return [{
        sessionID: session.sessionID,
        pid: session.process?.pid ?? null,
        startTime: session.process?.startTime ?? null,
        tty: surface?.tty ?? null,
        cwd: session.cwd,
        heardAt: times?.heardAt ?? null,
        movedAt: times?.movedAt ?? null,
      }];
    });
  }
}

/**
 * The estimator's pure part: what files and processes tell, held against what hooks said, becomes
 * log entries. Time is an argument; every decision is made on the state at its turn.
 *
 * Hooks win per session: while they speak, a reading waits a moment for the hook that tells the
 * same, and is dropped when it came. A session whose hooks let a turn begin unsaid is read without
 * that delay until they speak again.
 */

import type { LogEntry } from "../log/event.ts";
import { HOOK_LEAD_MS, type SessionRef } from "./estimate_session.ts";
import { STALE_MS, staleEntries } from "./estimate_stale.ts";
import { statusEntries } from "./estimate_status.ts";
import { isDoubtfulEnd, opened, readingEntries } from "./estimate_reading.ts";
import type { LiveStatus, Reading } from "./reading.ts";
import { sessionKey, type State } from "../log/state.ts";

/** What to append, decided on the state at its turn; nothing where it is no news any more. */
export type Decision = (state: State) => readonly LogEntry[];

type Pending = { readonly due: number; readonly ref: SessionRef; readonly reading: Reading };

/** The last thing a session's file told, and when it was read. */
type Told = { readonly ref: SessionRef; readonly isResult: boolean; readonly since: number };

type Observed = {
  readonly ref: SessionRef;
  readonly status: LiveStatus;
  readonly since: number;
};

export type EstimateOptions = {
  /** Hooks of this provider are known to be installed and to speak. */
  readonly isHeard?: (provider: string) => boolean;
};

export class Estimate {
  readonly #isHeard: (provider: string) => boolean;
  #pending: Pending[] = [];
  readonly #observed = new Map<string, Observed>();
  readonly #told = new Map<string, Told>();
  /** Sessions whose hooks have spoken, and those of them that missed a turn since. */
  readonly #heard = new Set<string>();
  readonly #silent = new Set<string>();

  constructor({ isHeard = () => false }: EstimateOptions = {}) {
    this.#isHeard = isHeard;
  }

  /** Every committed entry passes here, so that hooks are known to speak. */
  heard(entry: LogEntry): void {
    if (!("source" in entry) || !("sessionID" in entry) || entry.sessionID === null) return;
    const key = sessionKey(entry.provider, entry.sessionID);
    if (entry.type === "session-ended") this.#observed.delete(key);
    if (entry.source !== "hook" && entry.source !== "envelope" && entry.source !== "muxy") return;
    this.#heard.add(key);
    this.#silent.delete(key);
  }

  /** At start-up: sessions whose last word was a hook's. */
  recall(state: State): void {
    for (const session of state.sessions.values()) {
      const run = session.currentRunID === null ? undefined : state.runs.get(session.currentRunID);
      if (session.endedAt === null && run?.source === "hook") this.#heard.add(session.key);
    }
  }

  /** Whether the hooks of a session speak, as far as is known. */
  isHooked(key: string): boolean {
    return this.#heard.has(key) && !this.#silent.has(key);
  }

  isSilent(key: string): boolean {
    return this.#silent.has(key);
  }

  read(ref: SessionRef, readings: readonly Reading[], now: number): void {
    for (const reading of readings) {
      this.#pending.push({ due: now + this.#lead(ref, reading), ref, reading });
      const { fact } = reading;
      const isResult = fact.fact === "run" && fact.kind === "running";
      this.#told.set(sessionKey(ref.provider, ref.sessionID), { ref, isResult, since: now });
    }
  }

  /** The status of a session as its file says now; null when the file is gone. */
  status(ref: SessionRef, status: LiveStatus | null, now: number): void {
    const key = sessionKey(ref.provider, ref.sessionID);
    const known = this.#observed.get(key);
    if (status === null) {
      this.#observed.delete(key);
      return;
    }
    const isSame = known?.status.phase === status.phase && known.status.at === status.at;
    this.#observed.set(key, { ref, status, since: isSame ? known.since : now });
  }

  /** The session's process is gone: no hook will come, what is pending counts now. */
  lastWord(key: string, now: number): void {
    this.#pending = this.#pending.map((pending) =>
      sessionKey(pending.ref.provider, pending.ref.sessionID) === key
        ? { ...pending, due: now }
        : pending
    );
  }

  /** A session that is over needs no memory. */
  forget(key: string): void {
    this.#observed.delete(key);
    this.#told.delete(key);
    this.#heard.delete(key);
    this.#silent.delete(key);
  }

  /** What is due at `now`, in order. Each is to be decided on the state after the one before. */
  decisions(state: State, now: number): Decision[] {
    const due: Pending[] = [];
    const blocked = new Set<string>();
    // Readings of one session stay in order, whatever each may wait for.
    this.#pending = this.#pending.filter((pending) => {
      const key = sessionKey(pending.ref.provider, pending.ref.sessionID);
      if (pending.due <= now && !blocked.has(key)) {
        due.push(pending);
        return false;
      }
      if (pending.reading.fact.fact === "run") blocked.add(key);
      return true;
    });
    const readings = due.map(({ ref, reading }): Decision => (at) =>
      opened(at, ref, this.#decide(at, ref, reading, now))
    );
    const statuses = [...this.#observed].flatMap(([key, observed]): Decision[] => {
      const { ref, status, since } = observed;
      const isHooked = this.isHooked(key);
      const isExpected = isHooked || this.#isHeard(ref.provider);
      const context = { ref, status, since, now, isHooked, isExpected };
      const decide: Decision = (at) => opened(at, ref, statusEntries(at, context));
      // Looked at first: most passes find nothing, and a commit is not free.
      return due.length > 0 || decide(state).length > 0 ? [decide] : [];
    });
    const stale = [...this.#told].flatMap(([key, told]): Decision[] => {
      if (!told.isResult || now - told.since < STALE_MS || this.#observed.has(key)) return [];
      const decide: Decision = (at) => staleEntries(at, told, now);
      return decide(state).length > 0 ? [decide] : [];
    });
    return [...readings, ...statuses, ...stale];
  }

  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  #decide(state: State, ref: SessionRef, reading: Reading, now: number): LogEntry[] {
    // What may only look like an end is believed where no hook will tell.
    if (isDoubtfulEnd(reading) && this.isHooked(sessionKey(ref.provider, ref.sessionID))) return [];
    const entries = readingEntries(state, ref, reading, now);
    const isMissed = entries.some((entry) =>
      entry.type === "agent-event" && entry.kind === "started"
    );
    const key = sessionKey(ref.provider, ref.sessionID);
    // The turn began and its hook did not come: until one does, nobody is waited for.
    if (isMissed && this.#heard.has(key)) this.#silent.add(key);
    return entries;
  }

  #lead(ref: SessionRef, { fact }: Reading): number {
    if (ref.isHeadless || !this.isHooked(sessionKey(ref.provider, ref.sessionID))) return 0;
    // An interrupt and a failure are what hooks may not tell at all, and a session may end at once.
    return fact.fact === "run" && (fact.kind === "idle" || fact.kind === "failed")
      ? 0
      : HOOK_LEAD_MS;
  }
}

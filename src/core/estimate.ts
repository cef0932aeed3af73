/**
 * The estimator's pure part: what files and processes tell, held against what hooks said, becomes
 * log entries. Time is an argument; every decision is made on the state at its turn.
 *
 * Hooks win per session: while they speak, a reading waits a moment for the hook that tells the
 * same, and is dropped when it came. A session whose hooks let a turn begin unsaid is read without
 * that delay until they speak again.
 */

import type { LogEntry } from "./event.ts";
import { HOOK_LEAD_MS, type SessionRef } from "./estimate_session.ts";
import { statusEntries } from "./estimate_status.ts";
import { type Entry, isNews } from "./estimate_news.ts";
import { derivedID } from "./ids.ts";
import { entriesOf } from "./ingest.ts";
import type { LiveStatus, Reading } from "./reading.ts";
import { sessionKey, type State } from "./state.ts";

/** What to append, decided on the state at its turn; nothing where it is no news any more. */
export type Decision = (state: State) => readonly LogEntry[];

type Pending = { readonly due: number; readonly ref: SessionRef; readonly reading: Reading };

type Observed = {
  readonly ref: SessionRef;
  readonly status: LiveStatus;
  readonly since: number;
};

export class Estimate {
  #pending: Pending[] = [];
  readonly #observed = new Map<string, Observed>();
  /** Sessions whose hooks have spoken, and those of them that missed a turn since. */
  readonly #heard = new Set<string>();
  readonly #silent = new Set<string>();

  /** Every committed entry passes here, so that hooks are known to speak. */
  heard(entry: LogEntry): void {
    if (!("source" in entry) || !("sessionID" in entry) || entry.sessionID === null) return;
    const key = sessionKey(entry.provider, entry.sessionID);
    if (entry.type === "session-ended") this.#observed.delete(key);
    if (entry.source !== "hook" && entry.source !== "envelope" && entry.source !== "muxy") return;
    this.#heard.add(key);
    this.#silent.delete(key);
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

  /** A session that is over needs no memory. */
  forget(key: string): void {
    this.#observed.delete(key);
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
      blocked.add(key);
      return true;
    });
    const readings = due.map(({ ref, reading }): Decision => (at) =>
      this.#decide(at, ref, reading, now)
    );
    const statuses = [...this.#observed].flatMap(([key, observed]): Decision[] => {
      const { ref, status, since } = observed;
      const decide: Decision = (at) =>
        statusEntries(at, { ref, status, since, now, isHooked: this.isHooked(key) });
      // Looked at first: most passes find nothing, and a commit is not free.
      return due.length > 0 || decide(state).length > 0 ? [decide] : [];
    });
    return [...readings, ...statuses];
  }

  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  #decide(state: State, ref: SessionRef, reading: Reading, now: number): LogEntry[] {
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
    if (!this.isHooked(sessionKey(ref.provider, ref.sessionID))) return 0;
    // No hook tells an interrupt where one has to be read from a file.
    return fact.fact === "run" && fact.kind === "idle" ? 0 : HOOK_LEAD_MS;
  }
}

/** The entries of one reading, as far as they are news. */
export function readingEntries(
  state: State,
  ref: SessionRef,
  { fact, at, mark }: Reading,
  now: number,
): LogEntry[] {
  const session = state.sessions.get(sessionKey(ref.provider, ref.sessionID));
  const kind = fact.fact === "run" ? `${fact.kind} ${fact.turnKey ?? ""}` : fact.fact;
  const told = fact.fact === "session-started" && ref.transcript !== null
    ? { ...fact, transcript: ref.transcript }
    : fact;
  const entries = entriesOf(state, [told], {
    deliveryID: derivedID("event", "transcript", ref.provider, ref.sessionID, kind, mark),
    provider: ref.provider,
    source: "transcript",
    occurredAt: at ?? now,
    undated: false,
    late: false,
    surfaceID: session?.surfaceID ?? ref.surfaceID,
    parentRunID: parentOf(state, session?.currentRunID ?? null),
    process: ref.process,
    cwd: ref.cwd,
  });
  return entries.filter((entry) => isNews(state, entry as Entry));
}

/** A nested agent's later turns stay under the run that its first was under. */
function parentOf(state: State, currentRunID: string | null): string | null {
  return currentRunID === null ? null : state.runs.get(currentRunID)?.parentRunID ?? null;
}

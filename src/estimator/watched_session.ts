/** One session's own file, followed: its lines become readings, a first look only what counts still. */

import type { SessionRef } from "../core/estimate/estimate_session.ts";
import type { Reading, TranscriptReader, TranscriptSpec } from "../core/estimate/reading.ts";
import { RowSource } from "./row_source.ts";
import { Tail, type TailRead } from "./tail.ts";

/** A turn that began before its process is an earlier process's, left open by its death. */
const START_SLACK_MS = 5_000;

const FRESH_MS = 30_000;

const ENDS = new Set(["succeeded", "failed", "idle", "disconnected"]);

export class WatchedSession {
  ref: SessionRef;
  readonly #source: { read(): TailRead; readonly damaged: number };
  readonly #spec: TranscriptSpec;
  readonly #startedAt: number | null;
  #read: TranscriptReader;
  /** When the file last brought something, by our clock. */
  movedAt = 0;

  constructor(
    ref: SessionRef,
    { spec, path, startedAt }: {
      readonly spec: TranscriptSpec;
      readonly path: string;
      readonly startedAt: number | null;
    },
  ) {
    this.ref = { ...ref, transcript: path };
    this.#spec = spec;
    this.#startedAt = startedAt;
    this.#read = spec.reader(ref.sessionID);
    this.#source = spec.form === "sqlite"
      ? new RowSource(path, ref.sessionID, spec.query!)
      : new Tail(path);
  }

  get damaged(): number {
    return this.#source.damaged;
  }

  /** What the file has told since the last call. */
  poll(now: number): readonly Reading[] {
    const readings: Reading[] = [];
    let part: TailRead;
    do {
      part = this.#source.read();
      // Another file, or the same one begun anew: what was read of the old one is void.
      if (part.isFirst) this.#read = this.#spec.reader(this.ref.sessionID);
      const told = part.lines.flatMap((line) => this.#read(line));
      const times = { now, modifiedAt: part.modifiedAt };
      readings.push(...part.isFirst ? this.#stillCounts(told, times) : told);
      if (part.lines.length > 0) this.movedAt = now;
    } while (part.hasMore && readings.length < MAX_READINGS);
    return readings;
  }

  /** Of a file's past only the last turn: whole while it is open or fresh, else only its end. */
  #stillCounts(
    readings: readonly Reading[],
    { now, modifiedAt }: { readonly now: number; readonly modifiedAt: number | null },
  ): Reading[] {
    const isTurn = ({ fact }: Reading) => fact.fact === "run" && fact.childKey === undefined;
    const start = readings.findLastIndex((each) =>
      isTurn(each) && each.fact.fact === "run" && each.fact.kind === "started"
    );
    const sessions = readings.filter(({ fact }) => fact.fact === "session-started").slice(-1);
    const last = readings.slice(Math.max(0, start)).filter(isTurn);
    const isEnded = last.some(({ fact }) => fact.fact === "run" && ENDS.has(fact.kind));
    const since = last[0]?.at ?? modifiedAt;
    // A short turn may be over before its file is found.
    const isFresh = since !== null && now - since < FRESH_MS;
    if (isEnded && !isFresh) return [...sessions, ...last.filter(isEnd)];
    const isStale = this.#startedAt !== null && since !== null &&
      since < this.#startedAt - START_SLACK_MS;
    return isStale ? sessions : [...sessions, ...last];
  }
}

/** One call's share; the rest waits for the next. */
const MAX_READINGS = 50_000;

function isEnd({ fact }: Reading): boolean {
  return fact.fact === "run" && ENDS.has(fact.kind);
}

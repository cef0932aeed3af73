/** From one reading of a file to log entries, as far as they are news. */

import type { LogEntry } from "../log/event.ts";
import { type Entry, isNews } from "./estimate_news.ts";
import type { SessionRef } from "./estimate_session.ts";
import { derivedID } from "../ids.ts";
import { entriesOf } from "../hook/ingest.ts";
import type { Reading } from "./reading.ts";
import { sessionKey, type State } from "../log/state.ts";

/** What only looks like an end is believed where no hook will tell. */
export function isDoubtfulEnd({ fact }: Reading): boolean {
  return fact.fact === "run" && fact.weak === true &&
    (fact.kind === "succeeded" || fact.kind === "failed");
}

/** The pane comes first, where it is new to the log. */
export function opened(state: State, { opens }: SessionRef, entries: LogEntry[]): LogEntry[] {
  const isNew = opens !== null && entries.length > 0 && !state.surfaces.has(opens.surfaceID);
  return isNew ? [opens, ...entries] : entries;
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

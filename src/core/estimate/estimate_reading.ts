/** From one reading of a file to log entries, as far as they are news. */

import { isLive, type LogEntry } from "../log/event.ts";
import { type Entry, isNews } from "./estimate_news.ts";
import type { SessionRef } from "./estimate_session.ts";
import { derivedID } from "../ids.ts";
import type { HookFact } from "../hook/hook_fact.ts";
import { entriesOf } from "../hook/ingest.ts";
import { SAME_START_MS } from "../hook/run_of_fact.ts";
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
    // A nested agent's later turns stay under the run that its first was under.
    parentRunID: session === undefined ? ref.parentRunID : session.parentRunID,
    process: ref.process,
    cwd: ref.cwd,
  });
  return entries.filter((entry) =>
    isNews(state, entry as Entry) && !isOfEarlierTurn(state, fact, entry as Entry) &&
    !isToldAlready(state, fact, entry as Entry)
  );
}

/** On a busy machine a prompt is written down seconds after its hook, which named no turn. */
function isToldAlready(state: State, fact: HookFact, entry: Entry): boolean {
  if (fact.fact !== "run" || fact.turnKey !== null || fact.kind !== "started") return false;
  const session = state.sessions.get(sessionKey(entry.provider, entry.sessionID ?? ""));
  const run = state.runs.get(session?.currentRunID ?? "");
  if (run === undefined || run.source !== "hook" || run.startedAt === null) return false;
  const isWithin = isLive(run.state) || entry.occurredAt <= (run.endedAt ?? 0);
  return isWithin && entry.occurredAt - run.startedAt <= SAME_START_MS;
}

/** What names no turn is about the current run, unless that began only afterwards. */
function isOfEarlierTurn(state: State, fact: HookFact, entry: Entry): boolean {
  if (fact.fact !== "run" || fact.turnKey !== null || fact.kind === "started") return false;
  if (entry.type !== "agent-event") return false;
  const startedAt = state.runs.get(entry.runID)?.startedAt ?? null;
  return startedAt !== null && entry.occurredAt < startedAt;
}

/** What the log must know of an entry that it stores or reads. */

import type { LogEntry } from "../core/log/event.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import { sessionKey } from "../core/log/state.ts";

/** Texts that an entry of each type must have. */
const TEXTS: Readonly<Record<LogEntry["type"], readonly string[]>> = {
  "agent-event": ["id", "runID", "provider", "kind", "source"],
  "session-started": ["id", "provider", "sessionID", "source"],
  "session-ended": ["id", "provider", "sessionID", "source"],
  "surface-opened": ["id", "surfaceID"],
  "surface-closed": ["id", "surfaceID"],
  "acknowledged": ["id"],
};

/** Types that say when something happened. */
const DATED: ReadonlySet<string> = new Set(["agent-event", "session-started", "session-ended"]);

/**
 * Whether a stored value is an entry that this program can fold. A damaged row, or one of a kind
 * that only a newer program knows, is skipped and said; it must not keep the server from starting.
 */
export function isLogEntry(value: unknown): value is LogEntry {
  if (!isObject(value) || !isKnownType(value.type)) return false;
  if (!TEXTS[value.type].every((name) => typeof value[name] === "string")) return false;
  if (DATED.has(value.type) && typeof value.occurredAt !== "number") return false;
  return value.type !== "acknowledged" || isTextList(value.itemIDs);
}

function isKnownType(type: JsonObject[string] | undefined): type is LogEntry["type"] {
  return typeof type === "string" && Object.hasOwn(TEXTS, type);
}

function isTextList(value: JsonObject[string] | undefined): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** What a row without a run is about: it is deleted together with that session or surface. */
export function subjectOf(entry: LogEntry): string | null {
  switch (entry.type) {
    case "session-started":
    case "session-ended":
      return sessionKey(entry.provider, entry.sessionID);
    case "surface-opened":
    case "surface-closed":
      return entry.surfaceID;
    case "agent-event":
    case "acknowledged":
      return null;
  }
}

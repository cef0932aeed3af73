/** One log row as `events` prints it: flat, without what only the fold needs. */

import type { LogEntry, LogRow } from "./event.ts";
import { isoTime } from "../view/view_json.ts";

export type EventJson = {
  readonly position: number;
  readonly at: string;
  readonly type: string;
  readonly applied: boolean;
  readonly reason: string | null;
  readonly id: string;
  readonly runID: string | null;
  readonly sessionID: string | null;
  readonly surfaceID: string | null;
  readonly provider: string | null;
  readonly kind: string | null;
  readonly hookName: string | null;
  readonly toolName: string | null;
  readonly message: string | null;
  readonly source: string | null;
  readonly occurredAt: string | null;
};

export function eventJson(row: LogRow, reason: string | null): EventJson {
  const entry: Partial<Extract<LogEntry, { type: "agent-event" }>> = row.entry as never;
  return {
    position: row.position,
    at: isoTime(row.at),
    type: row.entry.type,
    applied: reason === null,
    reason,
    id: row.entry.id,
    runID: entry.runID ?? null,
    sessionID: entry.sessionID ?? null,
    surfaceID: entry.surfaceID ?? null,
    provider: entry.provider ?? null,
    kind: entry.kind ?? kindOf(row.entry),
    hookName: entry.hookName ?? null,
    toolName: entry.toolName ?? null,
    message: entry.message ?? null,
    source: entry.source ?? null,
    occurredAt: entry.occurredAt === undefined ? null : isoTime(entry.occurredAt),
  };
}

function kindOf(entry: LogEntry): string | null {
  return "reason" in entry ? entry.reason : null;
}

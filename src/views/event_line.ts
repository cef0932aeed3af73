/** Pure: one log row as a line for people. */

import type { EventJson } from "../core/log/event_json.ts";
import { type Colour, fit, paint } from "./paint.ts";
import type { Screen } from "./terminal.ts";

const COLOUR: Readonly<Record<string, Colour>> = {
  started: "blue",
  running: "blue",
  "input-requested": "yellow",
  "approval-requested": "yellow",
  succeeded: "green",
  failed: "red",
  disconnected: "red",
};

/** The longest kind, so that the columns stand still. */
const KIND_WIDTH = "approval-requested".length;

export function eventLine(
  row: EventJson,
  { screen, explain }: { screen: Screen; explain: boolean },
): string {
  const what = row.type === "agent-event" ? row.kind ?? "" : row.type;
  const subject = row.provider ?? row.surfaceID?.slice(0, 8) ?? "";
  // First, because the end of a line is what a narrow terminal cuts off.
  const reason = row.applied ? null : explain ? `not applied: ${row.reason}` : "(not applied)";
  const parts = [reason, row.hookName, row.toolName, row.message].filter((part) => part !== null);
  const head = `${String(row.position).padStart(7)}  ${row.at.slice(11, 23)}  `;
  const columns = `${fit(subject, 12).padEnd(12)} ${(row.runID ?? "").slice(0, 8).padEnd(8)}  `;
  const painted = `${what.padEnd(KIND_WIDTH)}  `;
  const room = screen.width - head.length - painted.length - columns.length;
  const text = fit(parts.join(" · "), Math.max(10, room));
  return (head + paint(painted, COLOUR[what] ?? "grey", screen) + columns + text).trimEnd();
}

/** Pure: one log row as a line for people. */

import type { EventJson } from "../core/event_json.ts";
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

export function eventLine(
  row: EventJson,
  { screen, explain }: { screen: Screen; explain: boolean },
): string {
  const what = row.type === "agent-event" ? row.kind ?? "" : row.type;
  const subject = row.provider ?? row.surfaceID?.slice(0, 8) ?? "";
  const parts = [row.hookName, row.toolName, row.message].filter((part) => part !== null);
  const head = `${String(row.position).padStart(7)}  ${row.at.slice(11, 23)}  `;
  const rest = `  ${subject.padEnd(12)} ${(row.runID ?? "").slice(0, 8).padEnd(8)} ${
    parts.join(" · ")
  }`;
  const reason = row.applied ? "" : explain ? `  not applied: ${row.reason}` : "  (not applied)";
  const painted = paint(what.padEnd(19), COLOUR[what] ?? "grey", screen);
  return head + painted + fit(rest + reason, Math.max(10, screen.width - head.length - 19));
}

/** Pure: the table of `mytty list`, most urgent first. */

import { displayName } from "../core/registry.ts";
import type { PlaceJson } from "../core/view/view_json.ts";
import { duration } from "./paint.ts";
import { STATE_STYLE } from "./state_style.ts";
import { type Cell, type Column, table } from "./table.ts";
import type { Screen } from "./terminal.ts";

const ORDER = [
  "waiting-approval",
  "waiting-input",
  "failed",
  "disconnected",
  "running",
  "succeeded",
  "idle",
  "unknown",
];

export function listTable(
  rows: readonly PlaceJson[],
  screen: Screen,
  { withIDs = false }: { withIDs?: boolean } = {},
): string {
  if (rows.length === 0) {
    return "No panes yet. Start an agent with `mytty run -- claude`, or let its hooks report.\n";
  }
  const columns: Column[] = [
    ...(withIDs ? [{ title: "SURFACE", max: 36 }] : []),
    { title: "STATE", max: 16 },
    { title: "AGENT", max: 14 },
    { title: "PANE", max: 22 },
    { title: "FOR", max: 4 },
    { title: "MESSAGE", max: 120 },
  ];
  const sorted = rows.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return table(columns, sorted.map((row) => cells(row, withIDs)), screen);
}

function cells(row: PlaceJson, withIDs: boolean): Cell[] {
  const { dot, word, colour } = STATE_STYLE[row.state];
  const children = row.children.length === 0 ? "" : ` (+${row.children.length} sub-agents)`;
  return [
    ...(withIDs ? [{ text: row.surfaceID ?? "-" }] : []),
    { text: `${dot} ${word}`, colour },
    { text: row.provider === null ? "-" : displayName(row.provider) },
    { text: paneName(row) },
    { text: duration(row.stateFor) },
    { text: `${message(row)}${children}` },
  ];
}

/** What a person calls the pane: its label, else the folder, else the terminal. */
export function paneName(row: PlaceJson): string {
  const folder = row.cwd?.split("/").filter((part) => part !== "").at(-1);
  const name = row.label ?? folder ?? row.tty?.replace("/dev/", "") ?? "-";
  const there = row.host === null ? name : `${name} @${row.host}`;
  return row.surfaceID === null ? `${there} (no pane)` : there;
}

function message(row: PlaceJson): string {
  const tool = row.state.startsWith("waiting") && row.toolName !== null ? `${row.toolName}: ` : "";
  return tool + (row.message ?? "");
}

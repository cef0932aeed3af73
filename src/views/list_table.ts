/** Pure: the table of `mytty list`, most urgent first. */

import { displayName } from "../core/registry.ts";
import type { PlaceJson } from "../core/view/view_json.ts";
import { duration } from "./paint.ts";
import { STATE_STYLE } from "./state_style.ts";
import { type Cell, type Column, table } from "./table.ts";
import { NARROW, type Screen } from "./terminal.ts";

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

const NONE = "No panes yet. Start an agent with `mytty run -- claude`, or let its hooks report.\n";
const NONE_ACTIVE = "No agent is active; mytty list shows every pane.\n";

export function listTable(
  rows: readonly PlaceJson[],
  screen: Screen,
  { withIDs = false, isActiveOnly = false }: { withIDs?: boolean; isActiveOnly?: boolean } = {},
): string {
  if (rows.length === 0) return isActiveOnly ? NONE_ACTIVE : NONE;
  const columns: Column[] = [
    ...(withIDs ? [{ title: "SURFACE", max: idWidth(screen), isWhole: true }] : []),
    { title: "STATE", max: 16, isWhole: true },
    { title: "AGENT", max: 14 },
    { title: "PANE", max: 22 },
    { title: "FOR", max: 4 },
    { title: "MESSAGE", max: 120 },
  ];
  const sorted = rows.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  const wrapsLast = withIDs && screen.width < NARROW;
  return table(columns, sorted.map((row) => cells(row, withIDs, screen)), screen, { wrapsLast });
}

/** The beginning of an id is as good as all of it, where it is given back to us. */
function idWidth({ width }: Screen): number {
  return width < 100 ? 8 : 36;
}

function cells(row: PlaceJson, withIDs: boolean, screen: Screen): Cell[] {
  const { dot, word, short, colour } = STATE_STYLE[row.state];
  const isWide = screen.width >= NARROW;
  const children = row.children.length === 0 ? "" : ` (+${row.children.length} sub-agents)`;
  return [
    ...(withIDs ? [{ text: row.surfaceID?.slice(0, idWidth(screen)) ?? "-" }] : []),
    { text: `${dot} ${isWide ? word : short}`, colour },
    { text: agentName(row.provider, isWide) },
    { text: paneName(row) },
    { text: duration(row.stateFor) },
    { text: `${message(row)}${children}` },
  ];
}

/** "claude" where there is no room for "Claude Code". */
export function agentName(provider: string | null, isWide: boolean): string {
  if (provider === null) return "-";
  return isWide ? displayName(provider) : provider.split("-")[0]!.slice(0, 8);
}

/** What a person calls the pane: its label, else the folder, else the terminal. */
export function paneName(row: PlaceJson): string {
  const folder = row.cwd?.split("/").filter((part) => part !== "").at(-1);
  const name = row.label ?? folder ?? row.tty?.replace("/dev/", "") ?? "-";
  const there = row.host === null ? name : `${name} @${row.host}`;
  if (row.surfaceID === null) return `${there} (no pane)`;
  return row.closedAt === null ? there : `${there} (ended)`;
}

function message(row: PlaceJson): string {
  const tool = row.state.startsWith("waiting") && row.toolName !== null ? `${row.toolName}: ` : "";
  return tool + (row.message ?? "");
}

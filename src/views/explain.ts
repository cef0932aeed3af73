/** Pure: one row of `list --explain`: what the state was concluded from. */

import { displayName, findProvider } from "../core/registry.ts";
import { RULES } from "../core/placement/placement_note.ts";
import type { PlaceJson } from "../core/view/view_json.ts";
import { paneName } from "./list_table.ts";
import { duration, fit, paint } from "./paint.ts";
import { STATE_STYLE } from "./state_style.ts";
import type { Screen } from "./terminal.ts";

export function explainPlace(row: PlaceJson, screen: Screen): string {
  const { dot, word, colour } = STATE_STYLE[row.state];
  const agent = row.provider === null ? "no agent" : displayName(row.provider);
  const lines = [
    paint(`${dot} ${word}`, colour, screen) +
    ` for ${duration(row.stateFor)}: ` + fit(`${agent} in ${paneName(row)}`, screen.width - 26),
    ...details(row).map(([name, value]) =>
      `    ${name.padEnd(9)} ${fit(value, Math.max(10, screen.width - 14))}`
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function placementText(row: PlaceJson): string {
  const { placement, host } = row;
  const where = host === null ? "" : `, on ${host}`;
  if (placement === null) {
    return row.adopted ? `process: seen in this terminal${where}` : `its own capability${where}`;
  }
  const { rule, why } = placement;
  return `${rule}: ${why ?? RULES[rule] ?? "no reason is known"}${where}`;
}

function details(row: PlaceJson): [string, string][] {
  const { evidence } = row;
  const where = [row.tty, row.multiplexer, row.adopted ? "adopted" : "opened"];
  const lines: [string, string][] = [
    ["surface", row.surfaceID ?? "none: the session could not be placed"],
    ["pane", row.surfaceID === null ? "-" : where.filter((part) => part !== null).join(", ")],
    ["placed by", placementText(row)],
    ["session", row.sessionID ?? "-"],
    ["run", row.runID ?? "-"],
    [
      "evidence",
      evidence === null
        ? "none"
        : `${evidence.source}${evidence.hookName ? ` ${evidence.hookName}` : ""} at ${evidence.at}`,
    ],
    ["position", String(row.position)],
  ];
  for (const child of row.children) {
    lines.push(["child", `${child.state} ${child.provider} ${child.message ?? ""}`]);
  }
  const blind = row.provider === null ? [] : findProvider(row.provider)?.capabilities.blindSpots;
  for (const spot of blind ?? []) lines.push(["blind to", spot]);
  return lines;
}

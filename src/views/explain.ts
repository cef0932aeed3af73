/** Pure: one row of `list --explain`: what the state was concluded from. */

import { displayName, findProvider } from "../core/registry.ts";
import { paneText } from "../core/placement/pane_key.ts";
import { RULES } from "../core/placement/placement_note.ts";
import type { PlaceJson } from "../core/view/view_json.ts";
import { paneName } from "./list_table.ts";
import { duration, paint } from "./paint.ts";
import { STATE_STYLE } from "./state_style.ts";
import type { Screen } from "./terminal.ts";
import { labelled, wrapped } from "./wrap.ts";

/** `open` are the row's open items, where they are not shown elsewhere. */
export function explainPlace(row: PlaceJson, screen: Screen, open: readonly string[] = []): string {
  const { dot, word, colour } = STATE_STYLE[row.state];
  const agent = row.provider === null ? "no agent" : displayName(row.provider);
  const state = `${dot} ${word}`;
  const head = `${state} for ${duration(row.stateFor)}: ${agent} in ${paneName(row)}`;
  const [first, ...rest] = wrapped(head, screen.width - 2);
  const items = open.map((text): [string, string] => ["open", text]);
  const lines = [
    first!.replace(state, () => paint(state, colour, screen)),
    ...rest.map((line) => `  ${line}`),
    ...[...details(row), ...items].flatMap(([name, value]) =>
      labelled({ text: `    ${name.padEnd(9)} `, width: 14 }, value, screen.width)
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
  const pane = row.multiplexer === null ? null : paneText(row.multiplexer);
  const where = [row.tty, pane, row.adopted ? "adopted" : "opened"];
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

/** Pure: the attention drawer. */

import type { AttentionJson } from "../core/view/view_json.ts";
import { agentName } from "./list_table.ts";
import { type Colour, duration } from "./paint.ts";
import { table } from "./table.ts";
import { NARROW, type Screen } from "./terminal.ts";

const KIND: Readonly<Record<string, { word: string; colour: Colour }>> = {
  "approval-request": { word: "◆ approval", colour: "yellow" },
  "input-request": { word: "◆ question", colour: "yellow" },
  failure: { word: "✖ failed", colour: "red" },
  disconnect: { word: "✖ died", colour: "red" },
  completion: { word: "✔ done", colour: "green" },
};

export function attentionTable(
  items: readonly AttentionJson[],
  { screen, now }: { screen: Screen; now: number },
): string {
  if (items.length === 0) return "Nothing needs you.\n";
  const columns = [
    { title: "ITEM", max: 8, isWhole: true },
    { title: "KIND", max: 12, isWhole: true },
    { title: "AGENT", max: 14 },
    { title: "AGO", max: 4 },
    { title: "NOW", max: 12 },
    { title: "MESSAGE", max: 120 },
  ];
  const rows = items.map((item) => {
    const { word, colour } = KIND[item.kind] ?? { word: item.kind, colour: "grey" as const };
    return [
      { text: item.id.slice(0, 8) },
      { text: word, colour },
      { text: agentName(item.provider, screen.width >= NARROW) },
      { text: duration(now - Date.parse(item.createdAt)) },
      { text: standing(item) },
      { text: [item.toolName, item.message].filter((part) => part !== null).join(": ") },
    ];
  });
  return table(columns, rows, screen, { wrapsLast: screen.width < NARROW });
}

function standing(item: AttentionJson): string {
  if (item.acknowledgedAt !== null) return "acknowledged";
  return item.resolvedAt === null ? "open" : "resolved";
}

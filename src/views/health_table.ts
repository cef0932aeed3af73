/** One line for each provider: a dot, its state in words, and what to do about it. Pure. */

import { type Colour, duration } from "./paint.ts";
import { type Cell, table } from "./table.ts";
import type { Screen } from "./terminal.ts";

/** What the table shows of a provider's health. */
export type HealthRow = {
  readonly displayName: string;
  readonly state: string;
  readonly detail: string;
  readonly action: string | null;
  readonly version: string | null;
  readonly lastEventAt: number | null;
};

const STYLE: Readonly<Record<string, { readonly dot: string; readonly colour: Colour }>> = {
  "receiving": { dot: "●", colour: "green" },
  "installed": { dot: "○", colour: "blue" },
  "untrusted": { dot: "◆", colour: "yellow" },
  "restart-needed": { dot: "◆", colour: "yellow" },
  "silent": { dot: "◆", colour: "yellow" },
  "needs-repair": { dot: "✖", colour: "red" },
  "conflict": { dot: "✖", colour: "red" },
  "error": { dot: "✖", colour: "red" },
  "cli-missing": { dot: "✖", colour: "red" },
};

const OTHER = { dot: "·", colour: "grey" } as const;

export function healthTable(rows: readonly HealthRow[], screen: Screen, now: number): string {
  const columns = [
    { title: "", max: 1 },
    { title: "PROVIDER", max: 16 },
    { title: "VERSION", max: 12 },
    { title: "HOOKS", max: 14 },
    { title: "LAST", max: 9 },
    { title: "WHAT TO KNOW", max: 200 },
  ];
  const cells = rows.map((row): Cell[] => {
    const { dot, colour } = STYLE[row.state] ?? OTHER;
    const last = row.lastEventAt === null ? "never" : `${duration(now - row.lastEventAt)} ago`;
    return [
      { text: dot, colour },
      { text: row.displayName },
      { text: row.version ?? "" },
      { text: row.state, colour },
      { text: row.state === "not-installed" ? "" : last },
      { text: row.action === null ? row.detail : `${row.detail} → ${row.action}` },
    ];
  });
  return table(columns, cells, screen);
}

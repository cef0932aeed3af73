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
  readonly program: string | null;
  readonly discovery: Found;
};

type Found = {
  readonly plugin: string;
  readonly version: string | null;
  readonly others: number;
  readonly issue?: string;
} | null;

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

export type HealthTableOptions = {
  readonly now: number;
  /** Also those that are neither here nor installed, each with a line. */
  readonly shownAll: boolean;
};

/** Installed ones first, then what could be installed; the others in one line at the end. */
export function healthTable(
  rows: readonly HealthRow[],
  screen: Screen,
  { now, shownAll }: HealthTableOptions,
): string {
  const isInstalled = ({ state }: HealthRow) => state !== "not-installed";
  const isHere = (row: HealthRow) => isInstalled(row) || row.program !== null;
  const shown = shownAll ? rows : [
    ...rows.filter(isInstalled),
    ...rows.filter((row) => !isInstalled(row) && isHere(row)),
  ];
  const absent = shownAll ? [] : rows.filter((row) => !isHere(row));
  const lines = shown.flatMap(({ displayName, discovery }) =>
    discovery === null ? [] : [discoveryLine(displayName, discovery)]
  );
  if (absent.length > 0) {
    lines.push(`not found: ${absent.map(({ displayName }) => displayName).join(", ")}`);
  }
  const top = shown.length === 0 ? "" : rowsTable(shown, screen, now);
  return lines.length === 0 ? top : `${top}${top === "" ? "" : "\n"}${lines.join("\n")}\n`;
}

/** Apart from the hooks' health: a plugin in the list may still say nothing. */
function discoveryLine(
  name: string,
  { plugin, version, others, issue = "it did not say" }: NonNullable<Found>,
): string {
  const who = version === null ? name : `${name} ${version}`;
  const rest = others === 0 ? "" : `, beside ${others} of others`;
  switch (plugin) {
    case "loaded":
      return `${who} lists our plugin once${rest}`;
    case "double":
      return `${who} lists our plugin more than once${rest}`;
    case "missing":
      return `${who} does not list our plugin${rest}`;
    default:
      return `${who} did not tell its plugins: ${issue}`;
  }
}

function rowsTable(rows: readonly HealthRow[], screen: Screen, now: number): string {
  const columns = [
    { title: "", max: 1 },
    { title: "PROVIDER", max: 16 },
    { title: "VERSION", max: 12 },
    { title: "HOOKS", max: 14, isWhole: true },
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
  return table(columns, cells, screen, { wrapsLast: true });
}

/** Pure: a table that fits the terminal; the last column takes what is left. */

import { type Colour, displayWidth, fit, padded, paint } from "./paint.ts";
import type { Screen } from "./terminal.ts";

export type Cell = { readonly text: string; readonly colour?: Colour };

export type Column = { readonly title: string; readonly max: number };

const GAP = "  ";

export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  screen: Screen,
): string {
  const widths = columnWidths(columns, rows, screen.width);
  const head = columns.map(({ title }, at) => padded(fit(title, widths[at]!), widths[at]!));
  const lines = rows.map((row) =>
    row.map((cell, at) => paintedCell(cell, widths[at]!, screen)).join(GAP).trimEnd()
  );
  return [paint(head.join(GAP).trimEnd(), "grey", screen), ...lines, ""].join("\n");
}

function paintedCell({ text, colour }: Cell, width: number, screen: Screen): string {
  const shown = padded(fit(text, width), width);
  return colour === undefined ? shown : paint(shown, colour, screen);
}

function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  total: number,
): number[] {
  const widths = columns.map(({ title, max }, at) => {
    const needed = rows.map((row) => displayWidth(fit(row[at]!.text, max)));
    return Math.min(max, Math.max(displayWidth(title), ...needed));
  });
  const last = widths.length - 1;
  const gaps = GAP.length * last;
  const others = widths.slice(0, last).reduce((sum, width) => sum + width, 0);
  widths[last] = Math.min(widths[last]!, Math.max(4, total - others - gaps));
  // A narrow terminal: the widest of the others give way, down to four columns each.
  let excess = others + gaps + widths[last]! - total;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= 4) break;
    widths[widest]!--;
    excess--;
  }
  return widths;
}

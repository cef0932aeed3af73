/** Pure: a table that fits the terminal; the last column takes what is left. */

import { type Colour, displayWidth, fit, padded, paint } from "./paint.ts";
import type { Screen } from "./terminal.ts";
import { labelled } from "./wrap.ts";

export type Cell = { readonly text: string; readonly colour?: Colour };

export type Column = {
  readonly title: string;
  readonly max: number;
  /** What must be read whole: it gives no room to others. */
  readonly isWhole?: boolean;
};

const GAP = "  ";
const MIN = 4;

export type TableOptions = {
  /** The last column goes on in further lines, under the others where it has no room beside them. */
  readonly wrapsLast?: boolean;
};

export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  screen: Screen,
  { wrapsLast = false }: TableOptions = {},
): string {
  const fixed = wrapsLast ? columns.slice(0, -1) : columns;
  const widths = columnWidths(fixed, rows, { total: screen.width, hasRest: !wrapsLast });
  const titles = fixed.map(({ title }, at) => padded(fit(title, widths[at]!), widths[at]!));
  const head = (wrapsLast ? [...titles, columns.at(-1)!.title] : titles).join(GAP).trimEnd();
  const used = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const lines = rows.flatMap((row) => {
    const cells = fixed.map((_, at) => paintedCell(row[at]!, widths[at]!, screen)).join(GAP);
    if (!wrapsLast) return [cells.trimEnd()];
    return labelled({ text: cells + GAP, width: used }, row.at(-1)!.text, screen.width);
  });
  return [paint(head.slice(0, screen.width), "grey", screen), ...lines, ""].join("\n");
}

function paintedCell({ text, colour }: Cell, width: number, screen: Screen): string {
  const shown = padded(fit(text, width), width);
  return colour === undefined ? shown : paint(shown, colour, screen);
}

function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { total, hasRest }: { readonly total: number; readonly hasRest: boolean },
): number[] {
  const widths = columns.map(({ title, max }, at) => {
    const needed = rows.map((row) => displayWidth(fit(row[at]!.text, max)));
    return Math.min(max, Math.max(displayWidth(title), ...needed));
  });
  const last = widths.length - 1;
  const gaps = GAP.length * last;
  const sum = () => widths.reduce((sum, width) => sum + width, gaps);
  if (hasRest) widths[last] = Math.min(widths[last]!, Math.max(MIN, total - sum() + widths[last]!));
  // A narrow terminal: the widest of those that may be cut give way, down to four columns each.
  const room = (at: number) => columns[at]!.isWhole ? 0 : widths[at]! - MIN;
  for (let excess = sum() - total; excess > 0; excess--) {
    const widest = widths.map((_, at) => at).reduce((a, b) => room(b) > room(a) ? b : a);
    if (room(widest) <= 0) break;
    widths[widest]!--;
  }
  return widths;
}

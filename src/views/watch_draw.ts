/** The live view as lines: pure, so that every size and state can be looked at in a test. */

import { explainPlace } from "./explain.ts";
import { agentName, paneName } from "./list_table.ts";
import { displayWidth, duration, fit, padded, paint } from "./paint.ts";
import { STATE_STYLE } from "./state_style.ts";
import type { Screen } from "./terminal.ts";
import { watchHeader } from "./watch_header.ts";
import { selectedIndex, visibleRows, type WatchModel, type WatchRow } from "./watch_model.ts";

export type WatchScreen = Screen & { readonly height: number };

/** At most `height` lines of at most `width` columns. */
export function drawWatch(model: WatchModel, screen: WatchScreen, now: number): string[] {
  const rows = visibleRows(model);
  const selected = rows[selectedIndex(model, rows)];
  const head = [watchHeader(model, screen, now)];
  const foot = footer(model, { screen, selected });
  const space = Math.max(0, screen.height - head.length - foot.length);
  const body = page(model, { screen, rows, selected, space, now });
  const filler = Array.from({ length: Math.max(0, space - body.length) }, () => "");
  return [...head, ...body.slice(0, space), ...filler, ...foot].slice(0, screen.height);
}

type Page = {
  readonly screen: WatchScreen;
  readonly rows: readonly WatchRow[];
  readonly selected: WatchRow | undefined;
  readonly space: number;
  readonly now: number;
};

function page(model: WatchModel, whole: Page): string[] {
  const { screen, rows, selected, space, now } = whole;
  if (model.mode === "help") return HELP.map((line) => cut(line, screen.width));
  if (model.mode === "explain" && selected !== undefined) return explained(selected, whole);
  if (rows.length === 0) return emptyPage(model, screen);
  const at = rows.findIndex(({ place }) => place === selected?.place);
  // The selected row stays on the page, with the ones before it as far as they fit.
  const first = Math.max(0, Math.min(at - Math.floor(space / 2), rows.length - space));
  const shown = rows.slice(first, first + space);
  const widths = columnWidths(rows, screen.width);
  return shown.map((row) => rowLine(row, { widths, screen, now, isSelected: row === selected }));
}

/** From here on names and states have room to be written out. */
const WIDE = 72;

/** Below it there is only room for the dot, the pane and the time. */
const NARROW = 36;

type Widths = { readonly agent: number; readonly pane: number; readonly word: number };

/** Short words and names where the pane is narrow, none where it is tiny; the rest is the message's. */
function columnWidths(rows: readonly WatchRow[], width: number): Widths {
  const longest = (texts: string[]) => Math.max(...texts.map(displayWidth));
  const isWide = width >= WIDE;
  const words = rows.map(({ state }) =>
    isWide ? STATE_STYLE[state].word : STATE_STYLE[state].short
  );
  const agents = rows.map((row) => agentName(row.provider, isWide));
  const agent = width < NARROW ? 0 : Math.min(isWide ? 14 : 8, longest(agents));
  const word = width < NARROW ? 0 : longest(words);
  const room = width < NARROW ? width - 8 : isWide ? 20 : Math.max(8, Math.floor(width / 4));
  return { agent, pane: Math.min(room, longest(rows.map(paneName))), word };
}

type RowOptions = {
  readonly widths: Widths;
  readonly screen: Screen;
  readonly now: number;
  readonly isSelected: boolean;
};

function rowLine(row: WatchRow, { widths, screen, now, isSelected }: RowOptions): string {
  const { dot, word, short, colour } = STATE_STYLE[row.state];
  const isWide = screen.width >= WIDE;
  const cell = (text: string, width: number) => padded(fit(text, width), width);
  const pane = cell(paneName(row), widths.pane);
  const state = cell(isWide ? word : short, widths.word);
  const since = duration(now - row.since).padStart(4);
  const cells = [
    (isSelected ? paint("▌", "bold", screen) : " ") + paint(dot, colour, screen),
    ...(widths.agent === 0 ? [] : [cell(agentName(row.provider, isWide), widths.agent)]),
    isSelected ? paint(pane, "bold", screen) : pane,
    ...(widths.word === 0 ? [] : [paint(state, colour, screen)]),
    paint(since, "grey", screen),
  ];
  const used = 2 + widths.agent + widths.pane + widths.word + 4 + cells.length;
  const message = fit(messageOf(row), screen.width - used);
  return [...cells, message].join(" ").trimEnd();
}

function messageOf(row: WatchRow): string {
  const tool = row.state.startsWith("waiting") && row.toolName !== null ? `${row.toolName}: ` : "";
  const children = row.children.length === 0 ? "" : ` (+${row.children.length})`;
  return `${tool}${row.message ?? ""}${children}`;
}

function footer(
  model: WatchModel,
  { screen, selected }: { screen: WatchScreen; selected: WatchRow | undefined },
): string[] {
  if (model.mode === "filter") return [cut(`/${model.filter}▏`, screen.width)];
  const listKeys = screen.width < KEYS.length ? FEW_KEYS : KEYS;
  const keys = model.mode === "list" ? listKeys : "any key goes back";
  const filtered = model.filter === "" ? "" : `/${model.filter}  `;
  const line = model.message === "" ? filtered + keys : model.message;
  const last = paint(cut(line, screen.width), "grey", screen);
  // The message of the selected row, whole as far as a line goes; a small pane has no room for it.
  const hasDetail = screen.height >= 8 && model.mode === "list" && selected !== undefined;
  return hasDetail
    ? [fit(`${paneName(selected)}: ${messageOf(selected)}`, screen.width), last]
    : [last];
}

const KEYS = "enter go  a ack  / filter  e explain  ? help  q quit";
const FEW_KEYS = "enter go  a ack  / filter  ? help  q";

const HELP = [
  "Keys",
  "  j k ↑ ↓  choose a row",
  "  g G      first, last",
  "  enter    go to its pane",
  "  a A      acknowledge it, all",
  "  /        filter by a word (esc: all)",
  "  e        explain its state",
  "  x        also panes without an agent",
  "  q        quit",
];

/** Not even our own words have room, which are cut then: a wrapped line is never wider. */
const TINY = 24;

/** Wrapped, not cut: what has no room at all is in `list --explain`. */
function explained(row: WatchRow, { screen, space, now }: Page): string[] {
  const stateFor = Math.max(0, now - row.since);
  const items = row.attention.map(({ kind, message, toolName }) =>
    [kind, toolName, message].filter((part) => part !== null).join(" ")
  );
  const plain = screen.width < TINY ? { ...screen, colour: false } : screen;
  const text = explainPlace({ ...row, stateFor }, plain, items).trimEnd().split("\n");
  const lines = plain === screen ? text : text.map((line) => cut(line, screen.width));
  if (lines.length <= space) return lines;
  return [...lines.slice(0, space - 1), fit("… mytty list --explain says all", screen.width)];
}

/** Our own words, spaces kept; what strangers said goes through `fit`. */
function cut(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${[...text].slice(0, width - 1).join("")}…`;
}

function emptyPage({ rows, filter, offline }: WatchModel, { width }: Screen): string[] {
  if (offline !== null) {
    return ["", fit("Waiting for `mytty serve`; this page comes back by itself", width)];
  }
  if (filter !== "") return ["", fit(`No agent matches "${filter}"; esc shows all`, width)];
  if (rows.size > 0) return ["", fit("No agents in the open panes; x shows the panes", width)];
  return ["", fit("No agents yet: start one with `mytty run -- claude`", width)];
}

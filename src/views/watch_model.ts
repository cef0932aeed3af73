/**
 * The live view as a value: what is shown and what a key or a line from the server makes of it.
 * Pure; drawing is watch_draw.ts, the terminal is watch_screen.ts.
 */

import { displayName } from "../core/registry.ts";
import type { AttentionJson } from "../core/view/view_json.ts";
import type { WatchLine, WatchPlace } from "../core/view/watch_view.ts";
import { paneName } from "./list_table.ts";

export type WatchRow = WatchPlace & {
  /** Local time at which the state began; ages are counted from it. */
  readonly since: number;
};

export type WatchMode = "list" | "filter" | "explain" | "help";

export type WatchModel = {
  readonly rows: ReadonlyMap<string, WatchRow>;
  readonly mode: WatchMode;
  /** The place of the selected row; null selects the first. */
  readonly selected: string | null;
  readonly filter: string;
  /** Also panes without a live agent. */
  readonly showAll: boolean;
  /** Null while the stream is open; else why there is none. */
  readonly offline: string | null;
  /** Local time of the last sign of the server; null until the stream gives such signs. */
  readonly heardAt: number | null;
  /** One line about what a key did; gone with the next key. */
  readonly message: string;
};

/** What the terminal loop is to do; the model itself does nothing. */
export type WatchAction =
  | { readonly do: "quit" }
  | { readonly do: "jump"; readonly surfaceID: string }
  | { readonly do: "acknowledge"; readonly ids: readonly string[] };

export type Step = { readonly model: WatchModel; readonly action: WatchAction | null };

export function emptyModel(): WatchModel {
  return {
    rows: new Map(),
    mode: "list",
    selected: null,
    filter: "",
    showAll: false,
    offline: "connecting",
    heardAt: null,
    message: "",
  };
}

const URGENCY: Readonly<Record<string, number>> = {
  "waiting-approval": 0,
  "waiting-input": 1,
  failed: 2,
  disconnected: 2,
  running: 4,
  succeeded: 5,
  idle: 6,
  unknown: 7,
};

/** The rows to show, those that need somebody first; within a rank the longest in it first. */
export function visibleRows({ rows, filter, showAll }: WatchModel): WatchRow[] {
  const word = filter.toLowerCase();
  return [...rows.values()].filter((row) =>
    (showAll || isOfInterest(row)) && (word === "" || searchText(row).includes(word))
  ).sort((a, b) => rank(a) - rank(b) || a.since - b.since || (a.place < b.place ? -1 : 1));
}

function isOfInterest({ state, provider, attention }: WatchRow): boolean {
  return attention.length > 0 || (provider !== null && state !== "unknown");
}

function rank(row: WatchRow): number {
  // An open item needs somebody although its run looks idle by now.
  const item = row.attention.length > 0 ? 3 : 9;
  return Math.min(URGENCY[row.state] ?? 9, item);
}

function searchText(row: WatchRow): string {
  const agent = row.provider === null ? "" : displayName(row.provider);
  return [agent, row.provider, paneName(row), row.state, row.message, row.cwd].join(" ")
    .toLowerCase();
}

export function selectedIndex(
  model: WatchModel,
  visible: readonly WatchRow[] = visibleRows(model),
): number {
  return Math.max(0, visible.findIndex(({ place }) => place === model.selected));
}

/** More than two beats of the stream are missing. */
const SILENT_MS = 5_000;

/** Why what is shown may be old: no stream, or one on which nothing comes any more; else null. */
export function outage({ offline, heardAt }: WatchModel, now: number): string | null {
  if (offline !== null) return offline;
  return heardAt !== null && now - heardAt > SILENT_MS ? "the server does not answer" : null;
}

/** A line of the stream; a blank one says nothing but that the server is there. */
export function takeText(model: WatchModel, text: string, now: number): WatchModel {
  if (text === "") return { ...model, heardAt: now };
  return takeLine(model, JSON.parse(text) as WatchLine, now);
}

/** What the server's stream told. */
export function takeLine(model: WatchModel, line: WatchLine, now: number): WatchModel {
  const rows = line.type === "snapshot" ? new Map<string, WatchRow>() : new Map(model.rows);
  for (const place of line.places) {
    rows.set(place.place, { ...place, since: now - place.stateFor });
  }
  if (line.type === "change") {
    for (const place of line.gone) rows.delete(place);
    for (const item of line.attention) updateItem(rows, item);
  }
  const heardAt = model.heardAt === null ? null : now;
  return { ...model, rows, offline: null, heardAt };
}

/** An item of a run that its row no longer shows still counts for the row until it is closed. */
function updateItem(rows: Map<string, WatchRow>, item: AttentionJson): void {
  if (item.resolvedAt === null && item.acknowledgedAt === null) return;
  for (const [key, row] of rows) {
    const attention = row.attention.filter(({ id }) => id !== item.id);
    if (attention.length !== row.attention.length) rows.set(key, { ...row, attention });
  }
}

/** What each key of the live view does. Pure. */

import { paneName } from "./list_table.ts";
import {
  selectedIndex,
  type Step,
  visibleRows,
  type WatchModel,
  type WatchRow,
} from "./watch_model.ts";

export function pressKey(model: WatchModel, key: string): Step {
  if (key === "ctrl-c") return { model, action: { do: "quit" } };
  const quiet = { ...model, message: "" };
  if (model.mode === "filter") return { model: typeFilter(quiet, key), action: null };
  // Any key leaves a page.
  if (model.mode !== "list") return { model: { ...quiet, mode: "list" }, action: null };
  return pressInList(quiet, key);
}

function typeFilter(model: WatchModel, key: string): WatchModel {
  switch (key) {
    case "enter":
      return { ...model, mode: "list" };
    case "escape":
      return { ...model, mode: "list", filter: "" };
    case "backspace":
      return { ...model, filter: [...model.filter].slice(0, -1).join("") };
    case "ctrl-u":
      return { ...model, filter: "" };
    default:
      return [...key].length === 1 ? { ...model, filter: model.filter + key } : model;
  }
}

const MOVES: Readonly<Record<string, number>> = {
  down: 1,
  j: 1,
  up: -1,
  k: -1,
  "page-down": 10,
  "page-up": -10,
  g: -Infinity,
  home: -Infinity,
  G: Infinity,
  end: Infinity,
};

function pressInList(model: WatchModel, key: string): Step {
  const visible = visibleRows(model);
  const row = visible[selectedIndex(model, visible)];
  if (key in MOVES) return { model: move(model, visible, MOVES[key]!), action: null };
  switch (key) {
    case "q":
      return { model, action: { do: "quit" } };
    case "/":
      return { model: { ...model, mode: "filter" }, action: null };
    case "?":
    case "h":
      return { model: { ...model, mode: "help" }, action: null };
    case "escape":
      return { model: { ...model, filter: "" }, action: null };
    case "x":
      return { model: { ...model, showAll: !model.showAll }, action: null };
    case "e":
      return { model: row === undefined ? model : { ...model, mode: "explain" }, action: null };
    case "enter":
      return jump(model, row);
    case "a":
      return acknowledge(model, row === undefined ? [] : [row]);
    case "A":
      return acknowledge(model, visible);
  }
  return { model, action: null };
}

function move(model: WatchModel, visible: readonly WatchRow[], by: number): WatchModel {
  if (visible.length === 0) return model;
  const at = selectedIndex(model, visible) + by;
  const selected = visible[Math.min(visible.length - 1, Math.max(0, at))]!.place;
  return { ...model, selected };
}

function jump(model: WatchModel, row: WatchRow | undefined): Step {
  if (row === undefined) return { model, action: null };
  if (row.surfaceID === null) {
    return { model: { ...model, message: "This session has no pane to go to" }, action: null };
  }
  return {
    model: { ...model, selected: row.place, message: `Going to ${paneName(row)}` },
    action: { do: "jump", surfaceID: row.surfaceID },
  };
}

function acknowledge(model: WatchModel, rows: readonly WatchRow[]): Step {
  const ids = rows.flatMap(({ attention }) => attention.map(({ id }) => id));
  if (ids.length === 0) {
    return { model: { ...model, message: "Nothing to acknowledge here" }, action: null };
  }
  const message = `Acknowledged ${ids.length === 1 ? "1 item" : `${ids.length} items`}`;
  return { model: { ...model, message }, action: { do: "acknowledge", ids } };
}

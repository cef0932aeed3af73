/** The first line of the live view: how many agents are in which state. Pure. */

import { type Colour, displayWidth, fit, paint } from "./paint.ts";
import type { Screen } from "./terminal.ts";
import { outage, type WatchModel, type WatchRow } from "./watch_model.ts";

export function watchHeader(model: WatchModel, screen: Screen, now: number): string {
  const reason = outage(model, now);
  if (reason !== null) {
    return `mytty  ${paint(fit(`✖ ${reason}`, screen.width - 7), "red", screen)}`;
  }
  const counts = countStates(model);
  const isNarrow = screen.width < 56;
  const parts: string[] = [];
  let used = 5;
  for (const { mark, word, colour, count } of counts) {
    if (count === 0) continue;
    const text = isNarrow ? `${mark}${count}` : `${mark} ${count} ${word}`;
    used += 2 + displayWidth(text);
    if (used <= screen.width) parts.push(paint(text, colour, screen));
  }
  const quiet = parts.length === 0
    ? [paint(fit("all quiet", screen.width - 7), "grey", screen)]
    : parts;
  return [paint("mytty", "bold", screen), ...quiet].join("  ");
}

type Count = { mark: string; word: string; colour: Colour; count: number };

function countStates({ rows }: WatchModel): Count[] {
  const count = (test: (row: WatchRow) => boolean) => [...rows.values()].filter(test).length;
  return [
    {
      mark: "◆",
      word: "need you",
      colour: "yellow",
      count: count(({ state }) => state === "waiting-approval" || state === "waiting-input"),
    },
    {
      mark: "✖",
      word: "went wrong",
      colour: "red",
      count: count(({ state }) => state === "failed" || state === "disconnected"),
    },
    {
      mark: "●",
      word: "working",
      colour: "blue",
      count: count(({ state }) => state === "running"),
    },
    {
      mark: "✔",
      word: "done",
      colour: "green",
      count: count(({ state }) => state === "succeeded"),
    },
    { mark: "○", word: "idle", colour: "grey", count: count(({ state }) => state === "idle") },
  ];
}

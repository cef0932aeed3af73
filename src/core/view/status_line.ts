/** One short line for a status bar or a prompt: how many need you, work, are done, went wrong. Pure. */

import type { RunState } from "../log/event.ts";
import type { PlaceView } from "./view.ts";

export type StatusCounts = {
  readonly waiting: number;
  readonly running: number;
  readonly failed: number;
  readonly done: number;
};

const COUNTED: Partial<Record<RunState, keyof StatusCounts>> = {
  "waiting-approval": "waiting",
  "waiting-input": "waiting",
  running: "running",
  failed: "failed",
  disconnected: "failed",
  succeeded: "done",
};

const MARKS: Readonly<Record<keyof StatusCounts, string>> = {
  waiting: "◆",
  failed: "✖",
  running: "●",
  done: "✔",
};

/** Empty when no agent is worth a word. */
export function statusLine(
  views: readonly Pick<PlaceView, "state">[],
): StatusCounts & { readonly text: string } {
  const counts = { waiting: 0, running: 0, failed: 0, done: 0 };
  for (const { state } of views) {
    const key = COUNTED[state];
    if (key !== undefined) counts[key]++;
  }
  const keys = Object.keys(MARKS) as (keyof StatusCounts)[];
  const text = keys.filter((key) => counts[key] > 0).map((key) => `${MARKS[key]}${counts[key]}`);
  return { ...counts, text: text.join(" ") };
}

/** One look for each state, everywhere. The word says it too: colour is never the only sign. */

import type { RunState } from "../core/log/event.ts";
import type { Colour } from "./paint.ts";

export type StateStyle = {
  readonly dot: string;
  readonly word: string;
  /** Where there is little room: still not the same for two states that ask for different things. */
  readonly short: string;
  readonly colour: Colour;
};

export const STATE_STYLE: Readonly<Record<RunState, StateStyle>> = {
  "waiting-approval": { dot: "◆", word: "needs approval", short: "approve", colour: "yellow" },
  "waiting-input": { dot: "◆", word: "needs answer", short: "answer", colour: "yellow" },
  running: { dot: "●", word: "working", short: "working", colour: "blue" },
  succeeded: { dot: "✔", word: "done", short: "done", colour: "green" },
  failed: { dot: "✖", word: "failed", short: "failed", colour: "red" },
  disconnected: { dot: "✖", word: "died", short: "died", colour: "red" },
  idle: { dot: "○", word: "idle", short: "idle", colour: "grey" },
  unknown: { dot: "·", word: "no agent", short: "-", colour: "grey" },
};

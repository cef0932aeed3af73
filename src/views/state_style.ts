/** One look for each state, everywhere. The word says it too: colour is never the only sign. */

import type { RunState } from "../core/log/event.ts";
import type { Colour } from "./paint.ts";

export type StateStyle = { readonly dot: string; readonly word: string; readonly colour: Colour };

export const STATE_STYLE: Readonly<Record<RunState, StateStyle>> = {
  "waiting-approval": { dot: "◆", word: "needs approval", colour: "yellow" },
  "waiting-input": { dot: "◆", word: "needs answer", colour: "yellow" },
  running: { dot: "●", word: "working", colour: "blue" },
  succeeded: { dot: "✔", word: "done", colour: "green" },
  failed: { dot: "✖", word: "failed", colour: "red" },
  disconnected: { dot: "✖", word: "died", colour: "red" },
  idle: { dot: "○", word: "idle", colour: "grey" },
  unknown: { dot: "·", word: "no agent", colour: "grey" },
};

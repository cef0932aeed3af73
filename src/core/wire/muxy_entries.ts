/**
 * What a v3 event means for the log. It names no prompt, so a run is what lies between the first
 * sign of work and `finished` of one provider on one pane. Pure.
 */

import { type AgentEvent, isLive } from "../log/event.ts";
import { derivedID } from "../ids.ts";
import { liveRuns } from "../log/run_index.ts";
import type { Run, State } from "../log/state.ts";
import { boundedText } from "../text.ts";
import { MAX_MESSAGE_CHARACTERS } from "./envelope.ts";
import type { MuxyEvent } from "./muxy.ts";

export type MuxyPlace = {
  readonly surfaceID: string;
  /** Our id of the entry. */
  readonly id: string;
  readonly now: number;
};

/** Null when there is nothing to record: `finished` with nothing under way. */
export function muxyEntry(state: State, event: MuxyEvent, place: MuxyPlace): AgentEvent | null {
  const live = liveRuns(state, place.surfaceID).find((run) =>
    run.provider === event.provider && run.parentRunID === null && isLive(run.state)
  );
  const base = baseEvent(event, place, live);
  switch (event.phase) {
    case "working":
      return live === undefined
        ? { ...base, kind: "started" }
        : { ...base, kind: "running", settles: "all" };
    case "waiting":
      // Whether it is a question or an approval is not said.
      return { ...base, kind: "input-requested", requestKey: "muxy" };
    case "finished":
      return live === undefined ? null : { ...base, kind: "idle" };
  }
}

function baseEvent(
  { provider, phase, title, body }: MuxyEvent,
  { surfaceID, id, now }: MuxyPlace,
  live: Run | undefined,
): Omit<AgentEvent, "kind"> {
  const message = [title, body].filter((part) => part !== "").join(": ");
  return {
    type: "agent-event",
    id,
    runID: live?.runID ?? derivedID("run", provider, surfaceID, id),
    provider,
    occurredAt: now,
    source: "muxy",
    sessionID: live?.sessionID ?? null,
    surfaceID,
    message: message === "" ? null : boundedText(message, MAX_MESSAGE_CHARACTERS),
    hookName: phase,
    toolUseID: null,
    toolName: null,
  };
}

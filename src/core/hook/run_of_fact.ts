/** Which run a fact is about, and where and when it was told. */

import { runIDOf } from "../ids.ts";
import { type EventSource, isLive, type ProcessID } from "../log/event.ts";
import { sessionKey, type State } from "../log/state.ts";
import type { PlacementNote } from "../placement/placement_note.ts";
import type { RunFact } from "./hook_fact.ts";

/**
 * How far apart a hook and a file may date one prompt, where neither names its turn: machines are
 * busy. What is further apart is of two prompts.
 */
export const SAME_START_MS = 5_000;

/** Where and when the facts were told; the same for all facts of one delivery. */
export type Delivery = {
  /** The same on every retry of one hook run; becomes the id of its first entry. */
  readonly deliveryID: string;
  readonly provider: string;
  readonly source: EventSource;
  readonly occurredAt: number;
  readonly undated: boolean;
  readonly late: boolean;
  readonly surfaceID: string | null;
  /** Set when the agent runs inside another agent's run: it is listed under that one. */
  readonly parentRunID: string | null;
  readonly process: ProcessID | null;
  readonly cwd: string | null;
  readonly placement?: PlacementNote;
  /** The other machine or container that it came from. */
  readonly host?: string;
};

type Context = { readonly delivery: Delivery };

export function runID(state: State, fact: RunFact, context: Context): string {
  if (fact.childKey === undefined) return mainRunID(state, fact, context);
  return runIDOf(context.delivery.provider, placeName(fact, context), `agent\0${fact.childKey}`);
}

export function mainRunID(state: State, fact: RunFact, context: Context): string {
  const { provider } = context.delivery;
  const place = placeName(fact, context);
  // A reminder of idleness is about the session, whichever turn was its last.
  const isReminder = fact.kind === "idle" && fact.weak === true;
  const current = isReminder ? currentRunID(state, fact, context) : undefined;
  if (current !== undefined) return current;
  if (fact.turnKey !== null) return runIDOf(provider, place, fact.turnKey);
  if (fact.kind === "started" && fact.childKey === undefined) {
    return estimatedRunID(state, fact, context) ??
      runIDOf(provider, place, context.delivery.deliveryID);
  }
  return currentRunID(state, fact, context) ?? runIDOf(provider, place, place);
}

/**
 * The run of a turn that was seen before it was told, where neither names it: one prompt, one run.
 * What the process table has seen is told by a transcript or a hook, what a transcript has, by a
 * hook.
 */
function estimatedRunID(state: State, fact: RunFact, context: Context): string | undefined {
  const { source, occurredAt } = context.delivery;
  const run = state.runs.get(currentRunID(state, fact, context) ?? "");
  if (run === undefined || !run.startSeen || !isLive(run.state)) return undefined;
  const isTold = run.source !== "process" &&
    !(run.source === "transcript" && source !== "transcript");
  const apart = Math.abs(occurredAt - (run.startedAt ?? occurredAt));
  return isTold || apart > SAME_START_MS ? undefined : run.runID;
}

export function currentRunID(
  state: State,
  fact: RunFact,
  { delivery }: Context,
): string | undefined {
  if (fact.sessionID !== null) {
    const session = state.sessions.get(sessionKey(delivery.provider, fact.sessionID));
    return session?.currentRunID ?? undefined;
  }
  const latest = delivery.surfaceID === null ? undefined : state.latest.get(delivery.surfaceID);
  const run = latest === undefined ? undefined : state.runs.get(latest);
  return run?.provider === delivery.provider ? run.runID : undefined;
}

/** Stands for the session in run ids: itself, else the pane, else this delivery alone. */
function placeName(fact: RunFact, { delivery }: Context): string {
  return fact.sessionID ?? delivery.surfaceID ?? delivery.deliveryID;
}

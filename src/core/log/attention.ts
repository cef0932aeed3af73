/**
 * Attention items: what a person should look at, made from applied events only.
 *
 * Requests resolve when they are settled; failures and disconnects when the run comes back to
 * life; all can be acknowledged. The same request asked again in one turn reopens its item.
 */

import { type AgentEvent, isLive } from "./event.ts";
import type { Outcome } from "./outcome.ts";
import type { AttentionItem, ItemKind, Run, State } from "./state.ts";

/** Successes of shorter work are not worth a person's attention (section 4). */
export const COMPLETION_AFTER_MS = 5 * 60_000;

/** Resolved or acknowledged items stay listed this long. */
export const LISTED_FOR_MS = 24 * 3_600_000;

type Step = {
  readonly event: AgentEvent;
  readonly before: Run;
  readonly after: Run;
  readonly at: number;
};

/** Opens and resolves the items of `step`; returns the run with its item ids. */
export function updateItems(state: State, step: Step, outcome: Outcome): Run {
  resolveItems(state, step, outcome);
  const wanted = wantedItem(step);
  if (wanted === undefined) return step.after;
  const known = step.after.itemIDs.map((id) => state.items.get(id))
    .find((item) => item?.kind === wanted.kind && item.key === wanted.key);
  if (known === undefined) {
    const item = newItem(step, wanted);
    put(state, item, outcome);
    return { ...step.after, itemIDs: [...step.after.itemIDs, item.id] };
  }
  // A repeated guess must not un-acknowledge what the person has already seen.
  const acknowledgedAt = step.event.weak ? known.acknowledgedAt : null;
  put(state, { ...known, resolvedAt: null, acknowledgedAt }, outcome);
  return step.after;
}

export function acknowledge(state: State, id: string, at: number, outcome: Outcome): void {
  const item = state.items.get(id);
  if (item === undefined || item.acknowledgedAt !== null) return;
  put(state, { ...item, acknowledgedAt: closingTime(item, at) }, outcome);
}

/** `createdAt` is by the sender's clock: where that is ahead, an item still does not close before. */
function closingTime(item: AttentionItem, at: number): number {
  return Math.max(at, item.createdAt);
}

export function isOpenItem(item: AttentionItem): boolean {
  return item.resolvedAt === null && item.acknowledgedAt === null;
}

/** Items to list at `now`, newest first: all open ones, and those closed within a day. */
export function listedItems(state: State, now: number): AttentionItem[] {
  return [...state.items.values()].filter((item) => {
    const closedAt = Math.min(item.resolvedAt ?? Infinity, item.acknowledgedAt ?? Infinity);
    return now - closedAt < LISTED_FOR_MS;
  }).sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
}

function resolveItems(state: State, { before, after, at }: Step, outcome: Outcome): void {
  for (const id of before.itemIDs) {
    const item = state.items.get(id);
    if (item === undefined || item.resolvedAt !== null) continue;
    if (isSettled(item, after)) {
      put(state, { ...item, resolvedAt: closingTime(item, at) }, outcome);
    }
  }
}

function isSettled(item: AttentionItem, run: Run): boolean {
  switch (item.kind) {
    case "approval-request":
    case "input-request":
      return !run.requests.some((open) => open.key === item.key);
    case "failure":
      return isLive(run.state) || run.state === "succeeded";
    case "disconnect":
      // Somebody has told how it ended after all.
      return isLive(run.state) || run.state === "succeeded" || run.state === "failed";
    case "completion":
      return isLive(run.state);
  }
}

type Wanted = { readonly kind: ItemKind; readonly key: string };

function wantedItem({ event, before, after, at }: Step): Wanted | undefined {
  const opened = after.requests.find((request) =>
    !before.requests.some((open) => open.key === request.key)
  );
  if (opened !== undefined) {
    return {
      kind: opened.kind === "input" ? "input-request" : "approval-request",
      key: opened.key,
    };
  }
  if (after.parentRunID !== null || before.state === after.state) return undefined;
  if (after.state === "failed") return { kind: "failure", key: "failure" };
  if (after.state === "disconnected") return { kind: "disconnect", key: "disconnect" };
  const worked = event.late
    ? event.occurredAt - (after.startedAt ?? event.occurredAt)
    : at - (after.workSince ?? at);
  if (after.state === "succeeded" && worked >= COMPLETION_AFTER_MS) {
    return { kind: "completion", key: "completion" };
  }
  return undefined;
}

function newItem({ event, after }: Step, wanted: Wanted): AttentionItem {
  return {
    id: event.id,
    kind: wanted.kind,
    key: wanted.key,
    surfaceID: after.surfaceID,
    runID: after.runID,
    sessionID: after.sessionID,
    provider: after.provider,
    message: event.message,
    toolName: event.toolName,
    child: after.parentRunID !== null,
    createdAt: event.occurredAt,
    resolvedAt: null,
    acknowledgedAt: null,
  };
}

function put(state: State, item: AttentionItem, outcome: Outcome): void {
  outcome.changes.push({ change: "attention", before: state.items.get(item.id), after: item });
  state.items.set(item.id, item);
}

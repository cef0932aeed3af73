/** What a run has asked the person: kept one by one, so that one answer settles one request. */

import type { AgentEvent, RunState } from "./event.ts";
import type { Request } from "./state.ts";

export function unsettled(requests: readonly Request[], event: AgentEvent): readonly Request[] {
  const settles = event.settles ?? (event.toolUseID === null ? "all" : [event.toolUseID]);
  if (settles === "all") return [];
  if (settles === "none") return requests;
  // A guessed request has no identity of its own: any finished tool shows that it was answered.
  return requests.filter((open) =>
    !open.weak && !settles.includes(open.key) &&
    !(open.toolUseID !== null && settles.includes(open.toolUseID))
  );
}

export function stateFor(requests: readonly Request[]): RunState {
  if (requests.some((open) => open.kind === "approval")) return "waiting-approval";
  return requests.length > 0 ? "waiting-input" : "running";
}

/** What the person is asked first: of the most urgent kind, the one that has waited longest. */
export function firstAsked(requests: readonly Request[]): Request | null {
  return requests.find((open) => open.kind === "approval") ?? requests[0] ?? null;
}

export function requestOf(event: AgentEvent): Request {
  return {
    key: event.requestKey ?? event.toolUseID ?? `${event.toolName ?? ""}\0${event.message ?? ""}`,
    kind: event.kind === "input-requested" ? "input" : "approval",
    toolUseID: event.toolUseID,
    weak: event.weak === true,
    message: event.message,
    toolName: event.toolName,
  };
}

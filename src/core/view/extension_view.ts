/** Muxy's extension surface in its own words: `agent.status`, `agents.list`, `notification.posted`. */

import type { RunState } from "../log/event.ts";
import { isLive } from "../log/event.ts";
import type { Notice } from "../notify/notice.ts";
import type { PlaceView } from "./view.ts";

/** All values are strings; what we have no word for is empty. */
export type AgentStatus = {
  readonly paneID: string;
  readonly projectID: string;
  readonly providerID: string;
  readonly status: "working" | "waiting" | "idle";
  readonly worktreeID: string;
};

export type ExtensionEvent =
  | { readonly event: "agent.status"; readonly payload: AgentStatus }
  | { readonly event: "notification.posted"; readonly payload: Readonly<Record<string, string>> };

/** Null for a pane without an agent. */
export function agentStatus({ surface, session, run, state }: PlaceView): AgentStatus | null {
  const providerID = run?.provider ?? session?.provider;
  if (surface === null || providerID === undefined) return null;
  const folder = session?.cwd ?? surface.cwd ?? "";
  return {
    paneID: surface.surfaceID.toUpperCase(),
    projectID: folder,
    providerID,
    status: statusOf(state),
    worktreeID: folder,
  };
}

function statusOf(state: RunState): AgentStatus["status"] {
  if (!isLive(state)) return "idle";
  return state === "running" ? "working" : "waiting";
}

export function notificationPosted(notice: Notice): ExtensionEvent {
  const { place, origin, provider, title, body } = notice;
  return {
    event: "notification.posted",
    payload: {
      body,
      paneID: place.surfaceID?.toUpperCase() ?? "",
      projectID: place.cwd ?? "",
      source: provider ?? origin,
      tabID: "",
      title,
      worktreeID: place.cwd ?? "",
      worktreePath: place.cwd ?? "",
    },
  };
}

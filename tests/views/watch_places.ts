/** Rows of the live view, to be drawn in tests. */

import type { RunState } from "../../src/core/log/event.ts";
import type { AttentionJson } from "../../src/core/view/view_json.ts";
import type { WatchPlace } from "../../src/core/view/watch_view.ts";

export const NOW = 1_800_000_000_000;

export function item(id: string): AttentionJson {
  const none = { surfaceID: null, sessionID: null, toolName: null, resolvedAt: null };
  return {
    id,
    kind: "approval-request",
    runID: "r",
    provider: "codex",
    createdAt: new Date(NOW).toISOString(),
    message: null,
    acknowledgedAt: null,
    ...none,
  };
}

export function place(
  name: string,
  state: RunState,
  fields: Partial<WatchPlace> = {},
): WatchPlace {
  return {
    place: name,
    surfaceID: name,
    label: name,
    provider: "claude-code",
    state,
    stateFor: 12_000,
    position: 1,
    runID: "run",
    sessionID: "S",
    cwd: null,
    tty: null,
    multiplexer: null,
    adopted: false,
    closedAt: null,
    host: null,
    placement: null,
    message: `message of ${name}`,
    toolName: null,
    startedAt: null,
    updatedAt: null,
    evidence: null,
    attention: [],
    children: [],
    ...fields,
  } as WatchPlace;
}

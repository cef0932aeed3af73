/** Replays recorded hooks through the real decoders, log entries, reducer and view, on a simulated clock. */

import type { LogEntry } from "../../src/core/log/event.ts";
import { derivedID } from "../../src/core/ids.ts";
import { entriesOf } from "../../src/core/hook/ingest.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { ProviderRecord } from "../../src/core/provider.ts";
import { reduce } from "../../src/core/log/reduce.ts";
import { initialState, type State } from "../../src/core/log/state.ts";
import { isActive, type PlaceView } from "../../src/core/view/view.ts";

export type Truth = {
  readonly from: number;
  readonly state: string;
  readonly hooks: string | null;
  readonly revealedAt?: number | null;
  readonly unsureFrom?: number;
  readonly session?: string;
  readonly ambiguous?: readonly string[];
};

export type ToldHook = {
  readonly ms: number;
  readonly event: string | null;
  readonly payload: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
};

/** Appends an entry and what follows from it, as the mailbox does. */
export function append(state: State, entry: LogEntry, at: number): void {
  const { followUps } = reduce(state, { position: state.position + 1, at, entry });
  for (const followUp of followUps) append(state, followUp, at);
}

/** A state with one open surface for each id. */
export function stateWithPanes(...surfaceIDs: string[]): State {
  const state = initialState();
  const nothing = { capabilityHash: null, label: null, cwd: null, tty: null, root: null };
  for (const surfaceID of surfaceIDs) {
    const id = derivedID("event", "surface-opened", surfaceID);
    const open = { surfaceID, multiplexer: null, adopted: true, ...nothing };
    append(state, { type: "surface-opened", id, ...open }, 0);
  }
  return state;
}

export function feedHook(
  state: State,
  { record, surfaceID }: { record: ProviderRecord; surfaceID: string | null },
  { ms, event, payload, env = {} }: ToldHook,
): void {
  const facts = record.hook.decode({ payload, event, env });
  const entries = entriesOf(state, facts, {
    deliveryID: derivedID("delivery", String(state.position)),
    provider: record.id,
    source: "hook",
    occurredAt: ms,
    undated: false,
    late: false,
    surfaceID,
    parentRunID: null,
    process: null,
    cwd: null,
  });
  for (const entry of entries) append(state, entry, ms);
}

/** What a view says, in the truth files' words: all of them that fit. */
export function truthWords(view: PlaceView): string[] {
  if (view.state === "unknown") return ["absent"];
  if (isActive(view)) return [view.state];
  return view.state === "idle" ? ["idle", "ended"] : [view.state];
}

/** The events that the install subscribes to, with the matchers of the tool events. */
export function subscriptions(record: ProviderRecord): Map<string, RegExp> {
  const heard = new Map<string, RegExp>();
  const listen = (event: string, matcher = "") => void heard.set(event, new RegExp(matcher));
  const command = (event: string) => (listen(event), event);
  for (const target of record.install.targets) {
    if (target.kind === "own-file") target.text({ command, launcher: "", version: null });
    else for (const { event, matcher } of target.subscriptions) listen(event, matcher);
  }
  return heard;
}

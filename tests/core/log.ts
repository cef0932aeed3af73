/** A small log to tell stories with: what the daemon's mailbox does, without a database. */

import type {
  AgentEvent,
  EventKind,
  ExplainedRow,
  LogEntry,
  LogRow,
  ProcessID,
  SessionEnded,
  SessionStarted,
  SurfaceClosed,
  SurfaceOpened,
} from "../../src/core/log/event.ts";
import { derivedID } from "../../src/core/ids.ts";
import { entriesOf } from "../../src/core/hook/ingest.ts";
import type { Delivery } from "../../src/core/hook/run_of_fact.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Outcome } from "../../src/core/log/outcome.ts";
import type { ProviderRecord } from "../../src/core/provider.ts";
import { reduce } from "../../src/core/log/reduce.ts";
import { findProvider } from "../../src/core/registry.ts";
import {
  type AttentionItem,
  initialState,
  type Run,
  type State,
} from "../../src/core/log/state.ts";
import { type PlaceView, placeView } from "../../src/core/view/view.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

/** A stable UUID for a word, so that tests read as stories. */
export function uuid(word: string): string {
  return derivedID("test", word);
}

export const PANE = uuid("pane");

export type Told = { readonly row: LogRow; readonly outcome: Outcome };

export class Log {
  readonly state: State = initialState();
  readonly rows: ExplainedRow[] = [];
  readonly #ids = new Set<string>();

  constructor(...panes: string[]) {
    for (const pane of panes) this.tell(opened(pane), 0);
  }

  /** Appends `entry` and what follows from it at steady time `at`; a known id is ignored. */
  tell(entry: LogEntry, at: number): Told[] {
    const told: Told[] = [];
    const pending = [entry];
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      if (this.#ids.has(next.id)) continue;
      this.#ids.add(next.id);
      const row = {
        position: this.state.position + 1,
        at: Math.max(at, this.state.at),
        entry: next,
      };
      const outcome = reduce(this.state, row);
      this.rows.push({ ...row, reason: outcome.applied ? null : outcome.reason });
      told.push({ row, outcome });
      pending.push(...outcome.followUps);
    }
    return told;
  }

  /** Tells an event that occurred when it was told, unless `fields` says otherwise. */
  event(kind: EventKind, at: number, fields: Partial<AgentEvent> = {}): Told[] {
    return this.tell(event(kind, { occurredAt: at, ...fields }), at);
  }

  run(word = "run"): Run {
    const run = this.state.runs.get(uuid(word));
    if (run === undefined) throw new Error(`No run ${word}`);
    return run;
  }

  view(now: number, place = PANE): PlaceView {
    return placeView(this.state, place, { now });
  }

  items(): AttentionItem[] {
    return [...this.state.items.values()];
  }

  openItems(): AttentionItem[] {
    return this.items().filter((item) => item.resolvedAt === null && item.acknowledgedAt === null);
  }
}

let made = 0;

/** An event of run "run" in session "S" on PANE, with an id of its own. */
export function event(kind: EventKind, fields: Partial<AgentEvent> = {}): AgentEvent {
  return {
    type: "agent-event",
    id: uuid(`event ${++made}`),
    runID: uuid("run"),
    provider: "claude-code",
    kind,
    occurredAt: 0,
    source: "hook",
    sessionID: "S",
    surfaceID: PANE,
    message: null,
    hookName: null,
    toolUseID: null,
    toolName: null,
    ...fields,
  };
}

export function opened(surfaceID: string, fields: Partial<SurfaceOpened> = {}): SurfaceOpened {
  return {
    type: "surface-opened",
    id: derivedID("event", "surface-opened", surfaceID),
    surfaceID,
    capabilityHash: null,
    label: null,
    cwd: null,
    tty: null,
    root: null,
    multiplexer: null,
    adopted: false,
    ...fields,
  };
}

export function closed(surfaceID: string, reason: SurfaceClosed["reason"]): LogEntry {
  return { type: "surface-closed", id: uuid(`close ${surfaceID}`), surfaceID, reason };
}

export function sessionStarted(
  sessionID: string,
  occurredAt: number,
  fields: Partial<SessionStarted> = {},
): SessionStarted {
  return {
    type: "session-started",
    id: uuid(`event ${++made}`),
    provider: "claude-code",
    sessionID,
    surfaceID: PANE,
    occurredAt,
    source: "hook",
    hookName: "SessionStart",
    ...fields,
  };
}

export function sessionEnded(
  sessionID: string,
  occurredAt: number,
  fields: Partial<SessionEnded> = {},
): SessionEnded {
  return {
    type: "session-ended",
    id: uuid(`event ${++made}`),
    provider: "claude-code",
    sessionID,
    occurredAt,
    source: "hook",
    hookName: "SessionEnd",
    reason: "closed",
    ...fields,
  };
}

export type Fed = {
  readonly at: number;
  readonly occurredAt?: number;
  readonly undated?: boolean;
  readonly late?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly surfaceID?: string | null;
  readonly parentRunID?: string | null;
  readonly process?: ProcessID | null;
  readonly cwd?: string | null;
};

/** Feeds raw hook payloads of one provider through its decoder, as the hook receiver does. */
export class Agent {
  readonly log: Log;
  readonly record: ProviderRecord;
  readonly #fixed: JsonObject;

  /** `fixed`: fields that every payload of this agent has. */
  constructor(log: Log, provider: string, fixed: JsonObject = { session_id: "S" }) {
    this.log = log;
    this.record = findProvider(provider)!;
    this.#fixed = fixed;
  }

  hook(name: string, fields: JsonObject, { env = {}, ...fed }: Fed): Told[] {
    const payload = { hook_event_name: name, ...this.#fixed, ...fields };
    const facts = this.record.hook.decode({ payload, event: null, env });
    const delivery: Delivery = {
      deliveryID: uuid(`delivery ${++made}`),
      provider: this.record.id,
      source: "hook",
      occurredAt: fed.occurredAt ?? fed.at,
      undated: fed.undated ?? false,
      late: fed.late ?? false,
      surfaceID: fed.surfaceID === undefined ? PANE : fed.surfaceID,
      parentRunID: fed.parentRunID ?? null,
      process: fed.process ?? null,
      cwd: fed.cwd ?? null,
    };
    return entriesOf(this.log.state, facts, delivery).flatMap((entry) =>
      this.log.tell(entry, fed.at)
    );
  }

  get runs(): Run[] {
    return [...this.log.state.runs.values()];
  }
}

/** Applied or why not, of the first row told. */
export function reasonOf(told: readonly Told[]): string | null {
  return told[0]!.outcome.reason;
}

/** Everything that a fold makes, in an order that does not depend on how it came about. */
export function snapshot(state: State): unknown {
  const { journal: _journal, ...rest } = state;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      value instanceof Map ? [...value].sort(([a], [b]) => String(a) < String(b) ? -1 : 1) : value,
    ]),
  );
}

/**
 * The vocabulary of the log: what may be recorded, and what each field means.
 *
 * Times are milliseconds since the Unix epoch. `occurredAt` is what the sender says and is used
 * only to tell a late event from a new one; order is the log's position.
 */

import type { PlacementNote } from "../placement/placement_note.ts";
import type { ProcessID } from "../process/process.ts";

export type { ProcessID };

/** What a sender may say about a run (protocol section 3.1). */
export const WIRE_KINDS = [
  "started",
  "running",
  "input-requested",
  "approval-requested",
  "succeeded",
  "failed",
  "disconnected",
] as const;

export type WireKind = typeof WIRE_KINDS[number];

/** `idle` is ours: an interrupt, a superseded run. It is never received. */
export type EventKind = WireKind | "idle";

export const RUN_STATES = [
  "unknown",
  "idle",
  "running",
  "waiting-input",
  "waiting-approval",
  "succeeded",
  "failed",
  "disconnected",
] as const;

export type RunState = typeof RUN_STATES[number];

/** Where an event came from; shown as evidence. */
export type EventSource = "envelope" | "hook" | "muxy" | "transcript" | "process" | "server";

/**
 * Which open requests a `running` event answers: all of the run, those of a finished tool (by
 * key), or none (mere signs of work).
 */
export type Settles = "all" | "none" | readonly string[];

export type AgentEvent = {
  readonly type: "agent-event";
  readonly id: string;
  readonly runID: string;
  readonly provider: string;
  readonly kind: EventKind;
  readonly occurredAt: number;
  readonly source: EventSource;
  readonly sessionID: string | null;
  readonly surfaceID: string | null;
  readonly message: string | null;
  readonly hookName: string | null;
  readonly toolUseID: string | null;
  readonly toolName: string | null;
  /** Identity of a request within its run; identical requests share it. */
  readonly requestKey?: string;
  readonly settles?: Settles;
  /** The sender only repeats or guesses: applied when nothing firmer says otherwise. */
  readonly weak?: true;
  /** A start that goes on with earlier work (a background task's notice), not a person's prompt. */
  readonly continuation?: true;
  /** Steady time at which the work began that a continuation goes on with. */
  readonly workSince?: number;
  /** Still running only because background work is unfinished. */
  readonly background?: true;
  /** Set for sub-agents and nested agents: listed under the parent, never speaking for it. */
  readonly parentRunID?: string;
  /** Of a nested agent: it has a session of its own, and a parent that may have no run yet. */
  readonly nested?: true;
  /** The sender gave no time, so the event cannot prove that it is newer than an end. */
  readonly undated?: true;
  /** Delivered from the spool, after the fact. */
  readonly late?: true;
  readonly process?: ProcessID;
  readonly cwd?: string;
  /** Why it was placed where it was. */
  readonly placement?: PlacementNote;
  /** The other machine or container that it came from. */
  readonly host?: string;
};

export type SessionStarted = {
  readonly type: "session-started";
  readonly id: string;
  readonly provider: string;
  readonly sessionID: string;
  readonly surfaceID: string | null;
  readonly occurredAt: number;
  readonly source: EventSource;
  readonly hookName: string | null;
  readonly process?: ProcessID;
  readonly cwd?: string;
  readonly transcript?: string;
  /** Set for nested agents: what they work for. */
  readonly parentRunID?: string;
  readonly placement?: PlacementNote;
  readonly host?: string;
};

export type SessionEnded = {
  readonly type: "session-ended";
  readonly id: string;
  readonly provider: string;
  readonly sessionID: string;
  readonly occurredAt: number;
  readonly source: EventSource;
  readonly hookName: string | null;
  /** `closed`: the person ended it; `lost`: the process went away; `replaced`: another took its pane. */
  readonly reason: "closed" | "lost" | "replaced";
};

export type SurfaceOpened = {
  readonly type: "surface-opened";
  readonly id: string;
  readonly surfaceID: string;
  /** SHA-256 of the capability, hex; null for an adopted pane, which never got one. */
  readonly capabilityHash: string | null;
  readonly label: string | null;
  readonly cwd: string | null;
  readonly tty: string | null;
  readonly root: ProcessID | null;
  readonly multiplexer: string | null;
  readonly adopted: boolean;
  /** The other machine that this pane leads to. */
  readonly host?: string;
  /** Whoever opened it reports how its commands end. */
  readonly reportsEnds?: true;
};

export type SurfaceClosed = {
  readonly type: "surface-closed";
  readonly id: string;
  readonly surfaceID: string;
  /**
   * `closed`: the person closed it; `ended`: the command that it was opened for is over; `gone`: its
   * root process went away.
   */
  readonly reason: "closed" | "ended" | "gone";
};

export type Acknowledged = {
  readonly type: "acknowledged";
  readonly id: string;
  readonly itemIDs: readonly string[];
};

export type LogEntry =
  | AgentEvent
  | SessionStarted
  | SessionEnded
  | SurfaceOpened
  | SurfaceClosed
  | Acknowledged;

/**
 * A row of the log. `at` is the daemon's steady time (section 4: clock jumps make no negative
 * durations); it never goes backwards from one position to the next.
 */
export type LogRow = { readonly position: number; readonly at: number; readonly entry: LogEntry };

/** A row with the reason why it changed nothing, where it did not. */
export type ExplainedRow = LogRow & { readonly reason: string | null };

/** Version of the stored entry's shape, written with each row. */
export const ENTRY_SCHEMA = 1;

export function isLive(state: RunState): boolean {
  return state === "running" || isWaiting(state);
}

export function isWaiting(state: RunState): boolean {
  return state === "waiting-input" || state === "waiting-approval";
}

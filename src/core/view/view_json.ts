/** The JSON that `list`, `attention` and the control API print: the contract with scripts. */

import type { RunState } from "../log/event.ts";
import { firstAsked } from "../log/requests.ts";
import type { AttentionItem, Run } from "../log/state.ts";
import type { PlaceView } from "./view.ts";

export type RunJson = {
  readonly runID: string;
  readonly surfaceID: string | null;
  readonly provider: string;
  readonly state: RunState;
  readonly sessionID: string | null;
  readonly message: string | null;
  readonly toolName: string | null;
  readonly startedAt: string | null;
  readonly updatedAt: string;
  readonly startSeen: boolean;
};

export type EvidenceJson = {
  /** `hook`, `envelope`, `transcript`, `process`, … */
  readonly source: string;
  readonly hookName: string | null;
  readonly at: string;
};

export type PlacementJson = { readonly rule: string; readonly why: string | null };

export type PlaceJson = {
  readonly surfaceID: string | null;
  readonly label: string | null;
  readonly provider: string | null;
  readonly state: RunState;
  /** Milliseconds for which the state has been so. */
  readonly stateFor: number;
  readonly position: number;
  readonly runID: string | null;
  readonly sessionID: string | null;
  readonly cwd: string | null;
  readonly tty: string | null;
  readonly multiplexer: string | null;
  readonly adopted: boolean;
  /** When its command ended, of a surface that is only listed until that is seen; else null. */
  readonly closedAt: string | null;
  /** The other machine or container that its agent runs on; null here. */
  readonly host: string | null;
  /** Why the session is in this pane, or in none. */
  readonly placement: PlacementJson | null;
  readonly message: string | null;
  readonly toolName: string | null;
  readonly startedAt: string | null;
  readonly updatedAt: string | null;
  readonly evidence: EvidenceJson | null;
  readonly attention: readonly AttentionJson[];
  readonly children: readonly RunJson[];
};

export type AttentionJson = {
  readonly id: string;
  readonly kind: string;
  readonly surfaceID: string | null;
  readonly runID: string;
  readonly sessionID: string | null;
  readonly provider: string;
  readonly createdAt: string;
  readonly message: string | null;
  readonly toolName: string | null;
  readonly resolvedAt: string | null;
  readonly acknowledgedAt: string | null;
};

export function placeJson(view: PlaceView, now: number): PlaceJson {
  const { surface, session, run } = view;
  const { message, toolName } = view.asked ?? run ?? NO_WORDS;
  return {
    surfaceID: surface?.surfaceID ?? null,
    label: surface?.label ?? null,
    provider: run?.provider ?? session?.provider ?? null,
    state: view.state,
    stateFor: Math.max(0, now - view.stateAt),
    position: view.statePosition,
    runID: run?.runID ?? null,
    sessionID: session?.sessionID ?? run?.sessionID ?? null,
    cwd: session?.cwd ?? surface?.cwd ?? null,
    tty: surface?.tty ?? null,
    multiplexer: surface?.multiplexer ?? null,
    adopted: surface?.adopted ?? false,
    closedAt: isoOrNull(surface?.closedAt),
    host: session?.host ?? surface?.host ?? null,
    placement: placementJson(view),
    message,
    toolName,
    startedAt: isoOrNull(run?.startedAt),
    updatedAt: isoOrNull(run?.updatedAt),
    evidence: run === null ? null : evidenceJson(run),
    attention: view.attention.map(attentionJson),
    children: view.children.map(runJson),
  };
}

const NO_WORDS = { message: null, toolName: null };

export function runJson(run: Run): RunJson {
  const { message, toolName } = firstAsked(run.requests) ?? run;
  return {
    runID: run.runID,
    surfaceID: run.surfaceID,
    provider: run.provider,
    state: run.state,
    sessionID: run.sessionID,
    message,
    toolName,
    startedAt: isoOrNull(run.startedAt),
    updatedAt: isoTime(run.updatedAt),
    startSeen: run.startSeen,
  };
}

export function attentionJson(item: AttentionItem): AttentionJson {
  const { id, kind, surfaceID, runID, sessionID, provider, message, toolName } = item;
  return {
    id,
    kind,
    surfaceID,
    runID,
    sessionID,
    provider,
    createdAt: isoTime(item.createdAt),
    message,
    toolName,
    resolvedAt: isoOrNull(item.resolvedAt),
    acknowledgedAt: isoOrNull(item.acknowledgedAt),
  };
}

function placementJson({ session, run }: PlaceView): PlacementJson | null {
  const note = session?.placement ?? run?.placement;
  return note === undefined ? null : { rule: note.rule, why: note.why ?? null };
}

function evidenceJson(run: Run): EvidenceJson {
  return { source: run.source, hookName: run.hookName, at: isoTime(run.updatedAt) };
}

/** Dates beyond what ISO text can say (a hostile `occurredAt`) are shown as the epoch. */
export function isoTime(millis: number): string {
  return new Date(Math.abs(millis) <= 8.64e15 ? millis : 0).toISOString();
}

function isoOrNull(millis: number | null | undefined): string | null {
  return millis === null || millis === undefined ? null : isoTime(millis);
}

/**
 * The state at start-up: the fold of the whole log, or of a snapshot and the rows after it. A
 * snapshot counts only for the very program that wrote it, whole, and with every row that it folded
 * still there; the log deletes it in the transaction that deletes rows.
 */

import { createHash } from "node:crypto";
import { isObject, type Json, parseJson } from "../core/json.ts";
import { replay } from "../core/log/reduce.ts";
import { snapshotOf, stateOf } from "../core/log/snapshot.ts";
import { initialState, type State } from "../core/log/state.ts";
import type { EventLog } from "./event_log.ts";
import type { Hearing } from "./hearing.ts";

export type FoldOptions = {
  readonly eventLog: EventLog;
  readonly hearing: Hearing;
  /** Which program folds; null where that cannot be told, and then nothing is kept. */
  readonly program: string | null;
  readonly log: (text: string) => void;
};

/** Folding fewer rows takes less time than anybody notices. */
const WORTH_ROWS = 2_000;
/** A larger one would hold the server up for longer than it saves. */
const MAX_BYTES = 256 * 1024 * 1024;

export function foldLog(options: FoldOptions): State {
  const { eventLog, hearing, log } = options;
  const begun = restored(options) ?? initialState();
  let damaged = 0;
  const rows = eventLog.all(() => damaged++, begun.position);
  const state = replay(begun, hearing.following(rows));
  state.position = Math.max(state.position, eventLog.lastPosition());
  if (damaged > 0) log(`skipped ${damaged} log rows that cannot be read`);
  return state;
}

/** Keeps what was folded, where that is worth it. It is a mere saving: a failure loses nothing. */
export function keepSnapshot(state: State, { eventLog, hearing, program, log }: FoldOptions): void {
  const kept = eventLog.snapshot()?.position ?? 0;
  if (program === null || state.position - kept < WORTH_ROWS) return;
  try {
    const text = JSON.stringify({ state: snapshotOf(state), hearing: hearing.times() });
    if (text.length > MAX_BYTES) return;
    eventLog.keepSnapshot({ position: state.position, program, hash: hashOf(text), text });
  } catch (error) {
    log(`cannot keep a snapshot: ${String(error)}`);
  }
}

function restored({ eventLog, hearing, program, log }: FoldOptions): State | null {
  const kept = eventLog.snapshot();
  if (kept === null || kept.program !== program) return null;
  if (kept.position > eventLog.lastPosition()) return null;
  const value = hashOf(kept.text) === kept.hash ? parseJson(kept.text) : undefined;
  const state = isObject(value) ? stateOf(value.state) : null;
  if (state === null || state.position !== kept.position) {
    log("the snapshot of the log cannot be read; folding all rows instead");
    return null;
  }
  hearing.restore((value as { hearing?: Json }).hearing);
  return state;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

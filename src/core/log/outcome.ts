/** What folding one row did: the changes to publish and the entries that follow from it. */

import type { LogEntry } from "./event.ts";
import type { AttentionItem, Run, Session, Surface } from "./state.ts";

export type Change =
  | { readonly change: "run"; readonly before: Run | undefined; readonly after: Run }
  | { readonly change: "session"; readonly before: Session | undefined; readonly after: Session }
  | { readonly change: "surface"; readonly before: Surface | undefined; readonly after: Surface }
  | {
    readonly change: "attention";
    readonly before: AttentionItem | undefined;
    readonly after: AttentionItem;
  };

/**
 * `followUps` are entries that this row makes necessary (an earlier run superseded, say). The
 * writer appends them in the same transaction; a replay finds them in the log and ignores these.
 */
export type Outcome = {
  readonly applied: boolean;
  readonly reason: string | null;
  readonly changes: Change[];
  readonly followUps: LogEntry[];
};

export function applied(): Outcome {
  return { applied: true, reason: null, changes: [], followUps: [] };
}

export function notApplied(reason: string): Outcome {
  return { applied: false, reason, changes: [], followUps: [] };
}

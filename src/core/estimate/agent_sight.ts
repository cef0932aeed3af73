/** What one reading of the process table shows of an agent. */

import type { ProcessID, SurfaceOpened } from "../log/event.ts";

export type ChildSight = { readonly process: ProcessID; readonly startedAt: number };

/** One agent's process as one reading of the table shows it. */
export type AgentSight = {
  readonly provider: string;
  readonly process: ProcessID;
  readonly surfaceID: string | null;
  /** The pane is new to the log and is opened with the first entry about it. */
  readonly opens: SurfaceOpened | null;
  /** What it works for, where another agent started it. */
  readonly parentRunID: string | null;
  readonly cwd: string | null;
  readonly isHeadless: boolean;
  readonly isForeground: boolean;
  readonly startedAt: number;
  readonly children: readonly ChildSight[];
};

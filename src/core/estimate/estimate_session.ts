/** What the parts of the estimate share: a session as the edge found it, and how long to wait. */

import type { ProcessID, SurfaceOpened } from "../log/event.ts";

/** How long a file's word waits for the hook that says the same. */
export const HOOK_LEAD_MS = 600;

/** A status without a turn waits this long for the transcript, which names the turn. */
export const STATUS_LEAD_MS = 700;

export type SessionRef = {
  readonly provider: string;
  readonly sessionID: string;
  readonly surfaceID: string | null;
  /** The pane is new to the log and is opened with the first entry about it. */
  readonly opens: SurfaceOpened | null;
  /** What it works for, where another agent started it. */
  readonly parentRunID: string | null;
  readonly process: ProcessID | null;
  readonly cwd: string | null;
  readonly transcript: string | null;
  /** A print run: it ends at once after its last word, and nobody is asked. */
  readonly isHeadless: boolean;
};

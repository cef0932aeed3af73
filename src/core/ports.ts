/** Small interfaces between the edges, which do not import one another; composed in `serve`. */

import type { LogEntry, LogRow, SurfaceOpened } from "./log/event.ts";
import type { Notice, NoticePlace, OutsideNotice } from "./notify/notice.ts";
import type { NoticeRecord } from "./notify/notice_record.ts";
import type { Outcome } from "./log/outcome.ts";
import type { State } from "./log/state.ts";

/** Values of the configuration that may change while serving. */
export type Settings = { readonly idleAfter: number; readonly retention: number };

export type ChannelStatus = {
  readonly name: string;
  readonly active: boolean;
  /** Why it is not used, or how its last delivery went. */
  readonly detail: string;
};

/** Who tells the person. Nothing here blocks or throws: an event is never delayed by a channel. */
export interface Notifier {
  observe(applied: readonly { row: LogRow; outcome: Outcome }[], state: State): void;
  /** Words from elsewhere than an attention item: a terminal's notice, a Muxy event. */
  tell(words: OutsideNotice, state: State): void;
  /** Delivers a test notice, on one channel or on all active ones, whatever the rules say. */
  test(channel: string | null, place: NoticePlace): Promise<NoticeRecord>;
  /** Newest first. */
  records(): readonly NoticeRecord[];
  channels(): readonly ChannelStatus[];
  /** Told of each notice that outlived its hold time; returns the function that ends it. */
  onPosted(listener: (notice: Notice) => void): () => void;
  stop(): Promise<void>;
}

/** Where an agent's process is; `opens` is the pane's first entry, where it is new to the log. */
export type AgentPlace = {
  readonly surfaceID: string | null;
  readonly opens: SurfaceOpened | null;
  /** What it works for, where another agent started it. */
  readonly parentRunID: string | null;
};

/** What the estimator needs of the daemon. */
export interface EstimatorHost {
  readonly state: State;
  /** Appends what is decided on the state at its turn; resolves once it is durable. */
  submit(decide: (state: State) => readonly LogEntry[]): Promise<void>;
  /** Told of every committed row; returns the function that ends it. */
  onRows(listener: (rows: readonly LogRow[]) => void): () => void;
  /** By the same rules as for a hook of that process. */
  place(provider: string, pid: number): Promise<AgentPlace>;
  /** Hooks of this provider have been heard. */
  isHeard(provider: string): boolean;
  /** When a command of this pane last ended with status 0; null where nobody told. */
  endedWellAt(surfaceID: string): number | null;
}

/** One agent as the estimator sees it; `--explain` shows all of it. */
export type AgentReport = {
  readonly provider: string;
  readonly pid: number;
  readonly tty: string | null;
  readonly cwd: string | null;
  readonly surfaceID: string | null;
  /** A print run, which nobody sits in front of. */
  readonly headless: boolean;
  readonly foreground: boolean;
  readonly startedAt: string | null;
  readonly sessionID: string | null;
  readonly transcript: string | null;
  /** What the agent's own status file says. */
  readonly status: "idle" | "busy" | "waiting" | null;
  /** Whether this session's hooks speak; `silent` = they were heard, and missed a turn. */
  readonly hooks: "speaking" | "silent" | "unheard";
  readonly state: string;
  readonly runID: string | null;
  /** Where the shown state comes from, and which event made it. */
  readonly source: string | null;
  readonly evidence: string | null;
};

export interface EstimateReporter {
  /** One pass over processes and files, and what is known afterwards. */
  pass(): Promise<readonly AgentReport[]>;
}

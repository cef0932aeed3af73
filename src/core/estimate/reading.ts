/**
 * What an agent's own files tell: transcripts (line by line) and live status files. Readers are
 * total, like hook decoders, and speak the same facts, so that a turn read from a file lands on the
 * run that its hooks made.
 */

import type { EventKind } from "../log/event.ts";
import type { HookFact, RunFact } from "../hook/hook_fact.ts";
import type { BaseFolder } from "../install/install_target.ts";
import type { JsonObject } from "../json.ts";

/** One fact with the time and the identity of the line that tells it. */
export type Reading = {
  readonly fact: HookFact;
  /** The line's own time; null where lines carry none. */
  readonly at: number | null;
  /** Same line, same mark: reading twice has no effect. */
  readonly mark: string;
};

/** Takes the lines of one transcript in order; keeps only what later lines need. */
export type TranscriptReader = (line: JsonObject) => Reading[];

/** What is known of a session whose transcript is looked for. */
export type SessionClue = { readonly sessionID: string | null; readonly cwd: string | null };

export type TranscriptSpec = {
  readonly base: BaseFolder;
  /** `jsonl`: appended lines; `sqlite`: rows that `query` brings, oldest first, as JSON. */
  readonly form: "jsonl" | "sqlite";
  /** Patterns below the base folder, `*` for any part of one segment; best first. */
  readonly find: (clue: SessionClue) => readonly string[];
  /** The session of a path; null for a file that is no transcript of a person's session. */
  readonly sessionOf: (path: string) => string | null;
  /** The transcript beside a file that the agent keeps open, where it does not keep that open. */
  readonly besideOpen?: (path: string) => string | null;
  /** The whole id from the first line, where the path holds only its beginning. */
  readonly idOfHead?: (line: JsonObject) => string | null;
  readonly reader: (sessionID: string) => TranscriptReader;
  /** The file is made with the first prompt: without one, the program sits at its prompt. */
  readonly absentIsIdle: boolean;
  readonly query?: RowQuery;
  /** Where else the same is written, when there is no such file. */
  readonly otherwise?: TranscriptSpec;
};

/** `key` and `value` (JSON) of the rows of one session, oldest first. */
export type RowQuery = {
  readonly sql: string;
  readonly parameters: (sessionID: string) => string[];
  /** Ids of a folder's own sessions that were touched since a time: parameters in this order. */
  readonly sessions?: { readonly file: string; readonly sql: string };
};

export type LiveStatus = {
  readonly sessionID: string;
  /** Null where the file tells only which session the process has. */
  readonly phase: "idle" | "busy" | "waiting" | null;
  readonly asks: "approval" | "input";
  /** Since when; the file is written only when the phase changes. */
  readonly at: number | null;
  readonly cwd: string | null;
  readonly message: string | null;
};

export type LiveStatusSpec = {
  readonly base: BaseFolder;
  readonly fileOf: (pid: number) => string;
  /** Null for anything else, also for the left-over of another process (`startTime` differs). */
  readonly read: (
    value: JsonObject,
    process: { readonly pid: number; readonly startTime: string },
  ) => LiveStatus | null;
};

const HOOK_NAMES: Readonly<Record<EventKind, string>> = {
  started: "mytty.native.turnStarted",
  running: "mytty.native.turnWorking",
  "input-requested": "mytty.native.requestObserved",
  "approval-requested": "mytty.native.requestObserved",
  succeeded: "mytty.native.turnCompleted",
  failed: "mytty.native.turnFailed",
  idle: "mytty.native.turnInterrupted",
  disconnected: "mytty.native.processExited",
};

type TurnParts = Omit<RunFact, "fact" | "hookName">;

/** A reading about one turn, named after its kind. */
export function turnReading(
  { at, mark, ...parts }: TurnParts & { readonly at: number | null; readonly mark: string },
): Reading {
  return { at, mark, fact: { fact: "run", hookName: HOOK_NAMES[parts.kind], ...parts } };
}

export function sessionReading(
  { sessionID, at, transcript }: { sessionID: string; at: number | null; transcript?: string },
): Reading {
  const fact: HookFact = {
    fact: "session-started",
    sessionID,
    hookName: "mytty.native.sessionObserved",
    ...(transcript === undefined ? {} : { transcript }),
  };
  return { at, mark: `session ${sessionID}`, fact };
}

/** Milliseconds of an ISO time or of a number of milliseconds; null for anything else. */
export function timeOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value > 0 ? value : null;
  if (typeof value !== "string") return null;
  const millis = Date.parse(value);
  return Number.isFinite(millis) ? millis : null;
}

/** The UUID in a path's last segment, lower-case; null without one. */
export function uuidInName(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(name)?.[0].toLowerCase() ?? null;
}

/** Texts of a content value: a string, or text blocks. */
export function contentText(content: unknown): string | undefined {
  if (typeof content === "string") return content === "" ? undefined : content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((part) =>
    typeof part === "object" && part !== null && typeof part.text === "string" ? [part.text] : []
  );
  return texts.length === 0 ? undefined : texts.join("\n");
}

/**
 * Which pane a session belongs to, when one background process serves the panes of many (design
 * section 5, "Codex routing"). Neither variables nor ancestry tell then; what the panes' own
 * processes and the session's transcript say does. More than one match is no match.
 *
 * Pure: the evidence was read at the edge; bindings are the open sessions of the state.
 */

import { isSameProcess, processKey, type ProcessRow } from "../process/process.ts";
import { type Session, sessionKey, type State } from "../log/state.ts";

/** A terminal in whose foreground an agent of the provider sits. */
export type RoutePane = {
  /** The agent's own process, and its ancestors, nearest first. */
  readonly agent: ProcessRow;
  readonly chain: readonly ProcessRow[];
  readonly paneKey: string | null;
  /** Resolved, so that two names of one folder are equal. */
  readonly cwd: string | null;
  /** Sessions whose transcripts this very process holds open. */
  readonly openSessions: readonly string[];
  /** The session its command line names; "any" when the person picks one inside. */
  readonly resumes: string | "any" | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number | null;
};

export type RouteEvidence = {
  readonly panes: readonly RoutePane[];
  /** False when only the pane of the known binding was looked at: then only that may be told. */
  readonly isComplete: boolean;
  /** From the transcript's head; null when there is none, or not of a person's own session. */
  readonly cwd: string | null;
  /** When the session was opened, by its id. */
  readonly openedAt: number | null;
  /** Other sessions that terminals opened, and when. */
  readonly others: readonly { readonly sessionID: string; readonly openedAt: number }[];
  /** A terminal program of the provider opened it; files say so. */
  readonly isOpenedByTerminal: boolean;
  /** The event begins something in a pane, so that a session may take over from another. */
  readonly mayRebind: boolean;
  /** The event says that an older session was taken up again. */
  readonly isResumed: boolean;
};

export type RouteRule =
  | "open-transcript"
  | "session"
  | "resume-argument"
  | "only-pane-in-folder"
  | "thread-time"
  | "rebound";

export type Route =
  | { readonly pane: RoutePane; readonly rule: RouteRule }
  | { readonly pane: null; readonly why: string };

/** An agent opens its first session within this long after its start (measured: 2 to 4 s). */
const OPENING_MS = 6_000;
/** Start times are read in hundredths of a second, and clocks are stepped. */
const SLACK_MS = 500;

type Question = {
  readonly state: State;
  readonly provider: string;
  readonly sessionID: string;
  readonly evidence: RouteEvidence;
};

export function routeSession(question: Question): Route {
  const { sessionID, evidence: { panes, isComplete, cwd } } = question;
  const holders = panes.filter((pane) => pane.openSessions.includes(sessionID));
  if (holders.length > 1) return nowhere("more than one pane holds its transcript open");
  if (holders.length === 1) return { pane: holders[0]!, rule: "open-transcript" };
  const bound = boundPane(question);
  if (bound !== undefined) return { pane: bound, rule: "session" };
  if (!isComplete) return nowhere("its binding ended while the event was on its way");
  const loose = panes.filter((pane) => pane.openSessions.length === 0);
  const resuming = loose.filter((pane) =>
    pane.resumes === sessionID && occupants(question, pane).length === 0
  );
  if (resuming.length > 1) return nowhere("more than one pane was started to resume it");
  if (resuming.length === 1) return { pane: resuming[0]!, rule: "resume-argument" };
  if (cwd === null) return nowhere("its transcript does not name a person's session and folder");
  const near = loose.filter((pane) => pane.cwd === cwd);
  if (near.length === 0) return nowhere("no pane of this agent is in its folder");
  return byFolder(question, near);
}

function byFolder(question: Question, near: readonly RoutePane[]): Route {
  const { evidence } = question;
  const free = near.filter((pane) =>
    (pane.resumes === null || pane.resumes === "any") && occupants(question, pane).length === 0 &&
    couldOpen(pane, evidence)
  );
  if (free.length === 1) return { pane: free[0]!, rule: "only-pane-in-folder" };
  if (free.length > 1) {
    const pane = openedAtStart(question, free);
    if (pane !== null) return { pane, rule: "thread-time" };
    return nowhere(`${free.length} free panes of this agent are in its folder`);
  }
  if (!evidence.mayRebind) {
    return nowhere("every pane in its folder is taken or younger than the session");
  }
  const taken = near.filter((pane) => couldOpen(pane, evidence));
  if (taken.length === 1) return { pane: taken[0]!, rule: "rebound" };
  return nowhere("more than one pane in its folder may have taken it up");
}

/** A process cannot have opened what is older than itself, unless it takes up old sessions. */
function couldOpen(pane: RoutePane, { openedAt, isResumed }: RouteEvidence): boolean {
  if (isResumed || pane.resumes === "any") return true;
  if (openedAt === null || pane.startedAt === null) return true;
  return pane.startedAt <= openedAt + SLACK_MS;
}

/**
 * The one pane that had just started when the session was opened. It counts only when every
 * other free pane had its own start-up session too: one that had not might have opened this one.
 */
function openedAtStart(question: Question, free: readonly RoutePane[]): RoutePane | null {
  const { state, provider, evidence } = question;
  const { openedAt, others, isOpenedByTerminal, isResumed } = evidence;
  if (openedAt === null || !isOpenedByTerminal || isResumed) return null;
  // A session that has its pane says nothing about the panes that are free.
  const unknown = others.filter(({ sessionID }) =>
    (state.sessions.get(sessionKey(provider, sessionID))?.surfaceID ?? null) === null
  );
  const openings = [openedAt, ...unknown.map((other) => other.openedAt)];
  const own = free.filter((pane) => isOpening(pane, openedAt));
  if (own.length !== 1) return null;
  const isSettled = free.every((pane) => openings.filter((at) => isOpening(pane, at)).length === 1);
  return isSettled ? own[0]! : null;
}

function isOpening({ startedAt }: RoutePane, openedAt: number): boolean {
  if (startedAt === null) return false;
  return openedAt >= startedAt - SLACK_MS && openedAt <= startedAt + OPENING_MS;
}

/** The pane the session is bound to, while its process is the same and holds no other transcript. */
function boundPane({ state, provider, sessionID, evidence }: Question): RoutePane | undefined {
  const session = state.sessions.get(sessionKey(provider, sessionID));
  if (session === undefined || session.endedAt !== null || session.process === null) {
    return undefined;
  }
  const { process } = session;
  return evidence.panes.find((pane) =>
    isSameProcess(pane.agent, process) && pane.openSessions.length === 0
  );
}

/** Other open sessions of the provider that are bound to this pane's process. */
function occupants({ state, provider, sessionID }: Question, pane: RoutePane): Session[] {
  const keys = state.agents.get(processKey(pane.agent)) ?? [];
  return keys.map((key) => state.sessions.get(key)!).filter((session) =>
    session.provider === provider && session.sessionID !== sessionID && session.surfaceID !== null
  );
}

function nowhere(why: string): Route {
  return { pane: null, why };
}

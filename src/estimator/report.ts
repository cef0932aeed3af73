/** What the estimator knows of one agent, for people and scripts. */

import type { AgentReport } from "../core/ports.ts";
import { isSameProcess } from "../core/process/process.ts";
import { type Run, type Session, sessionKey, type State } from "../core/log/state.ts";
import { placeView } from "../core/view/view.ts";
import type { WatchedAgent } from "./watched_agent.ts";

export function reportOf(
  state: State,
  agent: WatchedAgent,
  { now, hooksOf, transcriptOf }: {
    readonly now: number;
    readonly hooksOf: (key: string) => AgentReport["hooks"];
    /** The file that is followed for a session. */
    readonly transcriptOf: (key: string) => string | null;
  },
): AgentReport {
  const { clues, place, found, process } = agent;
  const session = sessionOf(state, agent);
  const sessionID = session?.sessionID ?? agent.session?.sessionID ?? null;
  const surfaceID = session?.surfaceID ?? place.surfaceID;
  const key = sessionID === null ? "" : sessionKey(clues.record.id, sessionID);
  const view = placeView(state, surfaceID ?? session?.key ?? "", { now });
  const run = runOf(state, session, view.run);
  return {
    provider: clues.record.id,
    pid: process.pid,
    tty: found.row.tty ?? found.match.leader.tty,
    cwd: clues.cwd,
    surfaceID,
    headless: found.isHeadless,
    foreground: found.isForeground,
    startedAt: clues.startedAt === null ? null : new Date(clues.startedAt).toISOString(),
    sessionID,
    transcript: transcriptOf(key) ?? session?.transcript ?? agent.session?.path ?? null,
    status: agent.status?.phase ?? null,
    hooks: sessionID === null ? "unheard" : hooksOf(key),
    state: run?.state ?? (session === undefined ? view.state : "idle"),
    runID: run?.runID ?? null,
    source: run?.source ?? null,
    evidence: run?.hookName ?? null,
  };
}

function sessionOf(state: State, { process, session, clues }: WatchedAgent): Session | undefined {
  const byProcess = [...state.sessions.values()].filter((each) =>
    each.endedAt === null && each.process !== null && isSameProcess(each.process, process)
  );
  const latest = byProcess.toSorted((a, b) => b.position - a.position)[0];
  if (latest !== undefined || session === null) return latest;
  return state.sessions.get(sessionKey(clues.record.id, session.sessionID));
}

function runOf(state: State, session: Session | undefined, shown: Run | null): Run | null {
  if (session === undefined) return shown;
  return session.currentRunID === null ? null : state.runs.get(session.currentRunID) ?? null;
}

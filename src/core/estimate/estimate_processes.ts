/**
 * What the process table says about agents, as log entries: a launch that no hook and no file
 * tells, an exit, a crash loop, an agent that left the foreground, a command that started after a
 * permission was asked for. Pure; the tables come in, with the time.
 */

import { isLive, isWaiting, type LogEntry } from "../log/event.ts";
import type { SessionEnded } from "../log/event.ts";
import type { Decision } from "./estimate.ts";
import { Crashes } from "./estimate_crashes.ts";
import {
  headlessStart,
  isToldReady,
  launchKind,
  processEvent,
  sessionsByProcess,
} from "./estimate_launch.ts";
import { aboutRun, opening } from "./estimate_run.ts";
import type { AgentSight } from "./agent_sight.ts";
import { endOfGone } from "../log/run_end.ts";
import { runIDOf } from "../ids.ts";
import { processKey } from "../process/process.ts";
import { placeKey, type Run, type Session, type State } from "../log/state.ts";
import { isReported, REPORT_MS } from "../log/command_end.ts";
import { liveRuns } from "../log/run_index.ts";
import { endedSession } from "../log/synthesized.ts";

/** A launch younger than this may still say what it is, or be a typing error. */
export const START_GRACE_MS = 3_000;
/** Where hooks speak and one of them tells that the program is there, it is waited for. */
export const SILENT_GRACE_MS = 15_000;
/** A working agent that left the foreground without a hook is idle after this long. */
export const WORKING_GRACE_MS = 4_000;
/** A hook's own child lives shorter. */
const CHILD_AGE_MS = 1_000;

type Known = {
  sight: AgentSight;
  readonly runID: string;
  isLaunched: boolean;
  isCovered: boolean;
  lostAt: number | null;
  /** Since when the process is gone. */
  goneAt: number | null;
};

export type ProcessEstimateOptions = {
  /** Hooks of this provider are known to be installed and to speak. */
  readonly isHooked?: (provider: string) => boolean;
  /** A status file speaks for the session: children prove less. */
  readonly hasStatus?: (session: Session) => boolean;
  /** When a command of this pane last ended with status 0, as far as anybody told. */
  readonly endedWellAt?: (surfaceID: string) => number | null;
};

export class ProcessEstimate {
  readonly #options: ProcessEstimateOptions;
  readonly #known = new Map<string, Known>();
  readonly #crashes = new Crashes();

  constructor(options: ProcessEstimateOptions = {}) {
    this.#options = options;
  }

  /** One reading of the table. Never call it with a table that could not be read. */
  scan(state: State, sights: readonly AgentSight[], now: number): Decision[] {
    const sessions = sessionsByProcess(state);
    const decisions: Decision[] = [];
    const seen = new Set<string>();
    for (const sight of sights) {
      const key = processKey(sight.process);
      seen.add(key);
      const known = this.#note(key, sight);
      const session = sessions.get(key) ?? sessions.get(`${sight.surfaceID} ${sight.provider}`);
      known.isCovered ||= session !== undefined;
      decisions.push(...this.#launch(state, known, session, now));
      if (session !== undefined) decisions.push(...this.#refine(state, known, session, now));
    }
    for (const [key, known] of this.#known) {
      if (seen.has(key) || mayBeReported(state, known, now)) continue;
      this.#known.delete(key);
      decisions.push(...this.#vanished(state, known, now));
    }
    return decisions;
  }

  /** The end of a session whose process is gone; the same entry however often it is made. */
  exited(session: Session, now: number): SessionEnded {
    const cause = { id: processKey(session.process!), occurredAt: now };
    return endedSession(session, cause, { hookName: "mytty.native.processExited", reason: "lost" });
  }

  #note(key: string, sight: AgentSight): Known {
    const known = this.#known.get(key);
    if (known !== undefined) {
      known.sight = sight;
      return known;
    }
    const { provider, surfaceID } = sight;
    const runID = runIDOf(provider, surfaceID ?? key, `launch\0${key}`);
    const made = { sight, runID, isLaunched: false, isCovered: false, lostAt: null, goneAt: null };
    this.#known.set(key, made);
    return made;
  }

  #launch(state: State, known: Known, session: Session | undefined, now: number): Decision[] {
    const { sight, runID } = known;
    if (session !== undefined) {
      const run = state.runs.get(runID);
      if (run === undefined || !isLive(run.state)) return [];
      // A hook or a transcript has taken over: one prompt, one run.
      return [() => [processEvent(sight, { runID, kind: "idle", name: "turnHandoff", now })]];
    }
    const isHooked = this.#options.isHooked?.(sight.provider) ?? false;
    const grace = isHooked && isToldReady(sight) ? SILENT_GRACE_MS : START_GRACE_MS;
    if (known.isLaunched || now - sight.startedAt < grace) return [];
    known.isLaunched = true;
    const kind = launchKind(sight, isHooked);
    const event = processEvent(sight, { runID, kind, name: "launchObserved", now });
    return [(at) => at.runs.has(runID) ? [] : [...opening(at, sight), event]];
  }

  #refine(state: State, known: Known, session: Session, now: number): Decision[] {
    const run = session.currentRunID === null ? undefined : state.runs.get(session.currentRunID);
    if (run === undefined) return headlessStart(known.sight, session, now);
    const entries = [
      ...this.#foreground(known, run, now),
      ...this.#answers(state, known, { run, session, now }),
    ];
    return entries.length === 0 ? [] : [() => entries];
  }

  /** Ctrl-Z, or `bg`: not working for the person any more. A waiting one stays until it is gone. */
  #foreground(known: Known, run: Run, now: number): LogEntry[] {
    const { sight } = known;
    const hasLeft = run.hookName === "mytty.native.leftForeground";
    if (sight.isForeground) {
      known.lostAt = null;
      if (!hasLeft || run.state !== "idle") return [];
      return [aboutRun(run, { kind: "running", name: "returnedForeground", now })];
    }
    known.lostAt ??= now;
    const isQuiet = Math.max(known.lostAt, run.stateAt) <= now - WORKING_GRACE_MS;
    if (run.state !== "running" || run.background || !isQuiet) return [];
    return [aboutRun(run, { kind: "idle", name: "leftForeground", now })];
  }

  #answers(
    state: State,
    { sight }: Known,
    { run, session, now }: { run: Run; session: Session; now: number },
  ): LogEntry[] {
    const asking = liveRuns(state, placeKey(run)).filter((each) =>
      isWaiting(each.state) && (each.runID === run.runID || each.parentRunID === run.runID)
    );
    if (asking.length === 0) return [];
    if (sight.isHeadless) {
      return asking.map((each) => aboutRun(each, { kind: "running", name: "nobodyAsked", now }));
    }
    if (this.#options.hasStatus?.(session) === true) return [];
    return asking.filter((each) => each.state === "waiting-approval").flatMap((each) => {
      const child = sight.children.find(({ startedAt }) =>
        startedAt > each.updatedAt && now - startedAt >= CHILD_AGE_MS
      );
      if (child === undefined) return [];
      const event = aboutRun(each, { kind: "running", name: "childStarted", now });
      return [{ ...event, message: "Probably answered: a command has started" }];
    });
  }

  #vanished(state: State, known: Known, now: number): Decision[] {
    const { sight, runID } = known;
    const run = state.runs.get(runID);
    if (run !== undefined && isLive(run.state)) {
      const { kind, message } = endOfGone(run);
      const event = processEvent(sight, { runID, kind, name: "processExited", now });
      return [() => [{ ...event, message }]];
    }
    return this.#crashed(known, now);
  }

  #crashed({ sight, isCovered, isLaunched }: Known, now: number): Decision[] {
    const { provider, surfaceID, startedAt } = sight;
    const place = `${surfaceID ?? ""} ${provider}`;
    // A print run is short because its work is done.
    if (isCovered || isLaunched || sight.isHeadless) {
      this.#crashes.cleared(place);
      return [];
    }
    const endedWellAt = surfaceID === null ? null : this.#options.endedWellAt?.(surfaceID) ?? null;
    const loop = this.#crashes.exited(place, { startedAt, now, endedWellAt });
    if (loop === null) return [];
    const runID = runIDOf(provider, place, `crashes\0${loop.since}`);
    const message = `Exits right after its start, ${loop.exits} times within a minute`;
    const event = processEvent(sight, { runID, kind: "failed", name: "crashLoop", now });
    return [(at) => at.runs.has(runID) ? [] : [...opening(at, sight), { ...event, message }]];
  }
}

/** Its shell is about to say how it ended, which tells more than that it is gone. */
function mayBeReported(state: State, known: Known, now: number): boolean {
  const run = state.runs.get(known.runID);
  if (run === undefined || !isLive(run.state)) return false;
  if (!isReported(state.surfaces.get(run.surfaceID ?? ""))) return false;
  known.goneAt ??= now;
  return now - known.goneAt < REPORT_MS;
}

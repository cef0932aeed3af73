/** The sessions whose files are followed: of the log's open sessions, and of agents without hooks. */

import type { Estimate } from "../core/estimate/estimate.ts";
import type { SessionRef } from "../core/estimate/estimate_session.ts";
import type { TranscriptSpec } from "../core/estimate/reading.ts";
import { findProvider } from "../core/registry.ts";
import { isLive } from "../core/log/event.ts";
import { isSameProcess } from "../core/process/process.ts";
import { type Session, sessionKey, type State } from "../core/log/state.ts";
import { type FileEnv, type FoundTranscript, transcriptOf, waysOf } from "./agent_files.ts";
import type { WatchedAgent } from "./watched_agent.ts";
import { WatchedSession } from "./watched_session.ts";

/** More at once are the oldest of a very long list. */
const MAX_SESSIONS = 500;
/** A file that is not there yet is looked for again after this long. */
const FIND_EVERY_MS = 400;

export class WatchedSessions {
  readonly #env: FileEnv;
  readonly #estimate: Estimate;
  readonly #log: (text: string) => void;
  readonly #isWanted: (provider: string) => boolean;
  readonly #watched = new Map<string, WatchedSession>();
  readonly #soughtAt = new Map<string, number>();
  readonly #warned = new Set<string>();

  constructor(
    { env, estimate, log, isWanted }: {
      readonly env: FileEnv;
      readonly estimate: Estimate;
      readonly log: (text: string) => void;
      readonly isWanted: (provider: string) => boolean;
    },
  ) {
    this.#env = env;
    this.#estimate = estimate;
    this.#log = log;
    this.#isWanted = isWanted;
  }

  get(key: string): WatchedSession | undefined {
    return this.#watched.get(key);
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Brings what is followed in line with who is there. */
  sync(state: State, agents: readonly WatchedAgent[], now: number): void {
    const wanted = new Map<string, SessionRef>();
    for (const session of [...state.sessions.values()].slice(-MAX_SESSIONS)) {
      if (session.endedAt !== null || !this.#isWanted(session.provider)) continue;
      wanted.set(session.key, refOf(session, agents));
    }
    for (const agent of agents) {
      const ref = refOfAgent(agent);
      if (ref === null) continue;
      const key = sessionKey(ref.provider, ref.sessionID);
      const known = wanted.get(key);
      wanted.set(key, known === undefined ? ref : merged(ref, known));
    }
    for (const [key, ref] of wanted) this.#follow(key, ref, { agents, now });
    for (const key of [...this.#watched.keys()]) {
      if (wanted.has(key)) continue;
      this.#watched.delete(key);
      this.#soughtAt.delete(key);
      this.#estimate.forget(key);
    }
  }

  /** Reads what the files have to tell; `only` one of them. */
  poll(now: number, only?: string): void {
    for (const [key, session] of this.#watched) {
      if (only !== undefined && key !== only) continue;
      this.#estimate.read(session.ref, session.poll(now), now);
      if (session.damaged === 0 || this.#warned.has(key)) continue;
      this.#warned.add(key);
      this.#log(`skipped a damaged line in the transcript of a ${session.ref.provider} session`);
    }
  }

  /** Whether any followed session works or waits, so that its file is looked at often. */
  isBusy(state: State): boolean {
    for (const ids of state.live.values()) {
      for (const id of ids) if (isLive(state.runs.get(id)?.state ?? "idle")) return true;
    }
    return false;
  }

  #follow(
    key: string,
    ref: SessionRef,
    { agents, now }: { readonly agents: readonly WatchedAgent[]; readonly now: number },
  ): void {
    const known = this.#watched.get(key);
    if (known !== undefined && isSameRef(known.ref, ref)) return;
    const spec = findProvider(ref.provider)?.transcript;
    if (spec === undefined) return;
    const agent = agents.find(({ process }) =>
      ref.process !== null && isSameProcess(process, ref.process)
    );
    // A session that found its pane or process goes on in its file where it was.
    if (known !== undefined) {
      known.ref = { ...ref, transcript: known.ref.transcript };
      return;
    }
    const told = ref.transcript === null ? null : { spec: wayOf(spec, ref), path: ref.transcript };
    const found = told ?? this.#seek(key, ref, { agent, now });
    if (found === null) return;
    const startedAt = agent?.clues.startedAt ?? null;
    this.#watched.set(key, new WatchedSession(ref, { ...found, startedAt }));
  }

  #seek(
    key: string,
    ref: SessionRef,
    { agent, now }: { readonly agent: WatchedAgent | undefined; readonly now: number },
  ): FoundTranscript | null {
    if (now - (this.#soughtAt.get(key) ?? -Infinity) < FIND_EVERY_MS) return null;
    this.#soughtAt.set(key, now);
    const spec = findProvider(ref.provider)!.transcript!;
    const clue = { sessionID: ref.sessionID, cwd: ref.cwd };
    return transcriptOf(spec, agent?.clues.env ?? this.#env, clue);
  }
}

/** The way whose files look like this one; the first where none does. */
function wayOf(spec: TranscriptSpec, { transcript, sessionID }: SessionRef): TranscriptSpec {
  return waysOf(spec).find((way) => way.sessionOf(transcript ?? "") === sessionID) ?? spec;
}

function refOf(session: Session, agents: readonly WatchedAgent[]): SessionRef {
  const { provider, sessionID, surfaceID, parentRunID, process, cwd, transcript } = session;
  const agent = agents.find((each) => process !== null && isSameProcess(each.process, process));
  const isHeadless = agent?.found.isHeadless ?? false;
  const told = { provider, sessionID, surfaceID, parentRunID, process, cwd, transcript };
  return { ...told, opens: null, isHeadless };
}

/** The session of an agent as the estimator found it. */
export function refOfAgent(
  { session, clues, process, place, found }: WatchedAgent,
): SessionRef | null {
  if (session === null) return null;
  return {
    provider: clues.record.id,
    sessionID: session.sessionID,
    surfaceID: place.surfaceID,
    opens: place.opens,
    parentRunID: place.parentRunID,
    process,
    cwd: clues.cwd,
    transcript: session.path,
    isHeadless: found.isHeadless,
  };
}

/** What the log knows counts before what the estimator found. */
function merged(found: SessionRef, known: SessionRef): SessionRef {
  const told = Object.entries(known).filter(([, value]) => value !== null);
  // That it works for nobody else is known as well.
  return { ...found, ...Object.fromEntries(told), parentRunID: known.parentRunID };
}

function isSameRef(known: SessionRef, ref: SessionRef): boolean {
  return known.surfaceID === ref.surfaceID && known.parentRunID === ref.parentRunID &&
    known.process?.pid === ref.process?.pid && known.isHeadless === ref.isHeadless;
}

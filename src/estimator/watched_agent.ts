/** What is remembered of one agent's process between readings of the table. */

import type { LiveStatus } from "../core/estimate/reading.ts";
import type { AgentPlace, EstimatorHost } from "../core/ports.ts";
import { type Processes, type ProcessID, processID } from "../core/process/process.ts";
import { findProvider } from "../core/registry.ts";
import type { FileEnv } from "./agent_files.ts";
import type { FoundAgent } from "./agents.ts";
import {
  type AgentClues,
  type FoundSession,
  sessionOfProcess,
  StatusFile,
} from "./session_finder.ts";

export class WatchedAgent {
  readonly clues: AgentClues;
  readonly process: ProcessID;
  readonly place: AgentPlace;
  readonly firstSeen: number;
  found: FoundAgent;
  session: FoundSession | null = null;
  /** By its folder alone: another session there may take its place. */
  isGuessed = false;
  status: LiveStatus | null = null;
  readonly #statusFile: StatusFile | null;
  #askedAt = -Infinity;
  #guessedAt = -Infinity;

  private constructor(
    found: FoundAgent,
    { clues, place, now }: {
      readonly clues: AgentClues;
      readonly place: AgentPlace;
      readonly now: number;
    },
  ) {
    this.found = found;
    this.clues = clues;
    this.process = processID(found.row);
    this.place = place;
    this.firstSeen = now;
    this.#statusFile = clues.record.liveStatus === undefined ? null : new StatusFile(clues);
  }

  static async meet(
    found: FoundAgent,
    { processes, host, env, now }: {
      readonly processes: Processes;
      readonly host: EstimatorHost;
      readonly env: FileEnv;
      readonly now: number;
    },
  ): Promise<WatchedAgent | null> {
    const record = findProvider(found.match.provider);
    if (record === undefined) return null;
    const { row } = found;
    const names = ["HOME", ...namesOf(record.transcript), ...namesOf(record.liveStatus)];
    const [whole, own, place] = await Promise.all([
      processes.readProcess(row.pid).catch(() => null),
      processes.readEnv(row.pid, names).catch(() => null),
      host.place(record.id, row.pid),
    ]);
    // What another user runs on this machine is not ours to show.
    if (whole === null || (whole.uid !== undefined && whole.uid !== (env.uid ?? whole.uid))) {
      return null;
    }
    const startedAt = processes.startedAt?.(row) ?? null;
    const fileEnv = own === null
      ? env
      : { ...env, home: own.HOME ?? env.home, get: (name: string) => own[name] };
    const clues = { record, row, cwd: whole.cwd ?? null, startedAt, env: fileEnv };
    return new WatchedAgent(found, { clues, place, now });
  }

  pollStatus(): LiveStatus | null {
    this.status = this.#statusFile?.poll() ?? null;
    if (this.status !== null && this.status.sessionID !== this.session?.sessionID) {
      this.session = { sessionID: this.status.sessionID, path: null };
    }
    return this.status;
  }

  /** Looks at the process's open files now and then: a person may go on to another session. */
  async ask(processes: Processes, { now, every }: { now: number; every: number }): Promise<void> {
    if (this.status !== null || now - this.#askedAt < every) return;
    this.#askedAt = now;
    const found = await sessionOfProcess(this.clues, processes);
    if (found === null) return;
    this.session = found;
    this.isGuessed = false;
  }

  guess(session: FoundSession | null): void {
    this.session = session;
    this.isGuessed = session !== null;
  }

  /** Whether its folder may be searched again. */
  isDue(now: number): boolean {
    if (now - this.#guessedAt < GUESS_EVERY_MS) return false;
    this.#guessedAt = now;
    return true;
  }
}

/** A folder of transcripts may be large. */
const GUESS_EVERY_MS = 2_000;

function namesOf(
  spec: { readonly base: { readonly env: readonly { name: string }[] } } | undefined,
) {
  return (spec?.base.env ?? []).map(({ name }) => name);
}

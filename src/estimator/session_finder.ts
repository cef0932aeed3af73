/**
 * Which session an agent's process has: by its status file, by the transcript it holds open, by a
 * session id on its command line, and by its folder only where one process and one file are left.
 */

import type { LiveStatus, TranscriptSpec } from "../core/estimate/reading.ts";
import { isObject, parseJson } from "../core/json.ts";
import type { Processes, ProcessRow } from "../core/process/process.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { baseFolder, type FileEnv, findFiles, transcriptOf, waysOf } from "./agent_files.ts";
import { sessionsIn } from "./row_source.ts";
import { Tail } from "./tail.ts";

export type AgentClues = {
  readonly record: ProviderRecord;
  readonly row: ProcessRow;
  readonly cwd: string | null;
  readonly startedAt: number | null;
  readonly env: FileEnv;
};

export type FoundSession = { readonly sessionID: string; readonly path: string | null };

const MAX_STATUS_BYTES = 64 * 1024;

/** A status file and what it last said; read again only when it changed. */
export class StatusFile {
  readonly #path: string;
  readonly #read: (text: string) => LiveStatus | null;
  #seen = "";
  #status: LiveStatus | null = null;

  constructor({ record, row, env }: AgentClues) {
    const spec = record.liveStatus!;
    this.#path = `${baseFolder(spec.base, env)}/${spec.fileOf(row.pid)}`;
    this.#read = (text) => {
      const value = parseJson(text);
      return isObject(value) ? spec.read(value, row) : null;
    };
  }

  /** The status now; null without one. A file caught half-written keeps the last one. */
  poll(): LiveStatus | null {
    try {
      const info = Deno.statSync(this.#path);
      const seen = `${info.ino} ${info.size} ${info.mtime?.getTime()}`;
      if (seen === this.#seen || info.size > MAX_STATUS_BYTES) return this.#status;
      const text = Deno.readTextFileSync(this.#path);
      if (parseJson(text) === undefined) return this.#status;
      this.#seen = seen;
      return this.#status = this.#read(text);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      this.#seen = "";
      return this.#status = null;
    }
  }
}

/** The transcript that this very process holds open (or a file beside it), or that its words name. */
export async function sessionOfProcess(
  clues: AgentClues,
  processes: Processes,
): Promise<FoundSession | null> {
  const spec = clues.record.transcript;
  if (spec === undefined) return null;
  const open = await processes.openFiles(clues.row.pid).catch(() => null) ?? [];
  const held = open.flatMap((path) =>
    waysOf(spec).flatMap((way) => withSession(way, way.besideOpen?.(path) ?? path))
  );
  if (held.length > 0) return newest(held);
  for (const word of clues.row.argv ?? []) {
    const sessionID = UUID.exec(word)?.[0].toLowerCase();
    if (sessionID === undefined) continue;
    const found = transcriptOf(spec, clues.env, { sessionID, cwd: clues.cwd });
    if (found !== null) return { sessionID, path: found.path };
  }
  return null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * By folder: only files written since the process began, and only where one is left that no other
 * session has. Two agents in one folder could each be either: neither gets one.
 */
export function sessionOfFolder(
  clues: AgentClues,
  { taken, isAlone }: {
    readonly taken: (sessionID: string) => boolean;
    /** No other agent of this provider without a session works in the folder. */
    readonly isAlone: boolean;
  },
): FoundSession | null {
  const spec = clues.record.transcript;
  if (spec === undefined || clues.cwd === null || !isAlone) return null;
  const base = baseFolder(spec.base, clues.env);
  const since = clues.startedAt ?? 0;
  const { sessions } = spec.query ?? {};
  if (sessions !== undefined) {
    const path = `${base}/${sessions.file}`;
    const ids = sessionsIn(path, sessions.sql, [clues.cwd, since]).filter((id) => !taken(id));
    return ids.length === 1 ? { sessionID: ids[0]!, path } : null;
  }
  const free = findFiles(base, spec.find({ sessionID: null, cwd: clues.cwd }))
    .filter(({ modifiedAt }) => modifiedAt >= since)
    .flatMap(({ path }) => withSession(spec, path)).filter(({ sessionID }) => !taken(sessionID));
  return free.length === 1 ? free[0]! : null;
}

/**
 * The session of its folder that was touched last, where all sessions are in one file: a person has
 * gone on to another one inside the program.
 */
export function latestOfFolder(
  { record, cwd, startedAt, env }: AgentClues,
  taken: (sessionID: string) => boolean,
): FoundSession | null {
  const spec = record.transcript;
  const { sessions } = spec?.query ?? {};
  if (spec === undefined || sessions === undefined || cwd === null) return null;
  const path = `${baseFolder(spec.base, env)}/${sessions.file}`;
  const [sessionID] = sessionsIn(path, sessions.sql, [cwd, startedAt ?? 0])
    .filter((id) => !taken(id));
  return sessionID === undefined ? null : { sessionID, path };
}

function withSession(spec: TranscriptSpec, path: string): { sessionID: string; path: string }[] {
  const named = spec.sessionOf(path);
  if (named === null) return [];
  const sessionID = spec.idOfHead === undefined ? named : idOfHead(spec, path);
  return sessionID === null ? [] : [{ sessionID, path }];
}

function idOfHead(spec: TranscriptSpec, path: string): string | null {
  const head = new Tail(path, { turnBytes: HEAD_BYTES }).read().lines[0];
  return head === undefined ? null : spec.idOfHead!(head);
}

const HEAD_BYTES = 256 * 1024;

/** A process that went on to another session may still hold the first one's file. */
function newest(held: readonly { sessionID: string; path: string }[]): FoundSession | null {
  const dated = held.map((each) => ({ ...each, at: modifiedAt(each.path) }));
  return dated.toSorted((a, b) => b.at - a.at)[0] ?? null;
}

function modifiedAt(path: string): number {
  try {
    return Deno.statSync(path).mtime?.getTime() ?? 0;
  } catch {
    return 0;
  }
}

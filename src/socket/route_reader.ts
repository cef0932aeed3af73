/**
 * Reads what tells a session's pane where one process serves many: the terminals with an agent of
 * the provider in them, and the session's own files. Never rejects: what cannot be read is not
 * there, and the decision then fails closed.
 */

import type { JsonObject } from "../core/json.ts";
import { paneKey } from "../core/placement/pane_key.ts";
import { PANE_VARIABLES } from "../core/placement/pane_variables.ts";
import {
  ancestors,
  type Processes,
  type ProcessID,
  processID,
  type ProcessRow,
  type ProcessTable,
  terminalHost,
} from "../core/process/process.ts";
import { commandOf } from "../core/process/process_command.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { PROVIDERS } from "../core/registry.ts";
import type { SessionFiles } from "../core/estimate/session_files.ts";
import type { RouteEvidence, RoutePane } from "../core/placement/session_routing.ts";
import { nearestAgent } from "../core/process/signature_agent.ts";
import { matchProcess } from "../core/process/signature.ts";
import { findTranscript, namesIn, readHead } from "./transcript_head.ts";
import { homeFolder } from "./environment.ts";

export type RouteQuestion = {
  readonly record: ProviderRecord;
  readonly sessionID: string;
  readonly hookName: string | null;
  /** Null for an envelope, which tells no more than the session. */
  readonly payload: JsonObject | null;
  readonly env: Readonly<Record<string, string>>;
  /** The process that the session is bound to already. */
  readonly bound: ProcessID | null;
};

type Found = { readonly pane: RoutePane; readonly base: string | null };

export class RouteReader {
  readonly #processes: Processes;

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  /** Null where the provider's record tells nothing about its sessions. */
  async read(question: RouteQuestion): Promise<RouteEvidence | null> {
    const files = question.record.sessionFiles;
    if (files === undefined) return null;
    const begins = files.beginnings.includes(question.hookName ?? "");
    const common = {
      mayRebind: begins,
      isResumed: question.payload !== null && files.isResumed(question.payload),
    };
    // The usual case costs the same however many panes there are.
    const bound = await this.#boundPane(question, files).catch(() => null);
    if (bound !== null) {
      return { ...common, ...NO_FILES, panes: [bound], isComplete: false };
    }
    const found = await this.#panes(question.record, files).catch(() => []);
    const panes = found.map(({ pane }) => pane);
    const read = await readFiles(question, files, basesOf(question, files, found));
    return { ...common, ...read, panes, isComplete: true };
  }

  async #boundPane({ bound }: RouteQuestion, files: SessionFiles): Promise<RoutePane | null> {
    if (bound === null) return null;
    const chain = await this.#processes.readChain(bound.pid);
    const row = chain.get(bound.pid);
    if (row === undefined || row.startTime !== bound.startTime) return null;
    const { pane } = await this.#pane(chain, row, files);
    return pane.openSessions.length === 0 ? pane : null;
  }

  async #panes(record: ProviderRecord, files: SessionFiles): Promise<Found[]> {
    const table = await this.#processes.readTable();
    const agents = new Map<number, ProcessRow>();
    for (const row of table.values()) {
      if (row.tty === null) continue;
      const match = matchProcess(row, PROVIDERS);
      if (match?.provider !== record.id || !match.interactive) continue;
      const agent = nearestAgent(table, row.pid, PROVIDERS)?.row ?? row;
      agents.set(agent.pid, agent);
    }
    const inner = withoutLaunchers(table, agents);
    return await Promise.all(inner.map((row) => this.#pane(table, row, files)));
  }

  async #pane(table: ProcessTable, row: ProcessRow, files: SessionFiles): Promise<Found> {
    const [whole, open, env] = await Promise.all([
      this.#processes.readProcess(row.pid).catch(() => null),
      this.#processes.openFiles(row.pid).catch(() => null),
      this.#processes.readEnv(row.pid, [...PANE_VARIABLES, files.base.variable, "HOME"])
        .catch(() => null),
    ]);
    const host = terminalHost(table, row.pid);
    const pane: RoutePane = {
      agent: row,
      chain: ancestors(table, row.pid),
      paneKey: paneKey(env ?? {}, {
        startOf: (pid) => table.get(pid)?.startTime,
        host: host === null ? null : processID(host),
      }),
      cwd: whole?.cwd ?? null,
      openSessions: (open ?? []).map(files.sessionOfPath).filter((id) => id !== null),
      resumes: files.resumes(commandOf(row).args),
      startedAt: this.#processes.startedAt?.(row) ?? null,
    };
    return { pane, base: env === null ? null : baseOf(env, files) };
  }
}

/** Of agents on one terminal that started one another, the innermost is the one with sessions. */
function withoutLaunchers(
  table: ProcessTable,
  agents: ReadonlyMap<number, ProcessRow>,
): ProcessRow[] {
  const outer = new Set<number>();
  for (const row of agents.values()) {
    for (const above of ancestors(table, row.pid)) if (above.tty === row.tty) outer.add(above.pid);
  }
  return [...agents.values()].filter((row) => !outer.has(row.pid));
}

const NO_FILES = { cwd: null, openedAt: null, others: [], isOpenedByTerminal: false };

type FromFiles = Pick<RouteEvidence, "cwd" | "openedAt" | "others" | "isOpenedByTerminal">;

async function readFiles(
  { sessionID, payload }: RouteQuestion,
  files: SessionFiles,
  bases: readonly string[],
): Promise<FromFiles> {
  const told = payload?.transcript_path;
  const isOwn = typeof told === "string" && files.sessionOfPath(told) === sessionID;
  const paths = isOwn ? [told] : [];
  for (const base of bases) {
    const path = findTranscript(base, sessionID, files);
    if (path !== null && !paths.includes(path)) paths.push(path);
  }
  const openings = bases.flatMap((base) => namesIn(`${base}/${files.openings}`));
  const others = openings.filter((name) => name !== sessionID).flatMap((name) => {
    const openedAt = files.openedAt(name);
    return openedAt === null ? [] : [{ sessionID: name, openedAt }];
  });
  return {
    cwd: await folderOf(paths, sessionID, files),
    openedAt: files.openedAt(sessionID),
    others,
    isOpenedByTerminal: openings.includes(sessionID),
  };
}

async function folderOf(
  paths: readonly string[],
  sessionID: string,
  files: SessionFiles,
): Promise<string | null> {
  for (const path of paths) {
    const head = await readHead(path);
    const folder = head === null ? null : files.folderOfHead(head, sessionID);
    if (folder !== null) return resolved(folder);
  }
  return null;
}

function basesOf(
  { env }: RouteQuestion,
  files: SessionFiles,
  found: readonly Found[],
): string[] {
  const own = baseOf({ ...env, HOME: homeFolder() ?? "" }, files);
  const bases = [own, ...found.map(({ base }) => base)].filter((base) => base !== null);
  return [...new Set(bases)];
}

function baseOf(
  env: Readonly<Record<string, string | undefined>>,
  { base }: SessionFiles,
): string | null {
  const told = env[base.variable];
  if (told?.startsWith("/")) return told;
  return env.HOME?.startsWith("/") ? `${env.HOME}/${base.home}` : null;
}

/** Two names of one folder are equal afterwards. */
function resolved(folder: string): string {
  try {
    return Deno.realPathSync(folder);
  } catch {
    return folder;
  }
}

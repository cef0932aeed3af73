/** Opening, finishing and closing surfaces. A capability is told once and stored only hashed. */

import { isOpenItem } from "../../core/log/attention.ts";
import { commandEnds } from "../../core/log/command_end.ts";
import type { LogEntry, SurfaceClosed } from "../../core/log/event.ts";
import { derivedID, sha256Hex } from "../../core/ids.ts";
import { paneKey } from "../../core/placement/pane_key.ts";
import { PANE_VARIABLES } from "../../core/placement/pane_variables.ts";
import {
  type Processes,
  type ProcessID,
  processID,
  processKey,
  type ProcessRow,
  type ProcessTable,
  terminalHost,
} from "../../core/process/process.ts";
import { liveRuns } from "../../core/log/run_index.ts";
import type { State } from "../../core/log/state.ts";
import type { SurfaceClaim } from "../../core/wire/hook_request.ts";
import { boundedName, boundedText } from "../../core/text.ts";
import type { Mailbox } from "../mailbox.ts";

export type OpenOptions = {
  readonly label: string | null;
  readonly pid: number | null;
  readonly tty: string | null;
  readonly cwd: string | null;
  /** The other machine that the pane leads to. */
  readonly host?: string | null;
  readonly reportsEnds?: boolean | undefined;
  /** A surface that the caller already has: kept where it is that of the very same terminal. */
  readonly within?: SurfaceClaim | null;
};

export type Finished = { readonly exitCode: number | null; readonly close?: boolean | undefined };

export type Opened = { readonly surfaceID: string; readonly capability: string };

export class Surfaces {
  readonly #mailbox: Mailbox;
  readonly #processes: Processes;
  /** Kept in memory only: it tells a short command from a crash. */
  readonly #endedWellAt = new Map<string, number>();

  constructor(mailbox: Mailbox, processes: Processes) {
    this.#mailbox = mailbox;
    this.#processes = processes;
  }

  async open(options: OpenOptions): Promise<Opened> {
    const { label, pid, tty, cwd, host = null, within = null, reportsEnds } = options;
    const table: ProcessTable = pid === null ? new Map() : await this.#processes.readChain(pid);
    const root = pid === null ? null : table.get(pid) ?? null;
    if (within?.capability && root !== null && this.#isWithin(within, table, root)) {
      return { surfaceID: within.surfaceID, capability: within.capability };
    }
    const multiplexer = root === null ? null : await this.#paneKey(table, root);
    const surfaceID = crypto.randomUUID();
    const capability = newCapability();
    const opened: LogEntry = {
      type: "surface-opened",
      id: crypto.randomUUID(),
      surfaceID,
      capabilityHash: sha256Hex(capability),
      label: label === null ? null : boundedName(label, 200),
      cwd: cwd === null ? null : boundedText(cwd, 4096),
      tty: tty === null ? root?.tty ?? null : boundedName(tty, 200),
      root: root === null ? null : processID(root),
      multiplexer,
      adopted: false,
      ...(host === null ? {} : { host: boundedName(host, 256) ?? "?" }),
      ...(reportsEnds ? { reportsEnds } : {}),
    };
    await this.#mailbox.submit((state) => ({ entries: [...replaced(state, root), opened] }));
    return { surfaceID, capability };
  }

  /** A shell inside a shell of the same terminal is the same pane. */
  #isWithin({ surfaceID, capability }: SurfaceClaim, table: ProcessTable, pane: ProcessRow) {
    const { state } = this.#mailbox;
    if (state.capabilities.get(sha256Hex(capability ?? "")) !== surfaceID) return false;
    const root = state.surfaces.get(surfaceID)?.root ?? null;
    const row = root === null ? undefined : table.get(root.pid);
    return root !== null && row?.startTime === root.startTime && row.tty !== null &&
      row.tty === pane.tty;
  }

  async #paneKey(table: ProcessTable, root: ProcessRow): Promise<string | null> {
    const env = await this.#processes.readEnv(root.pid, PANE_VARIABLES).catch(() => null);
    const host = terminalHost(table, root.pid);
    return paneKey(env ?? {}, {
      startOf: (pid) => table.get(pid)?.startTime,
      host: host === null ? null : processID(host),
    });
  }

  /** Closed by a person, who has seen it: false when there was nothing to close or to see. */
  async close(surfaceID: string): Promise<boolean> {
    const submitted = await this.#mailbox.submit((state) => ({
      entries: state.surfaces.get(surfaceID)?.closedAt === null
        ? [surfaceClosed(surfaceID, "closed")]
        : acknowledged(state, surfaceID),
    }));
    this.#endedWellAt.delete(surfaceID);
    return "inserted" in submitted && submitted.inserted;
  }

  endedWellAt(surfaceID: string): number | null {
    return this.#endedWellAt.get(surfaceID) ?? null;
  }

  /**
   * The surface's command ended: what still ran in it ended with that status. One that was opened
   * for this command ends with it, in the same commit; what came of it is still to be seen.
   */
  async finished(surfaceID: string, { exitCode, close = false }: Finished): Promise<boolean> {
    const isAlive = await this.#aliveIn(surfaceID);
    const submitted = await this.#mailbox.submit<"absent">((state) => {
      if (state.surfaces.get(surfaceID)?.closedAt !== null) return { refuse: "absent" };
      const ends = commandEnds(state, surfaceID, { exitCode, now: Date.now(), isAlive });
      return { entries: close ? [...ends, surfaceClosed(surfaceID, "ended")] : ends };
    });
    if (exitCode === 0 && !close && "inserted" in submitted) {
      this.#endedWellAt.set(surfaceID, Date.now());
    }
    return "inserted" in submitted;
  }

  /** Which of the processes that are at work in the surface still run. */
  async #aliveIn(surfaceID: string): Promise<(process: ProcessID) => boolean> {
    const known = liveRuns(this.#mailbox.state, surfaceID).flatMap(({ process }) => process ?? []);
    const living = new Set<string>();
    for (const process of known) {
      if (await this.#processes.isAlive(process)) living.add(processKey(process));
    }
    return (process) => living.has(processKey(process));
  }
}

function surfaceClosed(surfaceID: string, reason: SurfaceClosed["reason"]): SurfaceClosed {
  const id = derivedID("event", "surface-closed", surfaceID);
  return { type: "surface-closed", id, surfaceID, reason };
}

/** Closing what has already ended says that it was seen. */
function acknowledged(state: State, surfaceID: string): LogEntry[] {
  const items = [...state.items.values()].filter((item) =>
    item.surfaceID === surfaceID && isOpenItem(item)
  );
  const id = derivedID("event", "acknowledged", crypto.randomUUID());
  return items.length === 0
    ? []
    : [{ type: "acknowledged", id, itemIDs: items.map((item) => item.id) }];
}

/** The pane had been adopted before anybody opened it: it is one pane all the same. */
function replaced(state: State, root: ProcessRow | null): LogEntry[] {
  const ids = root === null ? [] : state.roots.get(processKey(root)) ?? [];
  return ids.filter((id) => state.surfaces.get(id)?.adopted === true)
    .map((surfaceID) => surfaceClosed(surfaceID, "closed"));
}

/** 256 random bits, hexadecimal. */
function newCapability(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

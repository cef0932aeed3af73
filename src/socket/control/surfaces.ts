/** Opening, finishing and closing surfaces. A capability is told once and stored only hashed. */

import type { AgentEvent, LogEntry } from "../../core/event.ts";
import { derivedID, sha256Hex } from "../../core/ids.ts";
import type { Processes } from "../../core/process.ts";
import { liveRuns } from "../../core/run_index.ts";
import type { Run } from "../../core/state.ts";
import { synthesizedIdle } from "../../core/synthesized.ts";
import { boundedName, boundedText } from "../../core/text.ts";
import type { Mailbox } from "../mailbox.ts";

export type OpenOptions = {
  readonly label: string | null;
  readonly pid: number | null;
  readonly tty: string | null;
  readonly cwd: string | null;
};

export type Opened = { readonly surfaceID: string; readonly capability: string };

export class Surfaces {
  readonly #mailbox: Mailbox;
  readonly #processes: Processes;

  constructor(mailbox: Mailbox, processes: Processes) {
    this.#mailbox = mailbox;
    this.#processes = processes;
  }

  async open({ label, pid, tty, cwd }: OpenOptions): Promise<Opened> {
    const root = pid === null ? null : await this.#processes.readProcess(pid);
    const surfaceID = crypto.randomUUID();
    const capability = newCapability();
    await this.#mailbox.submit(() => ({
      entries: [{
        type: "surface-opened",
        id: crypto.randomUUID(),
        surfaceID,
        capabilityHash: sha256Hex(capability),
        label: label === null ? null : boundedName(label, 200),
        cwd: cwd === null ? null : boundedText(cwd, 4096),
        tty: tty === null ? root?.tty ?? null : boundedName(tty, 200),
        root: root === null ? null : { pid: root.pid, startTime: root.startTime },
        multiplexer: null,
        adopted: false,
      }],
    }));
    return { surfaceID, capability };
  }

  /** False when there is no such open surface. */
  async close(surfaceID: string): Promise<boolean> {
    const id = derivedID("event", "surface-closed", surfaceID);
    const submitted = await this.#mailbox.submit<"absent">((state) =>
      state.surfaces.get(surfaceID)?.closedAt === null
        ? { entries: [{ type: "surface-closed", id, surfaceID, reason: "closed" }] }
        : { refuse: "absent" }
    );
    return "inserted" in submitted && submitted.inserted;
  }

  /** The surface's command ended: what still ran in it ended with that status. */
  async finished(surfaceID: string, exitCode: number | null): Promise<boolean> {
    const submitted = await this.#mailbox.submit<"absent">((state) => {
      if (state.surfaces.get(surfaceID)?.closedAt !== null) return { refuse: "absent" };
      const runs = liveRuns(state, surfaceID).filter((run) => run.parentRunID === null);
      return { entries: runs.map((run) => commandFinished(run, exitCode)) };
    });
    return "inserted" in submitted;
  }
}

function commandFinished(run: Run, exitCode: number | null): LogEntry {
  const id = derivedID("event", "native", "commandFinished", run.runID, String(run.position));
  const cause = { id, occurredAt: Date.now() };
  const event: AgentEvent = { ...synthesizedIdle(run, cause, "mytty.native.commandFinished"), id };
  if (exitCode === null) return { ...event, kind: "disconnected", source: "process" };
  return {
    ...event,
    kind: exitCode === 0 ? "succeeded" : "failed",
    source: "process",
    message: exitCode === 0 ? null : `Exit status ${exitCode}`,
  };
}

/** 256 random bits, hexadecimal. */
function newCapability(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

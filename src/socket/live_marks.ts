/**
 * One empty file for each surface in which work is going on. A shell looks for its own after every
 * command, which costs it no process: only when the file is there has an agent's command ended.
 */

import { isLive } from "../core/log/event.ts";
import type { State } from "../core/log/state.ts";
import type { Applied } from "./mailbox.ts";
import { ensurePrivateFolder } from "./private_folder.ts";

export class LiveMarks {
  readonly #folder: string;
  readonly #state: State;
  readonly #marked = new Set<string>();

  constructor(folder: string, state: State) {
    this.#folder = folder;
    this.#state = state;
  }

  /** Those of an earlier server say nothing any more. */
  begin(): void {
    ensurePrivateFolder(this.#folder);
    for (const { name } of Deno.readDirSync(this.#folder)) this.#remove(name);
    for (const place of this.#state.live.keys()) this.#refresh(place);
  }

  /** Without a server there is nobody to be told an end. */
  end(): void {
    this.#marked.clear();
    try {
      Deno.removeSync(this.#folder, { recursive: true });
    } catch {
      // It was never made, or somebody else took it away.
    }
  }

  observe(applied: readonly Applied[]): void {
    const touched = new Set<string>();
    for (const { outcome } of applied) {
      for (const change of outcome.changes) {
        if (change.change !== "run") continue;
        for (const run of [change.before, change.after]) {
          if (run !== undefined && run.surfaceID !== null) touched.add(run.surfaceID);
        }
      }
    }
    for (const surfaceID of touched) this.#refresh(surfaceID);
  }

  #refresh(surfaceID: string): void {
    const surface = this.#state.surfaces.get(surfaceID);
    const ids = this.#state.live.get(surfaceID) ?? [];
    const isWanted = surface !== undefined && !surface.adopted && surface.closedAt === null &&
      ids.some((id) => isLive(this.#state.runs.get(id)?.state ?? "unknown"));
    if (isWanted === this.#marked.has(surfaceID)) return;
    if (isWanted) this.#write(surfaceID);
    else this.#remove(surfaceID);
  }

  /** Without its mark a shell only says nothing; that must not stop an event. */
  #write(surfaceID: string): void {
    this.#marked.add(surfaceID);
    try {
      Deno.writeTextFileSync(`${this.#folder}/${surfaceID}`, "", { mode: 0o600 });
    } catch {
      this.#marked.delete(surfaceID);
    }
  }

  #remove(name: string): void {
    this.#marked.delete(name);
    try {
      Deno.removeSync(`${this.#folder}/${name}`);
    } catch {
      // Somebody else took it away.
    }
  }
}

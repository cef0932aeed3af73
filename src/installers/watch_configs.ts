/**
 * I/O edge: tells when one of some paths may have changed. The folders are watched; where that is
 * not possible, and for folders that come and go, a look at each path now and then does the same.
 */

import { dirname } from "node:path";
import { openTarget } from "./read_target.ts";
import { textHash } from "./undo_note.ts";

export type PathChanged = (path: string) => void;

/** What a path held when it was last looked at: cheap to compare. */
type Glance = { readonly real: string; readonly mark: string };

export class ConfigWatch {
  readonly #changed: PathChanged;
  readonly #log: (text: string) => void;
  #glances = new Map<string, Glance>();
  /** Every name under which a path may be told, to the path. */
  #names = new Map<string, string>();
  #folders = "";
  #watcher: Deno.FsWatcher | null = null;

  constructor(changed: PathChanged, log: (text: string) => void) {
    this.#changed = changed;
    this.#log = log;
  }

  /** From now on these paths. What changed since the last look is told. */
  async look(paths: readonly string[]): Promise<void> {
    const folders = new Set<string>();
    const names = new Map<string, string>();
    const glances = new Map<string, Glance>();
    for (const path of paths) {
      const glance = await glanceAt(path);
      const before = this.#glances.get(path);
      if (before !== undefined && before.mark !== glance.mark) this.#changed(path);
      glances.set(path, glance);
      for (const name of [path, glance.real]) {
        names.set(name, path);
        const folder = await Deno.stat(dirname(name)).then(({ isDirectory }) => isDirectory)
          .catch(() => false);
        if (folder) folders.add(dirname(name));
      }
    }
    this.#glances = glances;
    this.#names = names;
    this.#watch([...folders].sort());
  }

  stop(): void {
    const watcher = this.#watcher;
    this.#watcher = null;
    watcher?.close();
  }

  #watch(folders: readonly string[]): void {
    const key = folders.join("\n");
    if (key === this.#folders) return;
    this.#folders = key;
    this.stop();
    if (folders.length === 0) return;
    try {
      const watcher = Deno.watchFs([...folders], { recursive: false });
      this.#watcher = watcher;
      void this.#follow(watcher);
    } catch (error) {
      // The system's watches are used up, or it has none: the looks go on.
      this.#log(`cannot watch the agents' folders: ${String(error)}`);
    }
  }

  async #follow(watcher: Deno.FsWatcher): Promise<void> {
    try {
      for await (const { kind, paths } of watcher) {
        if (kind === "access" || this.#watcher !== watcher) continue;
        for (const name of paths) {
          const path = this.#names.get(name);
          if (path !== undefined) this.#changed(path);
        }
      }
    } catch (error) {
      if (this.#watcher === watcher) this.#log(`watching the agents' folders: ${String(error)}`);
    }
  }
}

async function glanceAt(path: string): Promise<Glance> {
  const info = await Deno.stat(path).catch(() => null);
  if (info === null) return { real: path, mark: "none" };
  const real = await Deno.realPath(path).catch(() => path);
  return { real, mark: `${real} ${info.ino} ${info.size} ${info.mtime?.getTime()} ${info.mode}` };
}

/** SHA-256 of what a path holds; null without a file, undefined for what cannot be read. */
export async function contentHash(path: string): Promise<string | null | undefined> {
  const target = await openTarget(path);
  if (!target.ok) return undefined;
  return target.bytes === null ? null : textHash(new TextDecoder().decode(target.bytes));
}

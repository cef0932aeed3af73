/**
 * I/O edge: keeps installed hooks installed while the server runs. Reconciles what the user has
 * installed at start, when its program appears or changes, and when a managed or obsolete path
 * changes. One piece of work at a time, in the background; whatever goes wrong is a log line.
 */

import type { ProviderRecord } from "../core/provider.ts";
import { PROVIDERS } from "../core/registry.ts";
import { type InstallContext, launcherPath } from "./context.ts";
import { Debounce } from "./drift.ts";
import { managedPaths, ownFilePaths } from "./managed_paths.ts";
import { ProgramWatch } from "./program_watch.ts";
import { type ProviderInstall, readRecords } from "./records.ts";
import { sameValue } from "./read_value.ts";
import { Upkeep } from "./upkeep.ts";
import { installedPlaces } from "./variables.ts";
import { ConfigWatch, contentHash } from "./watch_configs.ts";
import { WriteGuard } from "./write_guard.ts";

export interface KeeperOptions {
  readonly context: InstallContext;
  readonly log: (text: string) => void;
  /** How often programs, installs and unwatched folders are looked at. */
  readonly lookEveryMs?: number;
}

export interface Keeper {
  readonly stop: () => Promise<void>;
}

const LOOK_EVERY_MS = 5_000;

/** Starts in the background; nothing is awaited and nothing thrown. */
export function keepReconciled(options: KeeperOptions): Keeper {
  const keeper = new ConfigKeeper(options);
  keeper.start();
  return keeper;
}

class ConfigKeeper implements Keeper {
  readonly #options: KeeperOptions;
  readonly #guard = new WriteGuard(() => performance.now());
  readonly #watch: ConfigWatch;
  readonly #programs: ProgramWatch;
  readonly #upkeep: Upkeep;
  readonly #settling = new Debounce();
  readonly #due = new Set<string>();
  readonly #stopping = new AbortController();
  #installs: Readonly<Record<string, ProviderInstall>> = {};
  #lookTimer: ReturnType<typeof setTimeout> | undefined;
  #settleTimer: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#programs = new ProgramWatch(options.context);
    this.#watch = new ConfigWatch((path) => this.#touched(path), options.log);
    this.#upkeep = new Upkeep({
      ...options,
      guard: this.#guard,
      now: () => Date.now(),
      programOf: (id) => this.#programs.of(id),
      signal: this.#stopping.signal,
    });
  }

  start(): void {
    this.#enqueue(async () => {
      await this.#look().finally(() => {
        if (this.#stopping.signal.aborted) return;
        const every = this.#options.lookEveryMs ?? LOOK_EVERY_MS;
        this.#lookTimer = setTimeout(() => this.start(), every);
      });
    });
  }

  stop = async (): Promise<void> => {
    this.#stopping.abort();
    clearTimeout(this.#lookTimer);
    clearTimeout(this.#settleTimer);
    this.#watch.stop();
    await this.#working;
    this.#watch.stop();
  };

  /** In turn: two reconciles of one file would be each other's foreign writer. */
  #enqueue(task: () => Promise<void>): void {
    this.#working = this.#working.then(async () => {
      if (!this.#stopping.signal.aborted) await task();
    }).catch((error) => this.#options.log(`agents' configs: ${String(error)}`));
  }

  /** What the user has installed, their programs, and whether a path changed unseen. */
  async #look(): Promise<void> {
    const { providers } = await readRecords(this.#options.context.stateFolder);
    for (const record of PROVIDERS) this.#compare(record, providers[record.id]);
    this.#installs = providers;
    for (const { id } of await this.#programs.look(this.#enabled())) this.#due.add(id);
    await this.#reconcileDue();
  }

  /** Another date is a person's install: what was given up is tried again. */
  #compare(record: ProviderRecord, now: ProviderInstall | undefined): void {
    const before = this.#installs[record.id];
    if (sameValue(before, now)) return;
    if (now !== undefined) this.#due.add(record.id);
    const known = now ?? before;
    if (known === undefined || before?.installedAt === now?.installedAt) return;
    this.#paths(record, known).forEach((path) => this.#guard.forgive(path));
  }

  #enabled(): ProviderRecord[] {
    return PROVIDERS.filter(({ id }) => this.#installs[id] !== undefined);
  }

  #paths(record: ProviderRecord, install: ProviderInstall): string[] {
    const places = installedPlaces(this.#options.context, record, install);
    return [...new Set(places.flatMap((place) => managedPaths(record, place)))];
  }

  #isOwnFile(path: string): boolean {
    return this.#enabled().some((record) =>
      installedPlaces(this.#options.context, record, this.#installs[record.id])
        .some((place) => ownFilePaths(record, place).includes(path))
    );
  }

  #touched(path: string): void {
    this.#settling.changed(path, performance.now());
    this.#armSettling();
  }

  #armSettling(): void {
    const wait = this.#settling.next(performance.now());
    if (wait === null || this.#stopping.signal.aborted) return;
    clearTimeout(this.#settleTimer);
    this.#settleTimer = setTimeout(() => this.#enqueue(() => this.#settled()), wait + 1);
  }

  async #settled(): Promise<void> {
    const launcher = launcherPath(this.#options.context);
    for (const path of this.#settling.settled(performance.now())) {
      const hash = await contentHash(path);
      // The content is not all of a file that is ours alone: its mode counts as well.
      const isAsWritten = hash !== undefined && this.#guard.isOwn(path, hash);
      if (isAsWritten && !this.#isOwnFile(path)) continue;
      for (const record of this.#enabled()) {
        const paths = this.#paths(record, this.#installs[record.id]!);
        if (path === launcher || paths.includes(path)) this.#due.add(record.id);
      }
    }
    await this.#reconcileDue();
    this.#armSettling();
  }

  async #reconcileDue(): Promise<void> {
    await this.#watchAll();
    const due = PROVIDERS.filter(({ id }) => this.#due.has(id));
    this.#due.clear();
    if (due.length === 0) return;
    this.#installs = (await this.#upkeep.run(due)).providers;
    await this.#watchAll();
  }

  /** Before a reconcile too: a change in between is seen, and our own is known. */
  async #watchAll(): Promise<void> {
    const all = this.#enabled().flatMap((record) =>
      this.#paths(record, this.#installs[record.id]!)
    );
    const launcher = all.length === 0 ? [] : [launcherPath(this.#options.context)];
    if (!this.#stopping.signal.aborted) await this.#watch.look([...new Set([...all, ...launcher])]);
  }
}

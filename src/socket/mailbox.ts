/**
 * One queue for all writes: persist, then reduce, then publish.
 *
 * What arrives together is committed together (group commit): one fsync answers many senders. The
 * state is folded inside the transaction and rolled back with it, so that it never says more than
 * the log does; nobody gets an answer before the commit.
 */

import { setImmediate } from "node:timers";
import type { LogEntry, LogRow } from "../core/log/event.ts";
import type { Outcome } from "../core/log/outcome.ts";
import { reduce } from "../core/log/reduce.ts";
import { forget, type Prunable } from "../core/log/retention.ts";
import type { State } from "../core/log/state.ts";
import type { EventLog } from "./event_log.ts";
import { asStoreError, StoreError } from "./store_error.ts";

export type Applied = { readonly row: LogRow; readonly outcome: Outcome };

/**
 * Decides, on the state at its turn, what to append; `refuse` gives an answer without a row.
 * Must not change the state.
 */
export type Prepare<Refusal> = (
  state: State,
) => { readonly entries: readonly LogEntry[] } | { readonly refuse: Refusal };

export type Submitted<Refusal> =
  | { readonly inserted: boolean; readonly applied: readonly Applied[] }
  | { readonly refused: Refusal };

export type StoreRefusal = { readonly at: number; readonly reason: string };

type Job = {
  readonly run: () => Applied[];
  readonly settle: (applied: Applied[]) => void;
  readonly fail: (error: unknown) => void;
};

/** More would keep the event loop from reading sockets for too long. */
const MAX_BATCH = 512;

export class Mailbox {
  readonly state: State;
  readonly #log: EventLog;
  readonly #now: () => number;
  readonly #publish: (applied: readonly Applied[]) => void;
  #queue: Job[] = [];
  #isScheduled = false;
  #refusal: StoreRefusal | null = null;

  constructor(options: {
    state: State;
    log: EventLog;
    now: () => number;
    publish: (applied: readonly Applied[]) => void;
  }) {
    this.state = options.state;
    this.#log = options.log;
    this.#now = options.now;
    this.#publish = options.publish;
  }

  /** Why the database took nothing, since it last took something; null = it takes. */
  get refusal(): StoreRefusal | null {
    return this.#refusal;
  }

  /** Resolves once the entries are durable; rejects when the database did not take them. */
  submit<Refusal = never>(prepare: Prepare<Refusal>): Promise<Submitted<Refusal>> {
    return new Promise((resolve, reject) => {
      let refused: { readonly refused: Refusal } | undefined;
      this.#enqueue({
        run: () => {
          const prepared = prepare(this.state);
          if ("entries" in prepared) return this.#append(prepared.entries);
          refused = { refused: prepared.refuse };
          return [];
        },
        settle: (applied) => resolve(refused ?? { inserted: applied.length > 0, applied }),
        fail: reject,
      });
    });
  }

  /** Forgets old runs in log and state, in one transaction. */
  prune(choose: (state: State) => Prunable): Promise<Prunable> {
    return new Promise((resolve, reject) => {
      let chosen: Prunable;
      this.#enqueue({
        run: () => {
          chosen = choose(this.state);
          this.#log.prune(chosen);
          forget(this.state, chosen);
          return [];
        },
        settle: () => resolve(chosen),
        fail: reject,
      });
    });
  }

  /** Resolves when everything submitted so far is settled. */
  async drain(): Promise<void> {
    while (this.#queue.length > 0 || this.#isScheduled) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  #enqueue(job: Job): void {
    this.#queue.push(job);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After the current round of socket reads, so that what arrived together is one batch.
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const jobs = this.#queue.splice(0, MAX_BATCH);
    if (this.#queue.length > 0) {
      this.#isScheduled = true;
      setImmediate(() => this.#flush());
    }
    this.#attempt(jobs);
  }

  /** One bad job must not take the others of its batch with it. */
  #attempt(jobs: readonly Job[]): void {
    const failure = this.#commit(jobs);
    if (failure === undefined) return;
    // A locked database refuses every job alike, and each only after a wait that blocks us.
    if (jobs.length === 1 || isLocked(failure.error)) {
      this.#refuse(jobs, asStoreError(failure.error));
    } else jobs.forEach((job) => this.#attempt([job]));
  }

  #refuse(jobs: readonly Job[], error: unknown): void {
    if (error instanceof StoreError) this.#refusal = { at: this.#now(), reason: error.message };
    jobs.forEach((job) => job.fail(error));
  }

  /** Runs the jobs in one transaction; what went wrong when it was rolled back. */
  #commit(jobs: readonly Job[]): { readonly error: unknown } | undefined {
    const results: Applied[][] = [];
    this.state.journal.begin();
    const { position, at } = this.state;
    try {
      for (const job of jobs) results.push(job.run());
      this.#log.commit();
    } catch (error) {
      this.#log.rollback();
      this.state.journal.rollback();
      Object.assign(this.state, { position, at });
      return { error };
    }
    this.state.journal.commit();
    const applied = results.flat();
    if (applied.length > 0) this.#refusal = null;
    this.#publish(applied);
    jobs.forEach((job, index) => job.settle(results[index]!));
    return undefined;
  }

  /** Appends `entries` and what follows from them; a duplicate's follow-ups already exist. */
  #append(entries: readonly LogEntry[]): Applied[] {
    const applied: Applied[] = [];
    const pending = [...entries];
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const at = Math.max(this.#now(), this.state.at);
      const position = this.#log.append(next, at);
      if (position === null) continue;
      const row = { position, at, entry: next };
      const outcome = reduce(this.state, row);
      if (!outcome.applied) this.#log.explain(position, outcome.reason ?? "");
      applied.push({ row, outcome });
      pending.push(...outcome.followUps);
    }
    return applied;
  }
}

/** SQLITE_BUSY: another program holds the database. */
function isLocked(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === 5;
}

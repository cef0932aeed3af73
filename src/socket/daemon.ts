/**
 * The daemon without its sockets: log, state, mailbox, feed and what works on them in the
 * background. Data flows one way: decode -> append -> reduce -> publish.
 */

import { isOpenItem } from "../core/attention.ts";
import { isLive } from "../core/event.ts";
import type { Processes } from "../core/process.ts";
import { replay } from "../core/reduce.ts";
import { prunable } from "../core/retention.ts";
import { initialState, type State } from "../core/state.ts";
import { PROTOCOL, VERSION } from "../core/version.ts";
import type { ViewOptions } from "../core/view.ts";
import { isoTime } from "../core/view_json.ts";
import { type Answer, failure } from "../core/wire/answer.ts";
import type { HookRequest } from "../core/wire/hook_request.ts";
import { Surfaces } from "./control/surfaces.ts";
import { EventLog } from "./event_log.ts";
import { ExitWatch } from "./exit_watch.ts";
import { Feed } from "./feed.ts";
import { HookReceiver } from "./hook_receiver.ts";
import { EnvelopeReceiver } from "./envelope_receiver.ts";
import { Mailbox } from "./mailbox.ts";
import { openEventLog } from "./open_event_log.ts";
import type { Paths } from "./paths.ts";
import { ProviderCounters } from "./provider_counters.ts";
import { RouteReader } from "./route_reader.ts";
import { SpoolIntake } from "./spool_intake.ts";
import { SteadyClock } from "./steady_clock.ts";

export type DaemonOptions = {
  readonly paths: Paths;
  readonly processes: Processes;
  /** One line for the operator; never holds a payload or a capability. */
  readonly log: (text: string) => void;
  readonly idleAfter?: number;
  readonly retention?: number;
};

const PRUNE_EVERY_MS = 3_600_000;
const SPOOL_EVERY_MS = 1_000;
const EXIT_EVERY_MS = 1_000;

export class Daemon {
  readonly paths: Paths;
  readonly state: State;
  readonly eventLog: EventLog;
  readonly mailbox: Mailbox;
  readonly feed = new Feed();
  readonly counters = new ProviderCounters();
  readonly surfaces: Surfaces;
  readonly log: (text: string) => void;
  readonly #options: DaemonOptions;
  readonly #clock: SteadyClock;
  readonly #receiver: HookReceiver;
  readonly #envelopes: EnvelopeReceiver;
  readonly #spool: SpoolIntake;
  readonly #exitWatch: ExitWatch;
  readonly #stop = new AbortController();
  readonly #startedAt = Date.now();
  #timers: number[] = [];

  /** Opens the log and folds it; throws when the database cannot be used. */
  constructor(options: DaemonOptions) {
    this.#options = options;
    this.paths = options.paths;
    this.log = options.log;
    this.eventLog = openEventLog(options.paths.database, options.log);
    this.state = this.#replay();
    this.#clock = new SteadyClock(this.state.at);
    this.mailbox = new Mailbox({
      state: this.state,
      log: this.eventLog,
      now: () => this.#clock.now(),
      publish: (applied) => this.feed.publish(applied),
    });
    this.surfaces = new Surfaces(this.mailbox, options.processes);
    const { processes, log } = options;
    const { mailbox, counters } = this;
    const routes = new RouteReader(processes);
    this.#receiver = new HookReceiver({ mailbox, processes, routes, counters, log });
    this.#envelopes = new EnvelopeReceiver(mailbox, routes);
    this.#exitWatch = new ExitWatch({ mailbox: this.mailbox, processes });
    const handle = (request: HookRequest, payload: Uint8Array) =>
      this.receiveHook(request, payload);
    this.#spool = new SpoolIntake(options.paths.spool, handle, log);
  }

  /** Aborted when the daemon stops: held waits and streams end. */
  get stopping(): AbortSignal {
    return this.#stop.signal;
  }

  /** Before anything reads the state: the sweep, closed panes, the spool; then the timers. */
  async begin(): Promise<void> {
    await this.#exitWatch.sweep();
    await this.#exitWatch.check();
    await this.#spool.takeAll();
    await this.#prune();
    this.#every(SPOOL_EVERY_MS, () => this.#spool.takeAll());
    this.#every(EXIT_EVERY_MS, () => this.#exitWatch.check());
    this.#every(PRUNE_EVERY_MS, () => this.#prune());
  }

  /** Held waits and streams end; nothing else does yet. */
  endWaits(): void {
    this.#stop.abort();
  }

  /** Ends background work; what was submitted is settled and durable afterwards. */
  async end(): Promise<void> {
    this.#timers.forEach(clearInterval);
    this.#stop.abort();
    await this.mailbox.drain();
    try {
      this.eventLog.checkpoint();
    } catch (error) {
      // What is acknowledged stays in the write-ahead log, which the next start reads.
      this.log(`cannot checkpoint: ${String(error)}`);
    }
    this.eventLog.close();
  }

  async receiveEnvelope(line: string): Promise<Answer> {
    try {
      return await this.#envelopes.receive(line);
    } catch (error) {
      this.log(`cannot store an event: ${String(error)}`);
      return failure("internal-error");
    }
  }

  async receiveHook(request: HookRequest, payload: Uint8Array): Promise<Answer> {
    try {
      return await this.#receiver.receive(request, payload);
    } catch (error) {
      this.log(`cannot store a hook: ${String(error)}`);
      return failure("internal-error");
    }
  }

  viewOptions(): ViewOptions {
    const { idleAfter } = this.#options;
    return { now: this.#clock.now(), ...(idleAfter === undefined ? {} : { idleAfter }) };
  }

  status() {
    const { state } = this;
    const count = <T>(values: Iterable<T>, test: (value: T) => boolean) =>
      [...values].filter(test).length;
    return {
      version: VERSION,
      protocol: PROTOCOL,
      pid: Deno.pid,
      startedAt: isoTime(this.#startedAt),
      position: state.position,
      eventSocket: this.paths.eventSocket,
      stateFolder: this.paths.state,
      surfaces: count(state.surfaces.values(), (surface) => surface.closedAt === null),
      sessions: count(state.sessions.values(), (session) => session.endedAt === null),
      runs: count(state.runs.values(), (run) => isLive(run.state)),
      openAttention: count(state.items.values(), isOpenItem),
      spool: this.#spool.counts(),
    };
  }

  #replay(): State {
    let damaged = 0;
    const state = replay(initialState(), this.eventLog.all(() => damaged++));
    state.position = Math.max(state.position, this.eventLog.lastPosition());
    if (damaged > 0) this.log(`skipped ${damaged} log rows that cannot be read`);
    return state;
  }

  async #prune(): Promise<void> {
    const { retention } = this.#options;
    const options = { now: this.#clock.now(), ...(retention === undefined ? {} : { retention }) };
    await this.mailbox.prune((state) => prunable(state, options))
      .catch((error) => this.log(`cannot prune: ${String(error)}`));
  }

  #every(millis: number, task: () => Promise<void>): void {
    const run = () => void task().catch((error) => this.log(`background task: ${String(error)}`));
    this.#timers.push(setInterval(run, millis) as unknown as number);
  }
}

/**
 * The daemon without its sockets: log, state, mailbox, feed and what works on them in the
 * background. Data flows one way: decode -> append -> reduce -> publish.
 */

import type { EstimateReporter, Notifier, Settings } from "../core/ports.ts";
import type { Processes } from "../core/process/process.ts";
import { prunable } from "../core/log/retention.ts";
import type { State } from "../core/log/state.ts";
import type { ViewOptions } from "../core/view/view.ts";
import { type Answer, failure } from "../core/wire/answer.ts";
import type { HookRequest } from "../core/wire/hook_request.ts";
import { Surfaces } from "./control/surfaces.ts";
import { EventLog } from "./event_log.ts";
import { ExitWatch, NO_PATIENCE } from "./exit_watch.ts";
import { Feed } from "./feed.ts";
import { foldLog, type FoldOptions, keepSnapshot } from "./fold_log.ts";
import { HeardFile, readHeard } from "./heard_file.ts";
import { Hearing } from "./hearing.ts";
import { HookReceiver } from "./hook_receiver.ts";
import { EnvelopeReceiver } from "./envelope_receiver.ts";
import { LiveMarks } from "./live_marks.ts";
import { type Applied, Mailbox } from "./mailbox.ts";
import { MuxyReceiver } from "./muxy_receiver.ts";
import { openEventLog } from "./open_event_log.ts";
import { liveFolder, type Paths } from "./paths.ts";
import { ProviderCounters } from "./provider_counters.ts";
import { RouteReader } from "./route_reader.ts";
import { SpoolIntake } from "./spool_intake.ts";
import { serverStatus } from "./server_status.ts";
import { SteadyClock } from "./steady_clock.ts";

export type DaemonOptions = {
  readonly paths: Paths;
  readonly processes: Processes;
  /** Whether a provider has hooks of its own; none has where nobody tells. */
  readonly isInstalled?: (provider: string) => boolean;
  /** One line for the operator; never holds a payload or a capability. */
  readonly log: (text: string) => void;
  readonly idleAfter?: number;
  readonly retention?: number;
  /** Asked at every use, so that a changed configuration counts at once. */
  readonly settings?: () => Settings;
  readonly notifier?: Notifier;
  /** Which program this is, to the byte; null (the default) keeps no snapshot of the log. */
  readonly program?: string | null;
  /** Surfaces opened from now on also speak protocol v3. */
  readonly muxy?: boolean;
};

const PRUNE_EVERY_MS = 3_600_000;
const SPOOL_EVERY_MS = 1_000;
const EXIT_EVERY_MS = 1_500;
const HEARD_EVERY_MS = 5_000;

export class Daemon {
  readonly paths: Paths;
  readonly state: State;
  readonly eventLog: EventLog;
  readonly mailbox: Mailbox;
  readonly feed = new Feed();
  readonly counters: ProviderCounters;
  readonly hearing = new Hearing();
  readonly surfaces: Surfaces;
  readonly log: (text: string) => void;
  readonly notifier: Notifier | null;
  readonly #options: DaemonOptions;
  readonly #fold: FoldOptions;
  readonly #clock: SteadyClock;
  readonly #receiver: HookReceiver;
  readonly #muxy: MuxyReceiver;
  readonly #envelopes: EnvelopeReceiver;
  readonly #spool: SpoolIntake;
  readonly exitWatch: ExitWatch;
  /** Set by `serve` where runs without hooks are looked for. */
  estimator: EstimateReporter | null = null;
  /** Set by `serve` where the control API is told over TCP as well. */
  httpUrl: string | null = null;
  readonly #heard: HeardFile;
  readonly #marks: LiveMarks;
  readonly #stop = new AbortController();
  readonly #startedAt = Date.now();
  #timers: number[] = [];

  /** Opens the log and folds it; throws when the database cannot be used. */
  constructor(options: DaemonOptions) {
    this.#options = options;
    this.paths = options.paths;
    this.log = options.log;
    this.counters = new ProviderCounters(readHeard(options.paths.state));
    this.#heard = new HeardFile(options.paths.state, this.counters);
    this.eventLog = openEventLog(options.paths.database, options.log);
    this.#fold = {
      eventLog: this.eventLog,
      hearing: this.hearing,
      program: options.program ?? null,
      log: options.log,
    };
    this.state = foldLog(this.#fold);
    this.#clock = new SteadyClock(this.state.at);
    this.mailbox = new Mailbox({
      state: this.state,
      log: this.eventLog,
      now: () => this.#clock.now(),
      publish: (applied) => this.feed.publish(applied),
    });
    this.notifier = options.notifier ?? null;
    this.feed.subscribe((applied) => this.#notify(applied));
    this.feed.subscribe((applied) => applied.forEach(({ row }) => this.hearing.observe(row)));
    this.#marks = new LiveMarks(liveFolder(options.paths.runtime), this.state);
    this.feed.subscribe((applied) => this.#marks.observe(applied));
    this.surfaces = new Surfaces(this.mailbox, options.processes);
    const { processes, log } = options;
    const { mailbox, counters } = this;
    const routes = new RouteReader(processes);
    const { isInstalled = () => false } = options;
    this.#receiver = new HookReceiver({ mailbox, processes, routes, counters, isInstalled, log });
    this.#envelopes = new EnvelopeReceiver(mailbox, routes);
    this.#muxy = new MuxyReceiver({ mailbox, processes, notifier: this.notifier, log });
    this.exitWatch = new ExitWatch({ mailbox: this.mailbox, processes });
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
    this.#marks.begin();
    await this.exitWatch.sweep();
    await this.exitWatch.check(NO_PATIENCE);
    await this.#spool.takeAll();
    await this.#prune();
    this.#every(SPOOL_EVERY_MS, () => this.#spool.takeAll());
    this.#every(EXIT_EVERY_MS, () => this.exitWatch.check());
    this.#every(PRUNE_EVERY_MS, () => this.#prune());
    this.#every(HEARD_EVERY_MS, () => this.#heard.keep());
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
    this.#marks.end();
    await this.#heard.keep().catch((error) => this.log(`cannot keep times: ${String(error)}`));
    keepSnapshot(this.state, this.#fold);
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

  /** Whether a line of protocol v3 is acknowledged. */
  receiveMuxy(line: string): Promise<boolean> {
    return this.#muxy.receive(line);
  }

  /** What a surface's environment gets besides our own variables. */
  muxyEnv(surfaceID: string): Record<string, string> {
    if (this.#options.muxy !== true) return {};
    return { MUXY_PANE_ID: surfaceID.toUpperCase(), MUXY_SOCKET_PATH: this.paths.muxySocket };
  }

  viewOptions(): ViewOptions {
    const { idleAfter } = this.#options.settings?.() ?? this.#options;
    return { now: this.#clock.now(), ...(idleAfter === undefined ? {} : { idleAfter }) };
  }

  status() {
    const { state, paths, httpUrl } = this;
    const { refusal } = this.mailbox;
    const spool = this.#spool.counts();
    return serverStatus({ state, paths, startedAt: this.#startedAt, spool, refusal, httpUrl });
  }

  /** After the commit; whatever goes wrong with it, the events are stored. */
  #notify(applied: readonly Applied[]): void {
    try {
      this.notifier?.observe(applied, this.state);
    } catch (error) {
      this.log(`notifications: ${String(error)}`);
    }
  }

  async #prune(): Promise<void> {
    const { retention } = this.#options.settings?.() ?? this.#options;
    const options = { now: this.#clock.now(), ...(retention === undefined ? {} : { retention }) };
    await this.mailbox.prune((state) => prunable(state, options))
      .catch((error) => this.log(`cannot prune: ${String(error)}`));
    keepSnapshot(this.state, this.#fold);
  }

  #every(millis: number, task: () => Promise<void>): void {
    const run = () => void task().catch((error) => this.log(`background task: ${String(error)}`));
    this.#timers.push(setInterval(run, millis) as unknown as number);
  }
}

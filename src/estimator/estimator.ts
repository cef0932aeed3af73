/**
 * The estimator at work: reads the process table and the agents' own files in their rhythm, and
 * hands what follows to the log. What follows is decided by the pure part (core/estimate*.ts).
 *
 * One reading of the table per tick, whatever the number of agents; ticks slow down when no agent
 * is there. A table that could not be read says nothing, and never that all are gone.
 */

import { type Decision, Estimate } from "../core/estimate/estimate.ts";
import type { AgentSight } from "../core/estimate/agent_sight.ts";
import { ProcessEstimate, START_GRACE_MS } from "../core/estimate/estimate_processes.ts";
import type { LogRow } from "../core/log/event.ts";
import type { AgentReport, EstimateReporter, EstimatorHost } from "../core/ports.ts";
import type { Processes } from "../core/process/process.ts";
import type { Session } from "../core/log/state.ts";
import type { FileEnv } from "./agent_files.ts";
import { ChildAges, findAgents } from "./agents.ts";
import { reportOf } from "./report.ts";
import { filePause, NEW_MS, OPEN_FILES_EVERY_MS, type Pace, Rhythm, tablePause } from "./rhythm.ts";
import { refOfAgent, WatchedSessions } from "./sessions.ts";
import type { WatchedAgent } from "./watched_agent.ts";
import { WatchedAgents } from "./watched_agents.ts";

export type EstimatorOptions = {
  readonly host: EstimatorHost;
  readonly processes: Processes;
  readonly env: FileEnv;
  readonly log: (text: string) => void;
  readonly now?: () => number;
  /** Whether runs of this provider are estimated; asked at every reading. */
  readonly isWanted?: (provider: string) => boolean;
};

export class Estimator implements EstimateReporter {
  readonly #options: EstimatorOptions;
  readonly #estimate: Estimate;
  readonly #processes: ProcessEstimate;
  readonly #sessions: WatchedSessions;
  readonly #ages = new ChildAges();
  readonly #agents: WatchedAgents;
  readonly #rhythm: Rhythm;
  #endFeed: () => void = () => {};

  constructor(options: EstimatorOptions) {
    this.#options = options;
    const { host, processes, env, log } = options;
    this.#agents = new WatchedAgents({ host, processes, env, now: () => this.#now() });
    this.#rhythm = new Rhythm(log);
    this.#estimate = new Estimate({ isHeard: (provider) => host.isHeard(provider) });
    const isWanted = (provider: string) => this.#isWanted(provider);
    this.#sessions = new WatchedSessions({ env, estimate: this.#estimate, log, isWanted });
    this.#processes = new ProcessEstimate({
      isHooked: (provider) => host.isHeard(provider),
      hasStatus: ({ process }) => this.#hasStatus(process?.pid),
      endedWellAt: (surfaceID) => host.endedWellAt(surfaceID),
    });
  }

  /** Learns which sessions' hooks speak, from now on. */
  listen(): void {
    const { host } = this.#options;
    this.#estimate.recall(host.state);
    this.#endFeed = host.onRows((rows) => this.#heard(rows));
  }

  start(): void {
    this.listen();
    this.#rhythm.loop("table", () => this.scan(), () => tablePause(this.#pace()));
    this.#rhythm.loop("files", () => this.poll(), () => filePause(this.#pace()));
  }

  stop(): void {
    this.#rhythm.stop();
    this.#endFeed();
  }

  get agents(): readonly WatchedAgent[] {
    return this.#agents.list();
  }

  /** One reading of the process table, and what follows from it. */
  async scan(): Promise<void> {
    const { processes, host } = this.#options;
    const track = this.agents.map(({ process }) => process.pid);
    const table = await processes.readTable({ track });
    const found = findAgents(table).filter(({ match }) => this.#isWanted(match.provider));
    await this.#agents.meet(found);
    const now = this.#now();
    const startedAt = (row: { pid: number; startTime: string }) =>
      processes.startedAt?.(row) ?? null;
    const ages = this.#ages.sights(found, { now, startedAt });
    const sights = this.agents.map((agent): AgentSight => ({
      provider: agent.clues.record.id,
      process: agent.process,
      ...agent.place,
      cwd: agent.clues.cwd,
      isHeadless: agent.found.isHeadless,
      isForeground: agent.found.isForeground,
      startedAt: Math.min(agent.clues.startedAt ?? agent.firstSeen, agent.firstSeen),
      children: ages.get(agent.process.pid) ?? [],
    }));
    await this.#submit(this.#processes.scan(host.state, sights, now));
  }

  /** One look at the files of all agents and sessions, and what follows from it. */
  async poll(): Promise<void> {
    const { host, processes } = this.#options;
    for (const agent of this.agents) {
      const before = refOfAgent(agent);
      const status = agent.pollStatus();
      const ref = refOfAgent(agent);
      const now = this.#now();
      if (before !== null && before.sessionID !== ref?.sessionID) {
        this.#estimate.status(before, null, now);
      }
      if (ref !== null && status !== null) this.#estimate.status(ref, status, now);
      else if (before !== null && status === null) this.#estimate.status(before, null, now);
      await agent.ask(processes, { now, every: OPEN_FILES_EVERY_MS });
    }
    this.#agents.guess();
    this.#sessions.sync(host.state, this.agents, this.#now());
    this.#sessions.poll(this.#now());
    await this.#submit(this.#estimate.decisions(host.state, this.#now()));
  }

  /** A session's process is gone: its file is read to the end before the session is. */
  async lastWord(session: Session): Promise<void> {
    const now = this.#now();
    this.#sessions.poll(now, session.key);
    this.#estimate.lastWord(session.key, now);
    await this.#submit(this.#estimate.decisions(this.#options.host.state, now));
  }

  /** One pass now, whatever the rhythm. */
  async pass(): Promise<readonly AgentReport[]> {
    await this.poll();
    await this.scan();
    await this.poll();
    const now = this.#now();
    return this.agents.map((agent) =>
      reportOf(this.#options.host.state, agent, {
        now,
        hooksOf: (key) => this.hooksOf(key),
        transcriptOf: (key) => this.#sessions.get(key)?.ref.transcript ?? null,
      })
    );
  }

  /** Whether a session's hooks speak, were missed, or were never heard. */
  hooksOf(key: string): "speaking" | "silent" | "unheard" {
    if (this.#estimate.isSilent(key)) return "silent";
    return this.#estimate.isHooked(key) ? "speaking" : "unheard";
  }

  #pace(): Pace {
    const now = this.#now();
    return {
      agents: this.agents.length,
      sessions: this.#sessions.size,
      isNew: this.agents.some(({ firstSeen }) => now - firstSeen < NEW_MS),
      isYoung: this.agents.some(({ firstSeen }) => now - firstSeen < START_GRACE_MS),
      isHeadless: this.agents.some(({ found }) => found.isHeadless),
      isBusy: !this.#estimate.isIdle || this.#sessions.isBusy(this.#options.host.state),
    };
  }

  #heard(rows: readonly LogRow[]): void {
    for (const { entry } of rows) this.#estimate.heard(entry);
  }

  async #submit(decisions: readonly Decision[]): Promise<void> {
    await Promise.all(decisions.map((decide) => this.#options.host.submit(decide)));
  }

  #hasStatus(pid: number | undefined): boolean {
    return this.agents.some(({ process, status }) => process.pid === pid && status !== null);
  }

  #isWanted(provider: string): boolean {
    return this.#options.isWanted?.(provider) ?? true;
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}

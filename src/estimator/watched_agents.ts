/** The agents that are there, remembered by process, and which sessions their folders suggest. */

import type { EstimatorHost } from "../core/ports.ts";
import { type Processes, processKey } from "../core/process/process.ts";
import type { FileEnv } from "./agent_files.ts";
import type { FoundAgent } from "./agents.ts";
import { latestOfFolder, sessionOfFolder } from "./session_finder.ts";
import { WatchedAgent } from "./watched_agent.ts";

export type AgentsOptions = {
  readonly host: EstimatorHost;
  readonly processes: Processes;
  readonly env: FileEnv;
  readonly now: () => number;
};

export class WatchedAgents {
  readonly #options: AgentsOptions;
  readonly #agents = new Map<string, WatchedAgent>();
  /** Other people's, and such as have no record. */
  readonly #strangers = new Set<string>();

  constructor(options: AgentsOptions) {
    this.#options = options;
  }

  list(): readonly WatchedAgent[] {
    return [...this.#agents.values()];
  }

  /** Brings the list in line with what a reading of the table found. */
  async meet(found: readonly FoundAgent[]): Promise<void> {
    const { processes, host, env, now } = this.#options;
    const seen = new Set<string>();
    for (const each of found) {
      const key = processKey(each.row);
      seen.add(key);
      const known = this.#agents.get(key);
      if (known !== undefined) {
        known.found = each;
        continue;
      }
      if (this.#strangers.has(key)) continue;
      const agent = await WatchedAgent.meet(each, { processes, host, env, now: now() });
      if (agent === null) this.#strangers.add(key);
      else this.#agents.set(key, agent);
    }
    for (const key of [...this.#agents.keys()]) if (!seen.has(key)) this.#agents.delete(key);
    for (const key of this.#strangers) if (!seen.has(key)) this.#strangers.delete(key);
  }

  /** By folder, for agents whose session nothing else names; the log's own sessions first. */
  guess(): void {
    const { host: { state }, now } = this.#options;
    const taken = new Set(this.list().flatMap(({ session }) => session?.sessionID ?? []));
    const bound = new Set<string>();
    for (const { endedAt, process, sessionID } of state.sessions.values()) {
      if (endedAt !== null) continue;
      taken.add(sessionID);
      if (process !== null) bound.add(processKey(process));
    }
    const isTaken = (id: string) => taken.has(id);
    const open = this.list().filter(({ session, process, status }) =>
      session === null && status === null && !bound.has(processKey(process))
    );
    const guessed = this.list().filter(({ isGuessed }) => isGuessed);
    for (const agent of open) {
      if (!agent.isDue(now())) continue;
      const isAlone = open.filter((other) => areNeighbours(agent, other)).length === 1;
      agent.guess(sessionOfFolder(agent.clues, { taken: isTaken, isAlone }));
    }
    for (const agent of guessed) {
      if (!agent.isDue(now())) continue;
      const isAlone = this.list().filter((other) => areNeighbours(agent, other)).length === 1;
      const isOthers = (id: string) => id !== agent.session?.sessionID && isTaken(id);
      if (isAlone) agent.guess(latestOfFolder(agent.clues, isOthers) ?? agent.session);
    }
  }
}

/** Each of them could have the other's session; an agent is its own neighbour. */
function areNeighbours({ clues }: WatchedAgent, other: WatchedAgent): boolean {
  return other.clues.cwd === clues.cwd && other.clues.record === clues.record;
}

/** `mytty status`: the server, and how each provider's hooks are. Works without a server too. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { isHealthy } from "../installers/judge.ts";
import { UnreachableError } from "../socket/unreachable.ts";
import { healthTable } from "../views/health_table.ts";
import { duration } from "../views/paint.ts";
import { terminal } from "../views/terminal.ts";
import {
  bodyOf,
  client,
  defineCommand,
  finish,
  writeErr,
  writeJson,
  writeLine,
  writeOut,
} from "./_command.ts";
import { chosenProviders } from "./_install_context.ts";
import { type FullHealth, providerHealth } from "./_provider_health.ts";
import { askProviders, type ProviderJson, toldBy } from "./_told.ts";

type StatusJson = {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly position: number;
  readonly eventSocket: string;
  readonly stateFolder: string;
  /** A server of an older version does not say. */
  readonly http?: string | null;
  readonly surfaces: number;
  readonly sessions: number;
  readonly runs: number;
  readonly openAttention: number;
  readonly spool: { readonly waiting: number; readonly taken: number; readonly dropped: number };
};

type Options = { readonly check?: true; readonly json?: true };

export function command(): Command {
  return defineCommand({
    name: "status",
    summary: "Show the server and the health of each provider's hooks",
    examples: ["mytty status", "mytty status claude --json", "mytty status --check"],
    build: (command) =>
      command.argument("[provider...]", "ids or aliases; none = all")
        .option("--check", "exit 1 unless all wanted are healthy")
        .option("--json", "print one JSON document")
        .action(status),
  });
}

async function status(words: string[], options: Options, command: Command): Promise<void> {
  const records = chosenProviders(words);
  const { server, counts, reason } = await askServer();
  const health = await providerHealth(records, server === null ? null : toldBy(counts));
  if (options.check) finish(command, checked(health, words));
  if (options.json) return writeJson({ server, providers: withCounts(health, counts) });
  showServer(server, reason);
  // Agents that are not here are no news, unless they were asked for.
  writeOut(healthTable(health, terminal(), { now: Date.now(), shownAll: words.length > 0 }));
  for (const line of foreignLines(health, counts)) writeLine(line);
}

/**
 * Wanted are the named ones; else those that are installed, or here and can be, and then at least
 * one.
 */
function checked(all: readonly FullHealth[], words: readonly string[]): number {
  const wanted = words.length > 0
    ? all
    : all.filter(({ state, program, unsupported }) =>
      state !== "not-installed" || (program !== null && unsupported === null)
    );
  if (wanted.length === 0) writeErr("Nothing to check: no known agent is found on PATH");
  const areHealthy = wanted.every(({ state }) => isHealthy(state));
  return wanted.length > 0 && areHealthy ? EXIT.done : EXIT.failed;
}

/** Hooks of one agent that another runs as well: told, since nobody looks for them there. */
function foreignLines(all: readonly FullHealth[], counts: readonly ProviderJson[]): string[] {
  return all.flatMap(({ provider, displayName }) => {
    const foreign = counts.find(({ id }) => id === provider)?.foreign ?? 0;
    const hooks = foreign === 1 ? "1 hook" : `${foreign} hooks`;
    return foreign === 0 ? [] : [`${displayName}: ${hooks} ran on behalf of another agent`];
  });
}

function withCounts(all: readonly FullHealth[], counts: readonly ProviderJson[]) {
  return all.map((health) => {
    const count = counts.find(({ id }) => id === health.provider);
    return {
      ...health,
      installedAt: isoOrNull(health.installedAt),
      lastEventAt: isoOrNull(health.lastEventAt),
      received: count?.received ?? null,
      malformed: count?.malformed ?? null,
      foreign: count?.foreign ?? null,
    };
  });
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

type Asked = {
  readonly server: StatusJson | null;
  readonly counts: readonly ProviderJson[];
  /** Why there is no server. */
  readonly reason: string;
};

const DOWN = "not running: hooks are kept in the spool; start it with `mytty serve`";

async function askServer(): Promise<Asked> {
  try {
    const server = bodyOf<StatusJson>(await client().request("/v1/status"));
    return { server, counts: await askProviders(), reason: "" };
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return { server: null, counts: [], reason: error.why === "down" ? DOWN : error.message };
  }
}

function showServer(server: StatusJson | null, reason: string): void {
  if (server === null) {
    writeLine(`server   ${reason}`);
    writeLine("");
    return;
  }
  const upFor = duration(Date.now() - Date.parse(server.startedAt));
  writeLine(
    `mytty ${server.version}, pid ${server.pid}, up ${upFor}, log position ${server.position}`,
  );
  writeLine(`events   ${server.eventSocket}`);
  writeLine(`state    ${server.stateFolder}`);
  if (server.http) writeLine(`http     ${server.http}; token in ${server.stateFolder}/http.token`);
  writeLine(
    `now      ${server.surfaces} surfaces, ${server.sessions} sessions, ${server.runs} live runs, ` +
      `${server.openAttention} need you`,
  );
  const { waiting, taken, dropped } = server.spool;
  writeLine(`spool    ${waiting} waiting, ${taken} taken in, ${dropped} dropped`);
  writeLine("");
}

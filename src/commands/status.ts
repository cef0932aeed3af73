/** `mytty status`: the server itself and what it has heard of each provider. */

import type { Command } from "commander";
import { duration } from "../views/paint.ts";
import { table } from "../views/table.ts";
import { terminal } from "../views/terminal.ts";
import { bodyOf, client, defineCommand, writeJson, writeLine, writeOut } from "./_command.ts";

type StatusJson = {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly position: number;
  readonly eventSocket: string;
  readonly stateFolder: string;
  readonly surfaces: number;
  readonly sessions: number;
  readonly runs: number;
  readonly openAttention: number;
  readonly spool: { readonly waiting: number; readonly taken: number; readonly dropped: number };
};

type ProviderJson = {
  readonly displayName: string;
  readonly received: number;
  readonly malformed: number;
  readonly lastAt: string | null;
};

export function command(): Command {
  return defineCommand({
    name: "status",
    summary: "Show the server and what it has heard of each provider",
    examples: ["mytty status", "mytty status --json"],
    build: (command) => command.option("--json", "print one JSON document").action(status),
  });
}

async function status({ json }: { readonly json?: true }): Promise<void> {
  const server = bodyOf<StatusJson>(await client().request("/v1/status"));
  const reply = await client().request("/v1/providers");
  const { providers } = bodyOf<{ providers: ProviderJson[] }>(reply);
  if (json) return writeJson({ server, providers });
  const upFor = duration(Date.now() - Date.parse(server.startedAt));
  writeLine(
    `mytty ${server.version}, pid ${server.pid}, up ${upFor}, log position ${server.position}`,
  );
  writeLine(`events   ${server.eventSocket}`);
  writeLine(`state    ${server.stateFolder}`);
  writeLine(
    `now      ${server.surfaces} surfaces, ${server.sessions} sessions, ${server.runs} live runs, ` +
      `${server.openAttention} need you`,
  );
  const { waiting, taken, dropped } = server.spool;
  writeLine(`spool    ${waiting} waiting, ${taken} taken in, ${dropped} dropped`);
  writeLine("");
  writeOut(providerTable(providers));
}

function providerTable(providers: readonly ProviderJson[]): string {
  const columns = [
    { title: "PROVIDER", max: 16 },
    { title: "HOOKS", max: 8 },
    { title: "MALFORMED", max: 9 },
    { title: "LAST", max: 12 },
  ];
  const rows = providers.map(({ displayName, received, malformed, lastAt }) => [
    { text: displayName },
    { text: String(received) },
    { text: String(malformed) },
    { text: lastAt === null ? "never" : `${duration(Date.now() - Date.parse(lastAt))} ago` },
  ]);
  return table(columns, rows, terminal());
}

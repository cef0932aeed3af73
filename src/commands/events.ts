/** `mytty events`: the log by position. */

import type { Command } from "commander";
import type { EventJson } from "../core/log/event_json.ts";
import { eventLine } from "../views/event_line.ts";
import { terminal } from "../views/terminal.ts";
import { bodyOf, client, defineCommand, wholeNumber, writeJson, writeLine } from "./_command.ts";

type Options = {
  readonly after?: string;
  readonly follow?: true;
  readonly run?: string;
  readonly explain?: true;
  readonly json?: true;
};

export function command(): Command {
  return defineCommand({
    name: "events",
    summary: "Show the event log by position",
    examples: [
      "mytty events --after 1200",
      "mytty events --follow --json",
      "mytty events --run 6f1c… --explain",
    ],
    build: (command) =>
      command
        .option("--after <position>", "only later rows", "0")
        .option("--follow", "keep printing what comes")
        .option("--run <id>", "only rows of this run")
        .option("--explain", "also say why a row changed nothing")
        .option("--json", "print NDJSON")
        .action(events),
  });
}

async function events(options: Options): Promise<void> {
  const screen = terminal();
  const explain = options.explain === true;
  function print(row: EventJson): void {
    if (options.json) writeJson(row);
    else writeLine(eventLine(row, { screen, explain }));
  }
  const run = options.run === undefined ? "" : `&run=${encodeURIComponent(options.run)}`;
  let after = wholeNumber(options.after ?? "0", "--after");
  if (options.follow) {
    for await (const line of client().lines(`/v1/events?follow=1&after=${after}${run}`)) {
      if (line !== "") print(JSON.parse(line) as EventJson);
    }
    return;
  }
  for (;;) {
    const path = `/v1/events?after=${after}&limit=500${run}`;
    const page = bodyOf<{ position: number; events: EventJson[] }>(await client().request(path));
    page.events.forEach(print);
    if (page.events.length < 500) return;
    after = page.position;
  }
}

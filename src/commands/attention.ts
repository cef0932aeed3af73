/** `mytty attention`: the drawer, and acknowledging what is in it. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import type { AttentionJson } from "../core/view/view_json.ts";
import { attentionTable } from "../views/attention_table.ts";
import { terminal } from "../views/terminal.ts";
import {
  bodyOf,
  client,
  CliError,
  defineCommand,
  writeJson,
  writeLine,
  writeOut,
} from "./_command.ts";

type Options = { readonly all?: true; readonly json?: true };

export function command(): Command {
  return defineCommand({
    name: "attention",
    summary: "Show what needs you: approvals, questions, failures, deaths, long work done",
    examples: [
      "mytty attention",
      "mytty attention --all --json",
      "mytty attention ack 1f0c",
      "mytty attention ack --all",
    ],
    build: (command) => {
      command
        .option("--all", "also what is resolved or acknowledged, for 24 hours")
        .option("--json", "print one JSON document")
        .action(show);
      command.command("ack")
        .description("acknowledge items by id (or its beginning), or all")
        .argument("[ids...]", "item ids")
        .option("--all", "every open item")
        .option("--json", "print one JSON document")
        .action(acknowledge);
    },
  });
}

async function show(options: Options): Promise<void> {
  const path = options.all ? "/v1/attention?all=1" : "/v1/attention";
  const body = bodyOf<{ items: AttentionJson[] }>(await client().request(path));
  if (options.json) return writeJson(body);
  writeOut(attentionTable(body.items, { screen: terminal(), now: Date.now() }));
}

async function acknowledge(ids: string[], _own: Options, command: Command): Promise<void> {
  // `--all` and `--json` exist on the parent too, and commander gives them to whichever comes first.
  const options = command.optsWithGlobals<Options>();
  if (ids.length === 0 && !options.all) {
    throw new CliError(EXIT.usage, "Give the ids of items, or --all; mytty attention lists them");
  }
  const body = options.all ? { all: true } : { ids };
  const reply = await client().request("/v1/attention/ack", { method: "POST", body });
  const { acknowledged } = bodyOf<{ acknowledged: string[] }>(reply);
  if (options.json) writeJson({ acknowledged });
  else {writeLine(
      `Acknowledged ${acknowledged.length} ${acknowledged.length === 1 ? "item" : "items"}`,
    );}
}

/** `mytty list`: every pane and what its agent does. */

import type { Command } from "commander";
import type { PlaceJson } from "../core/view/view_json.ts";
import { explainPlace } from "../views/explain.ts";
import { listTable } from "../views/list_table.ts";
import { terminal } from "../views/terminal.ts";
import { bodyOf, client, defineCommand, writeJson, writeOut } from "./_command.ts";

type Options = { readonly active?: true; readonly json?: true; readonly explain?: true };

export type ListJson = {
  readonly position: number;
  readonly surfaces: readonly PlaceJson[];
  readonly unplaced: readonly PlaceJson[];
};

export function command(): Command {
  return defineCommand({
    name: "list",
    summary: "Show every pane: which agent works, waits for you, is done or died",
    examples: ["mytty list", "mytty list --active --json", "mytty list --explain"],
    build: (command) =>
      command
        .option("--active", "only open sessions and live runs")
        .option("--json", "print one JSON document")
        .option("--explain", "say for each row what it was concluded from")
        .action(list),
  });
}

async function list(options: Options): Promise<void> {
  const path = options.active ? "/v1/list?active=1" : "/v1/list";
  const body = bodyOf<ListJson>(await client().request(path));
  if (options.json) return writeJson(body);
  const rows = [...body.surfaces, ...body.unplaced];
  const screen = terminal();
  writeOut(
    options.explain && rows.length > 0
      ? rows.map((row) => explainPlace(row, screen)).join("\n")
      : listTable(rows, screen, { isActiveOnly: options.active === true }),
  );
}

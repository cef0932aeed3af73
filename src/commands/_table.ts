/** Runs one command of the table, and what stands beside the commands: help, version, completions. */

import type { Command } from "commander";
import { runCommand } from "./_command.ts";

export type TableEntry = {
  readonly summary: string;
  readonly load: () => Promise<{ command(): Command }>;
};

export type CommandTable = Readonly<Record<string, TableEntry>>;

/** Commands that parse their own words. */
export const OWN_PARSING: Readonly<Record<string, string>> = {
  hook: "what an agent's hook calls",
  "status-line": "one short line for tmux and prompts",
  completions: "shell completions",
  man: "the manual page",
};

export async function runTable(
  table: CommandTable,
  name: string,
  args: readonly string[],
): Promise<number> {
  if (Object.hasOwn(table, name)) {
    const { command } = await table[name]!.load();
    return await runCommand(command(), args);
  }
  if (name === "help" && args.length > 0) return await helpOf(table, args);
  if (name === "man") return (await import("./man.ts")).run(args, table);
  if (name === "completions") return (await import("./completions.ts")).run(args, table);
  return (await import("./top.ts")).run(name, summariesOf(table));
}

/** `help surface open` is `surface open --help`. */
async function helpOf(
  table: CommandTable,
  [name = "", ...words]: readonly string[],
): Promise<number> {
  if (name === "hook") return (await import("./hook.ts")).run(["--help"]);
  if (name === "status-line") return (await import("./status_line.ts")).run(["--help"]);
  return await runTable(table, name, [...words, "--help"]);
}

/** Every command with its summary, in the order of the help. */
export function summariesOf(table: CommandTable): [string, string][] {
  const summaries = Object.entries(table).map(([name, { summary }]) =>
    [name, summary] as [string, string]
  );
  return [...summaries, ...Object.entries(OWN_PARSING)];
}

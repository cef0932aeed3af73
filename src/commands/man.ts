/** `mytty man`: the manual page, from the commands themselves. */

import type { Argument, Command, Option } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { RELEASED, VERSION } from "../core/version.ts";
import { type ManCommand, type ManOption, manPage } from "../views/man_page.ts";
import { writeErr, writeLine, writeOut } from "./_command.ts";
import { type CommandTable, OWN_PARSING } from "./_table.ts";

const HELP = `Usage: mytty man

Prints the manual page.

Examples:
  mytty man | man -l -                                     (read it)
  mkdir -p ~/.local/share/man/man1 && mytty man > ~/.local/share/man/man1/mytty.1`;

/** What the commands that parse their own words take. */
const OWN_USAGE: Readonly<Record<string, string>> = {
  hook: "<provider> [--event <name>] [--test]",
  "status-line": "[--tmux | --json]",
  completions: "bash|zsh|fish",
  man: "",
};

export async function run(args: readonly string[], table: CommandTable): Promise<number> {
  const [word] = args;
  if (word === "--help" || word === "-h") {
    writeLine(HELP);
    return EXIT.done;
  }
  if (word !== undefined) {
    writeErr(`Man takes no "${word}"; see --help`);
    return EXIT.usage;
  }
  const built = await Promise.all(Object.values(table).map(({ load }) => load()));
  const commands = [...built.map((module) => described(module.command())), ...ownCommands()];
  writeOut(manPage({ version: VERSION, date: RELEASED, commands }));
  return EXIT.done;
}

function ownCommands(): ManCommand[] {
  return Object.entries(OWN_PARSING).map(([name, summary]) => ({
    name,
    usage: OWN_USAGE[name] ?? "",
    summary,
    arguments: [],
    options: [],
    commands: [],
    examples: [],
  }));
}

function described(command: Command): ManCommand {
  return {
    name: command.name().replace(/^mytty /, ""),
    usage: usageOf(command),
    summary: command.description(),
    arguments: command.registeredArguments.filter(({ description }) => description !== "")
      .map(argumentOf),
    options: command.options.map(optionOf),
    commands: command.commands.map(described),
    examples: examplesOf(command),
  };
}

function usageOf({ options, registeredArguments, commands }: Command): string {
  const words = registeredArguments.map((argument) => argumentOf(argument).flags);
  const sub = commands.length > 0 ? ["[command]"] : [];
  return [...sub, ...options.length > 0 ? ["[options]"] : [], ...words].join(" ");
}

function argumentOf(argument: Argument): ManOption {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  const flags = argument.required ? `<${name}>` : `[${name}]`;
  return { flags, text: argument.description };
}

function optionOf({ flags, description, defaultValue }: Option): ManOption {
  const isTold = typeof defaultValue === "string" || typeof defaultValue === "number";
  return { flags, text: isTold ? `${description} (default: ${defaultValue})` : description };
}

/** What the help shows below its options. */
function examplesOf(command: Command): string[] {
  let help = "";
  command.configureOutput({ writeOut: (text) => help += text });
  command.outputHelp();
  const [, examples] = help.split("\nExamples:\n");
  return (examples ?? "").split("\n").map((line) => line.trim()).filter((line) => line !== "");
}

/** `mytty tmux`: the status segment and window marks, printed or written into tmux.conf. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { shellQuote } from "../core/shell/shell_quote.ts";
import { tmuxBlock, withBlock } from "../core/shell/tmux_conf.ts";
import { readEnvironment } from "../socket/environment.ts";
import { CliError, defineCommand, writeLine, writeOut } from "./_command.ts";
import { ownProgram } from "./_own_program.ts";

type Options = {
  readonly install?: true;
  readonly uninstall?: true;
  readonly file?: string;
  readonly option: string;
};

export function command(): Command {
  return defineCommand({
    name: "tmux",
    summary: "Print or install tmux's part: what needs you, in the status line and on windows",
    examples: ["mytty tmux", "mytty tmux --install", "mytty tmux | tmux source-file -"],
    build: (command) =>
      command
        .option("--install", "write the lines into tmux.conf, once")
        .option("--uninstall", "take them out again")
        .option("--file <path>", "another tmux.conf")
        .option("--option <name>", "window option that holds the mark", "@mytty")
        .action(run),
  });
}

function run({ install, uninstall, file, option }: Options): void {
  if (!/^@[\w-]+$/.test(option)) {
    throw new CliError(EXIT.usage, `--option takes a name like @mytty, not "${option}"`);
  }
  const block = tmuxBlock({ program: ownProgram().map(shellQuote).join(" "), option });
  if (install && uninstall) throw new CliError(EXIT.usage, "Choose --install or --uninstall");
  if (!install && !uninstall) return writeOut(block);
  const path = file ?? configFile();
  const before = readText(path);
  const after = withBlock(before, install ? block : null);
  if (after === before) return writeLine(`Nothing to change in ${path}`);
  writeText(path, after);
  writeLine(`Changed ${path}; tmux source-file ${shellQuote(path)} makes it count now`);
}

/** The one that tmux reads: in the person's folder, else in the configuration folder. */
function configFile(): string {
  const { home, get } = readEnvironment();
  const modern = `${get("XDG_CONFIG_HOME") ?? `${home}/.config`}/tmux/tmux.conf`;
  const classic = `${home}/.tmux.conf`;
  return exists(classic) || !exists(modern) ? classic : modern;
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

function readText(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Deno.readFileSync(path),
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw new CliError(EXIT.failed, `Cannot read "${path}": ${(error as Error).message}`);
  }
}

/** Through a temporary file, and to where a link points: never half a file, never a lost link. */
function writeText(path: string, text: string): void {
  const target = exists(path) ? Deno.realPathSync(path) : path;
  const temporary = `${target}.mytty-${Deno.pid}`;
  try {
    const mode = exists(target) ? Deno.statSync(target).mode ?? 0o644 : 0o644;
    Deno.writeTextFileSync(temporary, text, { mode: mode & 0o777 });
    Deno.renameSync(temporary, target);
  } catch (error) {
    throw new CliError(EXIT.failed, `Cannot write "${path}": ${(error as Error).message}`);
  }
}

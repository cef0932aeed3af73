/** `mytty tmux`: the status segment and window marks, printed or written into tmux.conf. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { shellQuote } from "../core/shell/shell_quote.ts";
import { tmuxLines } from "../core/shell/tmux_conf.ts";
import { writeBlock } from "../installers/block_file.ts";
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

async function run({ install, uninstall, file, option }: Options): Promise<void> {
  if (!/^@[\w-]+$/.test(option)) {
    throw new CliError(EXIT.usage, `--option takes a name like @mytty, not "${option}"`);
  }
  const lines = tmuxLines({ program: ownProgram().map(shellQuote).join(" "), option });
  if (install && uninstall) throw new CliError(EXIT.usage, "Choose --install or --uninstall");
  if (!install && !uninstall) return writeOut(lines);
  const path = file ?? configFile();
  const written = await writeBlock(path, install ? lines : null, BLOCK);
  if (!written.ok) throw new CliError(EXIT.failed, written.issue.message);
  if (!written.changed) return writeLine(`Nothing to change in ${path}`);
  writeLine(`Changed ${path}; tmux source-file ${shellQuote(path)} makes it count now`);
}

const BLOCK = { id: "tmux", comment: "#", newFileMode: 0o644 } as const;

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

/** `mytty completions bash|zsh|fish`: the commands, their flags and the values that are known. */

import { EXIT } from "../core/exit_code.ts";
import { COMPLETION_SCRIPTS } from "../core/shell/completion_script.ts";
import { SHELLS } from "../core/shell/shell_init.ts";
import { writeErr, writeLine, writeOut } from "./_command.ts";
import { completionSpecs } from "./_completion_specs.ts";
import type { CommandTable } from "./_table.ts";

export async function run(
  args: readonly string[],
  table: CommandTable,
): Promise<number> {
  const shell = args[0] ?? "";
  if (shell === "--help" || shell === "-h") {
    writeLine(`Usage: mytty completions ${SHELLS.join("|")}

Examples:
  mkdir -p ~/.local/share/bash-completion/completions && mytty completions bash > ~/.local/share/bash-completion/completions/mytty
  mkdir -p ~/.zfunc && mytty completions zsh > ~/.zfunc/_mytty   (in ~/.zshrc, before compinit: fpath=(~/.zfunc $fpath))
  mkdir -p ~/.config/fish/completions && mytty completions fish > ~/.config/fish/completions/mytty.fish`);
    return EXIT.done;
  }
  if (!Object.hasOwn(COMPLETION_SCRIPTS, shell)) {
    writeErr(`completions takes ${SHELLS.join(", ")}, not "${shell}"; see --help`);
    return EXIT.usage;
  }
  writeOut(COMPLETION_SCRIPTS[shell]!(await completionSpecs(table)));
  return EXIT.done;
}

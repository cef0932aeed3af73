/** `mytty completions bash|zsh|fish`: the commands and, for each, its flags. */

import { EXIT } from "../core/exit_code.ts";
import { writeErr, writeLine, writeOut } from "./_command.ts";
import { type CommandTable, summariesOf } from "./_table.ts";

type Flags = Readonly<Record<string, readonly string[]>>;

const SHELLS = ["bash", "zsh", "fish"];

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
  if (!SHELLS.includes(shell)) {
    writeErr(`completions takes ${SHELLS.join(", ")}, not "${shell}"; see --help`);
    return EXIT.usage;
  }
  const commands = summariesOf(table);
  const flags = await flagsOf(table);
  const write = shell === "fish" ? fish : shell === "zsh" ? zsh : bash;
  writeOut(write(commands, flags));
  return EXIT.done;
}

async function flagsOf(table: CommandTable): Promise<Flags> {
  const flags: Record<string, readonly string[]> = {
    hook: ["--event", "--test", "--help"],
    "status-line": ["--tmux", "--json", "--help"],
    completions: [...SHELLS, "--help"],
    man: ["--help"],
  };
  for (const [name, { load }] of Object.entries(table)) {
    const built = (await load()).command();
    flags[name] = [
      ...built.commands.map((sub) => sub.name()),
      ...built.options.map((option) => option.long ?? ""),
      "--help",
    ];
  }
  return flags;
}

function bash(commands: readonly [string, string][], flags: Flags): string {
  const cases = commands.map(([name]) => `    ${name}) words="${flags[name]!.join(" ")}" ;;`);
  return `_mytty() {
  local words="${commands.map(([name]) => name).join(" ")} --help --version"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mytty mytty
`;
}

function zsh(commands: readonly [string, string][], flags: Flags): string {
  const list = commands.map(([name, summary]) => `    '${name}:${summary.replaceAll("'", "")}'`);
  const cases = commands.map(([name]) => `    ${name}) compadd -- ${flags[name]!.join(" ")} ;;`);
  return `#compdef mytty
_mytty() {
  local -a commands=(
${list.join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2]" in
${cases.join("\n")}
  esac
}
_mytty "$@"
`;
}

function fish(commands: readonly [string, string][], flags: Flags): string {
  const lines = commands.flatMap(([name, summary]) => [
    `complete -c mytty -n __fish_use_subcommand -f -a ${name} -d '${summary.replaceAll("'", "")}'`,
    ...flags[name]!.map((word) =>
      `complete -c mytty -n '__fish_seen_subcommand_from ${name}' -f -a '${word}'`
    ),
  ]);
  return `${lines.join("\n")}\n`;
}

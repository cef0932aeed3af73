/** `mytty` alone, `--help`, `--version`, and words that are no command. */

import { EXIT } from "../core/exit_code.ts";
import { VERSION } from "../core/version.ts";
import { buildForm } from "./_build_form.ts";
import { writeErr, writeLine } from "./_command.ts";

export function run(word: string, commands: readonly [string, string][]): number {
  if (word === "--version" || word === "-V") {
    writeLine(`mytty ${VERSION} (${buildForm()})`);
    return EXIT.done;
  }
  if (word === "--help" || word === "-h" || word === "help") {
    writeLine(help(commands));
    return EXIT.done;
  }
  writeErr(`No command "${word}"${nearest(word, commands)}; see mytty --help`);
  return EXIT.usage;
}

function help(commands: readonly [string, string][]): string {
  const width = Math.max(...commands.map(([name]) => name.length));
  const lines = commands.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`);
  return `mytty shows what every coding agent in your terminals is doing.

Usage: mytty <command> [options]

Commands:
${lines.join("\n")}

Examples:
  mytty serve                       run the server
  mytty run --label api -- claude   an agent in a pane of its own
  mytty list                        who works, who waits for you, who is done
  mytty wait api --until attention  block until it needs you

mytty <command> --help says more.`;
}

function nearest(word: string, commands: readonly [string, string][]): string {
  const close = commands.map(([name]) => name).find((name) =>
    name.startsWith(word.slice(0, 2)) || name.includes(word) || word.includes(name)
  );
  return close === undefined ? "" : `, did you mean "${close}"?`;
}

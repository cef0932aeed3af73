/**
 * Reads a process row's command by position: which program, which script or module of a runtime,
 * which words are left for it.
 *
 * Positions and never substrings, because any command may carry an agent's name in a file name or
 * a prompt.
 */

import type { ProcessRow } from "./process.ts";

/** What a row runs, by position: the program, and the script or module a runtime was given. */
export interface Command {
  /** Program as called and as loaded, best first; paths or bare names. */
  readonly programs: readonly string[];
  readonly script: string | null;
  readonly module: string | null;
  /** Words after the program, or after the script where a runtime runs one. */
  readonly args: readonly string[];
}

interface Runtime {
  readonly name: RegExp;
  /** Code given as a word: there is no script. */
  readonly inline: RegExp;
  /** Options whose value is the next word. */
  readonly takesValue: RegExp;
  readonly module?: RegExp;
  /** Words that may or must stand before the script. */
  readonly runWords?: RegExp;
}

const RUNTIMES: readonly Runtime[] = [
  {
    name: /^node(js)?[\d.]*$/,
    inline: /^(-[ep]+|--eval|--print|-)$/,
    takesValue: /^(-r|--require|--import|--(experimental-)?loader|-C|--conditions|--title)$/,
  },
  {
    name: /^bun(-profile|-debug)?$/,
    inline: /^(-[ep]|--eval|--print|-)$/,
    takesValue: /^(-r|--preload|--cwd|-c|--config|--env-file)$/,
    runWords: /^(run|x)$/,
  },
  {
    name: /^deno$/,
    inline: /^(eval|repl|-)$/,
    takesValue: /^(-c|--config|--import-map|--cert|-L|--log-level)$/,
    runWords: /^run$/,
  },
  {
    name: /^(python|pypy)[\d.]*$/i,
    inline: /^(-[a-zA-Z]*c|-)$/,
    takesValue: /^-[WXQ]$/,
    module: /^-[a-zA-Z]*m$/,
  },
  {
    name: /^-?(ba|z|da|a|k|fi|tc|c)?sh$/,
    inline: /^-[a-zA-Z]*c$/,
    takesValue: /^([-+][oO]|--rcfile|--init-file)$/,
  },
];

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A shell that runs no script file: a prompt, or a command line given by `-c`. */
export function isBareShell(row: ProcessRow): boolean {
  const isShell = RUNTIMES.at(-1)?.name.test(baseName(row.argv?.[0] ?? row.comm)) ?? false;
  return isShell && commandOf(row).script === null;
}

/** Reads a row by position. `comm` stands in for a program path that was not read. */
export function commandOf(row: ProcessRow): Command {
  const argv = row.argv ?? [];
  const loaded = row.exe ?? row.comm;
  const programs = argv[0] === undefined ? [loaded, row.comm] : [argv[0], loaded, row.comm];
  const names = [argv[0] ?? "", loaded].map(baseName);
  const runtime = RUNTIMES.find((candidate) => names.some((name) => candidate.name.test(name)));
  if (runtime === undefined) return { programs, script: null, module: null, args: argv.slice(1) };
  return { programs, ...scriptOf(argv, runtime) };
}

function scriptOf(argv: readonly string[], runtime: Runtime): Omit<Command, "programs"> {
  const none = { script: null, module: null, args: argv.slice(1) };
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (runtime.inline.test(word)) return none;
    if (runtime.module?.test(word) === true) {
      return { script: null, module: argv[at + 1] ?? null, args: argv.slice(at + 2) };
    }
    if (runtime.takesValue.test(word)) at++;
    else if (!/^[-+]/.test(word) && runtime.runWords?.test(word) !== true) {
      return { script: word, module: null, args: argv.slice(at + 1) };
    }
  }
  return none;
}

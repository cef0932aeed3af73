/**
 * The command line that goes into configs, and its recogniser: they live together, so that what the
 * one writes the other knows. Pure.
 */

import { shellQuote } from "../core/shell/shell_quote.ts";

export interface CommandParts {
  /** Absolute path of the staged launcher. */
  readonly launcher: string;
  readonly provider: string;
  readonly event: string;
}

export interface OwnCommand {
  /** As it is written: of an older release it may hold `$HOME` or `~`. */
  readonly launcher: string;
  readonly provider: string;
  /** Null in commands of releases that left the event to the payload. */
  readonly event: string | null;
}

/**
 * One POSIX sh line with its own guard: without the launcher it is silent, leaves stdin alone and
 * ends with 0. `exec`, so that the launcher's parent is the agent and no second shell is kept.
 */
export function hookCommand({ launcher, provider, event }: CommandParts): string {
  const path = shellQuote(launcher);
  return `[ -x ${path} ] && exec ${path} ${shellQuote(provider)} --event ${
    shellQuote(event)
  }; exit 0`;
}

/** What a command of ours says, in its current or an older spelling; null for one of others. */
export function parseOwnCommand(text: string): OwnCommand | null {
  const words = splitWords(text.trim());
  if (words === null) return null;
  return guarded(words) ?? plain(words) ?? binary(words);
}

/** Whether a command line is ours; one that merely contains our name is not. */
export function isOurCommand(text: string): boolean {
  return parseOwnCommand(text) !== null;
}

/** `[ -x L ] && exec L provider …; exit 0`, and the same without `exec` or with `test` or `|| :`. */
function guarded(words: readonly string[]): OwnCommand | null {
  const at = words[0] === "[" ? 1 : words[0] === "test" ? 1 : -1;
  if (at === -1 || !/^-[xfer]$/.test(words[at] ?? "") || !isLauncher(words[at + 1])) return null;
  let next = at + 2;
  if (words[0] === "[" && words[next++] !== "]") return null;
  if (words[next++] !== "&&") return null;
  if (words[next] === "exec") next++;
  return words[next] === words[at + 1] ? plain(words.slice(next)) : null;
}

/** `L provider [--event E]`, and what older releases put behind it to be silent. */
function plain(words: readonly string[]): OwnCommand | null {
  const [launcher, ...rest] = withoutTail(words) ?? [];
  return isLauncher(launcher) ? withArguments(launcher, rest) : null;
}

/** `mytty hook provider …`, as it can be written by hand. */
function binary([program = "", verb, ...rest]: readonly string[]): OwnCommand | null {
  if (verb !== "hook" || !/(^|\/)mytty$/.test(program)) return null;
  const args = withoutTail(rest);
  return args === null ? null : withArguments(program, args);
}

/** Without what makes the end a good one; null when something else is done there. */
function withoutTail(words: readonly string[]): readonly string[] | null {
  const end = words.findIndex((word) => word === ";" || word === "||");
  if (end === -1) return words;
  const tail = words.slice(end + 1).join(" ");
  return tail === "" || /^(exit 0|true|:)$/.test(tail) ? words.slice(0, end) : null;
}

function withArguments(launcher: string, words: readonly string[]): OwnCommand | null {
  const args = words.filter((word) => !/^(2?>>?(\/dev\/null)?|\/dev\/null|2>&1)$/.test(word));
  const [provider = "", ...flags] = args;
  if (!/^[a-z0-9-]{1,64}$/.test(provider)) return null;
  if (flags.length === 0) return { launcher, provider, event: null };
  if (flags.length !== 2 || flags[0] !== "--event") return null;
  return { launcher, provider, event: flags[1]! };
}

/** Whatever folder it lies in: state folders move. */
function isLauncher(word: string | undefined): word is string {
  return word !== undefined && /(^|\/)mytty-hook(\.sh)?$/.test(word);
}

const TOKEN = /\s+|\d>&\d|&&|\|\||;|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\;&|])+|./gsy;

/** Words as a shell splits them; null for anything that is more than words, `&&`, `||` and `;`. */
function splitWords(text: string): string[] | null {
  const words: string[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^\s/.test(token)) {
      if (token.includes("\n")) return null;
      continue;
    }
    if (/^(&|\||'|"|\\)$/.test(token) || /[`]|\$\(/.test(unquotedPart(token))) return null;
    words.push(unquote(token));
  }
  return words;
}

function unquotedPart(token: string): string {
  return token.replace(/\\.|'[^']*'/gs, "");
}

function unquote(token: string): string {
  return token.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
    (_, single?: string, double?: string, escaped?: string) =>
      single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? "",
  );
}

/**
 * Which processes are a provider's agent: the signature a provider record carries, and its match
 * against executable and argv positions of a row.
 */

import { type ArgvEffects, argvEffects } from "./argv_effects.ts";
import { baseName, type Command, commandOf, isBareShell } from "./process_command.ts";
import type { ProcessRow } from "./process.ts";

/**
 * Path patterns compare whole segments from the end: "claude-code/cli.js". `*` stands for any
 * segment, `{version}` for one that begins like a version ("2.1.185", "2026.01.02-ab12").
 */
export interface Signature {
  /** Base names of the program, or of the script a runtime runs; exact, case matters. */
  readonly names: readonly string[];
  /** Names too common to count alone, and the patterns (program or script) that confirm them. */
  readonly weakNames?: Readonly<Record<string, readonly string[]>>;
  /** Path patterns of the program itself: "claude/versions/{version}". */
  readonly programs?: readonly string[];
  /** Path patterns of the script that node, bun, deno, python or a shell runs. */
  readonly scripts?: readonly string[];
  /** Modules of `python -m`. */
  readonly modules?: readonly string[];
  /** Names under which the program calls itself for other work (claude as "rg"): no agent. */
  readonly auxiliaryNames?: readonly string[];
  /** Effects of the first word that is no option. */
  readonly subcommands?: ArgvEffects;
  /** Effects of options, "--print" also as "--print=…"; not looked for after "--". `--help` and `--version` of any. */
  readonly flags?: ArgvEffects;
  /** Options whose value is the next word, so that "-m exec" is no subcommand. */
  readonly valueFlags?: readonly string[];
}

/** The part of a provider record that matching needs. */
export interface SignedProvider {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly signature: Signature;
}

export interface ProcessMatch {
  readonly provider: string;
  /** A person can sit in front of it: a terminal, and no word that says otherwise. */
  readonly interactive: boolean;
  /** One process for sessions of many panes: its environment and ancestry prove no pane. */
  readonly shared: boolean;
}

/** A path pattern is more specific than a name, and wins between providers. */
const PATH_SCORE = 2;
const NAME_SCORE = 1;
/** The kernel cuts `comm` here. */
const COMM_LENGTH = 15;

/**
 * The provider whose agent this process is, or null.
 *
 * `hint` is the row's own MYTTY_AGENT value: believed only where nothing else matches, and never
 * for a bare shell, which exports the variable without being an agent.
 */
export function matchProcess(
  row: ProcessRow,
  providers: readonly SignedProvider[],
  options: { readonly hint?: string | undefined } = {},
): ProcessMatch | null {
  let matches = MATCHES.get(providers);
  if (matches === undefined) MATCHES.set(providers, matches = new WeakMap());
  let result = matches.get(row);
  if (result === undefined) matches.set(row, result = signedMatch(row, providers));
  if (result === "none") return hintedMatch(row, providers, options.hint);
  return result === "auxiliary" ? null : result;
}

type MatchResult = ProcessMatch | "none" | "auxiliary";

/** Rows and records never change, and most rows come again with every pass. */
const MATCHES = new WeakMap<readonly SignedProvider[], WeakMap<ProcessRow, MatchResult>>();

function signedMatch(row: ProcessRow, providers: readonly SignedProvider[]): MatchResult {
  const command = commandOf(row);
  const { programs, script } = command;
  const names = new Set([...programs, ...(script === null ? [] : [script])].map(plainName));
  let best: SignedProvider | undefined;
  let bestScore = 0;
  for (const provider of providers) {
    const score = scoreOf(row, provider.signature, { command, names });
    if (score > bestScore) [best, bestScore] = [provider, score];
  }
  if (best === undefined) return "none";
  const effects = argvEffects(command.args, best.signature);
  if (effects.has("auxiliary")) return "auxiliary";
  const isShared = effects.has("shared");
  return {
    provider: best.id,
    interactive: row.tty !== null && !isShared && !effects.has("headless"),
    shared: isShared,
  };
}

function hintedMatch(
  row: ProcessRow,
  providers: readonly SignedProvider[],
  hint: string | undefined,
): ProcessMatch | null {
  const word = hint?.trim().toLowerCase() ?? "";
  if (word === "" || isBareShell(row)) return null;
  const named = providers.find(({ id, aliases }) =>
    id === word || aliases?.includes(word) === true
  );
  if (named === undefined) return null;
  return { provider: named.id, interactive: row.tty !== null, shared: false };
}

function scoreOf(
  row: ProcessRow,
  signature: Signature,
  context: { readonly command: Command; readonly names: ReadonlySet<string> },
): number {
  if (signature.auxiliaryNames?.includes(baseName(row.argv?.[0] ?? "")) === true) return 0;
  const { command: { programs, script, module }, names } = context;
  const scripts = script === null ? [] : [script];
  if (matchesAny(programs, signature.programs) || matchesAny(scripts, signature.scripts)) {
    return PATH_SCORE;
  }
  if (module !== null && signature.modules?.includes(module) === true) return PATH_SCORE;
  if (signature.names.some((name) => names.has(name) || isCut(row, name))) return NAME_SCORE;
  const confirmed = Object.entries(signature.weakNames ?? {}).some(([name, patterns]) =>
    names.has(name) && matchesAny([...programs, ...scripts], patterns)
  );
  return confirmed ? NAME_SCORE : 0;
}

/** Only where argv hides: else a 15-letter prefix would be a guess although the name is known. */
function isCut(row: ProcessRow, name: string): boolean {
  return (row.argv ?? []).length === 0 && name.length > COMM_LENGTH &&
    row.comm === name.slice(0, COMM_LENGTH);
}

/** Base name without what packagers put around the real program (Nix ".codex-wrapped"). */
function plainName(path: string): string {
  return baseName(path).replace(/\.exe$/, "").replace(/^\.(?=.)/, "")
    .replace(/[-.](un)?wrapped_?$/, "");
}

function matchesAny(paths: readonly string[], patterns: readonly string[] = []): boolean {
  return patterns.some((pattern) => paths.some((path) => matchesPath(path, pattern)));
}

/** True when the last segments of `path` are those of `pattern`. */
export function matchesPath(path: string, pattern: string): boolean {
  // Most paths differ in the last segment already; splitting all of them would cost a pass.
  if (!matchesSegment(baseName(path), baseName(pattern))) return false;
  const wanted = pattern.split("/");
  const given = path.split("/").slice(-wanted.length);
  return given.length === wanted.length &&
    wanted.every((segment, at) => matchesSegment(given[at] ?? "", segment));
}

function matchesSegment(given: string, wanted: string): boolean {
  if (wanted === "*") return given !== "";
  if (wanted === "{version}") return /^v?\d+\.\d+/.test(given);
  return given === wanted;
}

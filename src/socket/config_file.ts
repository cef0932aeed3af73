/**
 * The configuration file as it is on disk: JSONC, read at start and whenever it changes. One that
 * cannot be used is said so, and the last good one stays in force.
 */

import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { duplicateKeys } from "./duplicate_keys.ts";
import { type Config, type ConfigResult, DEFAULT_CONFIG, parseConfig } from "../core/config.ts";

const WATCH_MS = 1_000;

/** A configuration is small; a file beyond this is a mistake, and is not read. */
const MAX_BYTES = 1_048_576;

const DEFAULTS: ConfigResult = { ok: true, config: DEFAULT_CONFIG, notes: [] };

/** What is wrong is a list of sentences; a syntax error names its line. */
export function parseConfigText(text: string): ConfigResult {
  const errors: ParseError[] = [];
  const value = parse(text.replace(/^\ufeff/, ""), errors, { allowTrailingComma: true });
  // An empty file, or one of comments only, says nothing: the defaults hold.
  if (value === undefined && errors.every(({ offset }) => offset >= text.trimEnd().length)) {
    return DEFAULTS;
  }
  if (errors.length === 0) {
    const twice = duplicateKeys(text);
    return twice.length > 0 ? { ok: false, issues: twice } : parseConfig(value);
  }
  return { ok: false, issues: errors.map((error) => syntaxIssue(text, error)) };
}

function syntaxIssue(text: string, { error, offset }: ParseError): string {
  const before = text.slice(0, offset).split("\n");
  const words = printParseErrorCode(error).replace(/(?<!^)([A-Z])/g, " $1").toLowerCase();
  return `line ${before.length}, column ${before.at(-1)!.length + 1}: ${words}`;
}

/** Null when there is no file: the defaults hold. */
export function readConfigText(path: string): string | null {
  try {
    const { size } = Deno.statSync(path);
    if (size > MAX_BYTES) throw new Error(`Refusing "${path}": it has ${size} bytes`);
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** Reads and checks the file as it is now; never throws. */
export function loadConfig(path: string): ConfigResult {
  try {
    const text = readConfigText(path);
    return text === null ? DEFAULTS : parseConfigText(text);
  } catch (error) {
    return { ok: false, issues: [error instanceof Error ? error.message : String(error)] };
  }
}

export class ConfigFile {
  readonly path: string;
  readonly #log: (text: string) => void;
  #current: Config = DEFAULT_CONFIG;
  #issues: readonly string[] = [];
  #stamp: string;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(path: string, log: (text: string) => void) {
    this.path = path;
    this.#log = log;
    this.#stamp = stampOf(path);
    this.#load();
  }

  /** The last good configuration. */
  get current(): Config {
    return this.#current;
  }

  /** Why the file as it is now is not in force; empty when it is. */
  get issues(): readonly string[] {
    return this.#issues;
  }

  watch(): void {
    this.#timer ??= setInterval(() => this.check(), WATCH_MS);
  }

  /** One look; what the watch does every second. */
  check(): void {
    const stamp = stampOf(this.path);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    if (this.#load()) this.#log(`configuration read anew from "${this.path}"`);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #load(): boolean {
    const result = loadConfig(this.path);
    this.#issues = result.ok ? [] : result.issues;
    if (result.ok) {
      this.#current = result.config;
      return true;
    }
    const [first, ...rest] = result.issues;
    const more = rest.length === 0 ? "" : ` (and ${rest.length} more; mytty config check)`;
    this.#log(`configuration "${this.path}" is not used: ${first}${more}`);
    return false;
  }
}

/** Editors write in place or rename; either changes one of these. */
function stampOf(path: string): string {
  try {
    const { mtime, size, ino } = Deno.statSync(path);
    return `${mtime?.getTime()} ${size} ${ino}`;
  } catch {
    return "";
  }
}

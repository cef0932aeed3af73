/**
 * Pure readers of what `ps` and `lsof` print on macOS.
 *
 * `ps` joins arguments with blanks, so words that hold blanks come apart: argv is by position for
 * the program and its first plain words, and approximate behind a prompt.
 */

import type { ProcessRow } from "../core/process/process.ts";

/**
 * Columns of the table. `ucomm` (the name of the file that was executed, at most 16 letters) and
 * not `comm`, which would be a path cut off at 16 letters; only the last column is whole.
 */
export const PS_COLUMNS = "pid=,ppid=,pgid=,tpgid=,uid=,stat=,tty=,lstart=,ucomm=,args=";

const LINE =
  /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(-?\d+)\s+(-?\d+)\s+(\S+)\s+(\S+)\s+(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\s+(\S.*)$/;
const NAME_WIDTH = 16;

export interface PsOptions {
  /** Width of the name column: 16 on macOS. */
  readonly nameWidth?: number;
}

/** Rows of a table; zombies and lines that are none are left out. */
export function parsePs(text: string, options: PsOptions = {}): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const line of text.split("\n")) {
    const row = parsePsLine(line, options.nameWidth ?? NAME_WIDTH);
    if (row !== null) rows.push(row);
  }
  return rows;
}

function parsePsLine(line: string, nameWidth: number): ProcessRow | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const [, pid, ppid, pgid, tpgid, uid, stat = "", tty = "", startTime = "", rest = ""] = match;
  if (stat.startsWith("Z")) return null;
  const device = ttyPath(tty);
  return {
    pid: Number(pid),
    ppid: Number(ppid),
    pgid: Number(pgid),
    // `sess` is a kernel address on macOS, or zero: it tells nothing.
    sid: 0,
    tty: device,
    foregroundPgid: device === null || Number(tpgid) <= 0 ? -1 : Number(tpgid),
    startTime,
    comm: rest.slice(0, nameWidth).trimEnd(),
    argv: rest.slice(nameWidth).trim().split(/\s+/).filter((word) => word !== ""),
    // Wraps below zero for "nobody".
    uid: Number(uid) >>> 0,
  };
}

/** "ttys003" and "s003" are the same terminal; "??" and "-" are none. */
export function ttyPath(name: string): string | null {
  if (/^[?-]+$/.test(name)) return null;
  if (name.startsWith("/dev/")) return name;
  return /^(s\d+|p\w+)$/.test(name) ? `/dev/tty${name}` : `/dev/${name}`;
}

/**
 * The named variables from `ps -E -o command=`, which prints them behind the arguments. `command`
 * is the same line without them: an argument "TMUX=…" is no variable.
 */
export function pickPsEnv(
  text: string,
  names: readonly string[],
  command: string,
): Record<string, string> {
  const line = text.trimEnd();
  const start = line.startsWith(command.trim()) ? command.trim().length : 0;
  const found: Record<string, string> = {};
  // A value runs on to the next word that looks like a setting: values may hold blanks.
  for (const [, name = "", value = ""] of line.slice(start).matchAll(SETTING)) {
    if (names.includes(name) && !Object.hasOwn(found, name)) found[name] = value;
  }
  return found;
}

const SETTING = /(?<=\s)([A-Za-z_]\w*)=(.*?)(?=\s+[A-Za-z_]\w*=|$)/gs;

/** Paths from `lsof -F ftn`: one field a line, `f` opens a descriptor. */
export function parseLsof(text: string): { readonly cwd: string | null; readonly files: string[] } {
  let cwd: string | null = null;
  let descriptor = "";
  let type = "";
  const files = new Set<string>();
  for (const line of text.split("\n")) {
    const value = line.slice(1);
    if (line.startsWith("f")) descriptor = value;
    else if (line.startsWith("t")) type = value;
    else if (line.startsWith("n") && value.startsWith("/")) {
      if (descriptor === "cwd") cwd = value;
      else if (type === "REG" && /^\d/.test(descriptor)) files.add(value);
    }
  }
  return { cwd, files: [...files] };
}

/**
 * Pure readers of Linux `/proc/<pid>` texts: the stat line, the terminal number, the argument and
 * environment blocks.
 */

import type { ProcessRow } from "../core/process/process.ts";

/** One stat line: the row's fixed part, and what the reader needs to keep its cache honest. */
export interface ProcessStat {
  readonly row: ProcessRow;
  /** Ended, only waiting for its parent to look. */
  readonly isDead: boolean;
  readonly isKernelThread: boolean;
  /** Differs after an exec or a changed title; memory addresses, zero for other users' processes. */
  readonly image: string;
}

/** Include/linux/sched.h PF_KTHREAD. */
const KERNEL_THREAD_FLAG = 0x00200000;

/**
 * Null for anything that is no stat line. The name may hold spaces, parentheses and newlines, so
 * it ends at the LAST parenthesis: behind it come numbers only.
 */
export function parseStat(text: string): ProcessStat | null {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open < 1 || close < open) return null;
  const pid = Number(text.slice(0, open).trim());
  // Field 3 of proc_pid_stat(5) is fields[0].
  const fields = text.slice(close + 1).trim().split(" ");
  const number = (field: number) => Number(fields[field - 3]);
  const startTime = fields[22 - 3];
  if (!Number.isSafeInteger(pid) || pid <= 0 || startTime === undefined) return null;
  const state = fields[0] ?? "";
  return {
    row: {
      pid,
      ppid: number(4),
      pgid: number(5),
      sid: number(6),
      tty: ttyName(number(7)),
      foregroundPgid: number(8),
      startTime,
      comm: text.slice(open + 1, close),
    },
    // A leader that left its threads running shows as a zombie too, and lives.
    isDead: state === "X" || state === "x" || (state === "Z" && number(20) <= 1),
    isKernelThread: (number(9) & KERNEL_THREAD_FLAG) !== 0,
    image: [26, 28, 48, 49].map((field) => fields[field - 3] ?? "").join(" "),
  };
}

/** The device path of a `tty_nr`; null for none. */
export function ttyName(number: number): string | null {
  if (!Number.isInteger(number) || number === 0) return null;
  const device = number >>> 0;
  const major = (device >>> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
  if (major >= 136 && major <= 143) return `/dev/pts/${minor + (major - 136) * 256}`;
  if (major === 4) return minor < 64 ? `/dev/tty${minor}` : `/dev/ttyS${minor - 64}`;
  if (major === 5 && minor === 1) return "/dev/console";
  // No list of drivers is complete; udev keeps this path for every device.
  return `/dev/char/${major}:${minor}`;
}

/** Words of `cmdline`. Padding at the end is no word: a changed title leaves the rest empty. */
export function parseWords(block: string): string[] {
  const words = block.replace(/\0+$/, "").split("\0");
  return words.length === 1 && words[0] === "" ? [] : words;
}

/** The named variables of `environ`; the first setting counts, as it does for getenv(3). */
export function pickEnv(block: string, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of block.split("\0")) {
    const at = entry.indexOf("=");
    if (at < 1) continue;
    const name = entry.slice(0, at);
    if (names.includes(name) && !Object.hasOwn(found, name)) found[name] = entry.slice(at + 1);
  }
  return found;
}

type Details = Pick<ProcessRow, "argv" | "exe">;

/**
 * Words that were read before count on where a program wrote its name over them ("pi", "kimi-code"),
 * and where they are gone because it is about to end: it is still the command that was typed. An
 * exec, which gives it new words, changes its image.
 */
export function keptWords(
  details: Details,
  { same, image }: {
    readonly same: { readonly row: Details; readonly image: string } | undefined;
    readonly image: string;
  },
): Details {
  const argv = same?.row.argv ?? [];
  const count = details.argv?.length ?? 0;
  const isTitle = count === 1 && same?.image === image && same.row.exe === details.exe;
  return argv.length > count && (count === 0 || isTitle) ? { ...details, argv } : details;
}

/** Pure: colours, widths and durations for people. Text from outside is made harmless first. */

import { terminalLine } from "../core/text.ts";
import type { Screen } from "./terminal.ts";

const CODES = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  grey: 90,
  bold: 1,
};

export type Colour = keyof typeof CODES;

export function paint(text: string, colour: Colour, screen: Screen): string {
  return screen.colour ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text;
}

/** Columns that `text` takes: wide characters (CJK, emoji) two, combining marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char.codePointAt(0)!);
  return width;
}

/** One harmless line of at most `width` columns, with an ellipsis where it was cut. */
export function fit(text: string, width: number): string {
  const line = terminalLine(text);
  if (displayWidth(line) <= width) return line;
  let out = "";
  let used = 0;
  for (const char of line) {
    used += charWidth(char.codePointAt(0)!);
    if (used > width - 1) break;
    out += char;
  }
  return width > 0 ? `${out}…` : "";
}

export function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

/** "8s", "4m", "3h", "2d": short enough for a narrow column. */
export function duration(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

function charWidth(code: number): number {
  if (code < 0x300) return 1;
  if (/\p{Mark}|\u200d|\ufe0f/u.test(String.fromCodePoint(code))) return 0;
  const isWide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) || (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return isWide ? 2 : 1;
}

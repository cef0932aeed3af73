/** Pure: what must be read whole is wrapped at words, not cut. Text is made harmless first. */

import { terminalLine } from "../core/text.ts";
import { displayWidth } from "./paint.ts";

/** At least one line; a word is broken only where it is longer than a whole line. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of terminalLine(text).split(" ")) {
    if (line !== "" && displayWidth(`${line} ${word}`) > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    while (displayWidth(line) > width) {
      const begin = beginning(line, width);
      lines.push(begin);
      line = line.slice(begin.length);
    }
  }
  return line === "" && lines.length > 0 ? lines : [...lines, line];
}

/** At least one character, however narrow it is. */
function beginning(line: string, width: number): string {
  let out = "";
  for (const char of line) {
    if (out !== "" && displayWidth(out + char) > width) break;
    out += char;
  }
  return out;
}

/** Below this, text stands under its label and not beside it. */
const ROOMY = 24;
const INDENT = 4;

export type Label = {
  /** As it is written, colours and the space behind it included. */
  readonly text: string;
  readonly width: number;
};

/** A label and what there is to say to it. */
export function labelled(label: Label, text: string, width: number): string[] {
  const room = width - label.width;
  const longest = Math.max(...terminalLine(text).split(" ").map(displayWidth));
  if (displayWidth(terminalLine(text)) <= room || (room >= ROOMY && longest <= room)) {
    const [first, ...rest] = wrapped(text, room);
    const below = rest.map((line) => " ".repeat(label.width) + line);
    return [`${label.text}${first}`.trimEnd(), ...below];
  }
  const lines = wrapped(text, Math.max(1, width - INDENT));
  return [label.text.trimEnd(), ...lines.map((line) => " ".repeat(INDENT) + line)];
}

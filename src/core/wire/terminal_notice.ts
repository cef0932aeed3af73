/**
 * Pure: a notice as bytes for a terminal: OSC 9, 99 or 777, or the bell; wrapped for tmux where
 * needed. The texts are single harmless lines already; here nothing may end the sequence early.
 */

import { boundedText, stripControl } from "../text.ts";

export type TerminalStyle = "osc9" | "osc99" | "osc777" | "bell";

export const BELL = "\x07";

export type TerminalWords = { readonly id: string; readonly title: string; readonly body: string };

export function terminalNotice(style: TerminalStyle, words: TerminalWords): string {
  const title = safe(words.title, 200);
  const body = safe(words.body, 400);
  switch (style) {
    case "bell":
      return BELL;
    case "osc9":
      return `\x1b]9;${notANumber(body === "" ? title : `${title}: ${body}`)}${BELL}`;
    case "osc777":
      return `\x1b]777;notify;${title.replaceAll(";", ",")};${body}${BELL}`;
    case "osc99": {
      const id = words.id.replace(/[^a-zA-Z0-9_+.-]/g, "");
      const head = `\x1b]99;i=${id}:d=0:p=title;${title}\x1b\\`;
      return `${head}\x1b]99;i=${id}:d=1:p=body;${body}\x1b\\`;
    }
  }
}

/** tmux passes a sequence on to the terminal around it when `allow-passthrough` is on. */
export function tmuxPassthrough(sequence: string): string {
  return `\x1bPtmux;${sequence.replaceAll("\x1b", "\x1b\x1b")}\x1b\\`;
}

function safe(text: string, length: number): string {
  return boundedText(stripControl(text), length);
}

/** "9;4;…" is a progress report, and other numbers mean other things. */
function notANumber(text: string): string {
  return /^\d/.test(text) ? ` ${text}` : text;
}

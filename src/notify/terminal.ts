/**
 * The pane's own terminal: the notice is written to its tty, as a program in it would. Never opened
 * as our controlling terminal, never waited for: a stopped terminal is an error, not a hang.
 */

import fs from "node:fs";
import type { NoticePlace } from "../core/notify/notice.ts";
import {
  BELL,
  terminalNotice,
  type TerminalStyle,
  tmuxPassthrough,
} from "../core/wire/terminal_notice.ts";
import type { Channel, Delivery } from "./channel.ts";
import { askTmux, type TmuxPane, tmuxPaneOf } from "./tmux.ts";

const TTY = /^\/dev\/(pts\/\d+|tty[\w.-]+)$/;

export class TerminalChannel implements Channel {
  readonly name = "terminal";

  async deliver({ notice, config, signal }: Delivery): Promise<string | null> {
    const { tty } = notice.place;
    if (tty === null) return "no terminal is known for the pane";
    const { style: wanted, bell } = config.channels.terminal;
    const style = wanted === "auto" ? styleFor(notice.place) : wanted;
    const ring = bell || style === "bell" ? BELL : "";
    const pane = tmuxPaneOf(notice.place.multiplexer);
    const words = style === "bell" ? "" : terminalNotice(style, notice);
    if (pane === null) return write(tty, words + ring);
    if (words !== "" && !await passesThrough(pane, signal)) {
      if (ring !== "") write(tty, ring);
      return "tmux does not pass it on; `set -g allow-passthrough on` lets it";
    }
    return write(tty, (words === "" ? "" : tmuxPassthrough(words)) + ring);
  }
}

/** By the terminal the pane is known to be in; OSC 9 is what most of the others understand. */
function styleFor({ multiplexer }: NoticePlace): TerminalStyle {
  if (multiplexer?.startsWith("kitty:")) return "osc99";
  return multiplexer?.startsWith("wezterm:") ? "osc777" : "osc9";
}

async function passesThrough({ socket, pane }: TmuxPane, signal: AbortSignal): Promise<boolean> {
  const args = ["show-options", "-Apv", "-t", pane, "allow-passthrough"];
  const value = (await askTmux(socket, args, signal)).trim();
  return value === "on" || value === "all";
}

function write(tty: string, text: string): null {
  if (!TTY.test(tty)) throw new Error(`"${tty}" is no terminal`);
  const { O_WRONLY, O_NOCTTY, O_NONBLOCK } = fs.constants;
  const file = fs.openSync(tty, O_WRONLY | O_NOCTTY | O_NONBLOCK);
  try {
    if (!fs.fstatSync(file).isCharacterDevice()) throw new Error(`"${tty}" is no terminal`);
    const bytes = new TextEncoder().encode(text);
    // All or nothing: half a sequence would swallow what the agent writes next.
    const written = fs.writeSync(file, bytes);
    if (written < bytes.length) fs.writeSync(file, new TextEncoder().encode("\x1b\\"));
  } finally {
    fs.closeSync(file);
  }
  return null;
}

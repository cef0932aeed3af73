/**
 * The desktop: notify-send (any D-Bus notification daemon), terminal-notifier or osascript. Texts go
 * in arguments of their own or on stdin, never into a script. What was answered is taken back where
 * the program can do so.
 */

import type { Notice } from "../core/notify/notice.ts";
import { type Channel, type Delivery, DELIVERY_MS } from "./channel.ts";
import { findProgram, runProgram } from "./program.ts";

export const DESKTOP_PROGRAMS = ["notify-send", "terminal-notifier", "osascript"] as const;

export type DesktopProgram = typeof DESKTOP_PROGRAMS[number];

export type DesktopRun = { readonly args: readonly string[]; readonly stdin?: string };

const APPLESCRIPT = [
  "on run argv",
  "display notification (item 2 of argv) with title (item 1 of argv)",
  "end run",
];

/** Pure: how each program is asked to show the notice. */
export function desktopRun(program: DesktopProgram, { id, title, body, kind }: Notice): DesktopRun {
  switch (program) {
    case "notify-send": {
      const urgency = kind === "completion" || kind === "message" ? "low" : "normal";
      const options = ["--app-name=mytty", `--urgency=${urgency}`, "--print-id"];
      return { args: [...options, "--", title, markupFree(body)] };
    }
    case "terminal-notifier":
      // A title that begins with a hyphen or a bracket would be read as an option or a list.
      return { args: ["-group", id, "-title", title.replace(/^([-[])/, " $1")], stdin: body };
    case "osascript":
      return { args: [...APPLESCRIPT.flatMap((line) => ["-e", line]), "--", title, body] };
  }
}

/** Notification daemons read the body as markup. */
function markupFree(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const MAX_SHOWN = 200;

export class DesktopChannel implements Channel {
  readonly name = "desktop";
  /** Notice id to the daemon's number, to take it back. */
  readonly #shown = new Map<string, string>();

  async deliver({ notice, signal }: Delivery): Promise<null> {
    const program = findProgram(DESKTOP_PROGRAMS) as DesktopProgram | null;
    if (program === null) {
      throw new Error(`No program to notify with; install one of ${DESKTOP_PROGRAMS.join(", ")}`);
    }
    const { args, stdin } = desktopRun(program, notice);
    const { code, stdout } = await runProgram({
      program,
      args,
      env: sessionBus(),
      signal: AbortSignal.any([signal, AbortSignal.timeout(DELIVERY_MS)]),
      ...(stdin === undefined ? {} : { stdin }),
    });
    if (code !== 0) throw new Error(`${program} ended with status ${code}; ${hint(program)}`);
    this.#remember(notice.id, program === "notify-send" ? stdout.trim() : notice.id);
    return null;
  }

  async withdraw({ notice, signal }: Delivery): Promise<void> {
    const number = this.#shown.get(notice.id);
    this.#shown.delete(notice.id);
    if (number === undefined) return;
    const program = findProgram(["terminal-notifier", "gdbus", "dbus-send"]);
    if (program === null) return;
    const args = closeArguments(program, number);
    if (args !== null) await runProgram({ program, args, env: sessionBus(), signal });
  }

  #remember(id: string, number: string): void {
    this.#shown.set(id, number);
    if (this.#shown.size > MAX_SHOWN) this.#shown.delete(this.#shown.keys().next().value!);
  }
}

const BUS_NAME = "org.freedesktop.Notifications";
const BUS_PATH = "/org/freedesktop/Notifications";

function closeArguments(program: string, number: string): readonly string[] | null {
  if (program === "terminal-notifier") return ["-remove", number];
  if (!/^\d+$/.test(number)) return null;
  const method = `${BUS_NAME}.CloseNotification`;
  return program === "gdbus"
    ? ["call", "--session", "-d", BUS_NAME, "-o", BUS_PATH, "-m", method, number]
    : ["--session", `--dest=${BUS_NAME}`, BUS_PATH, method, `uint32:${number}`];
}

/** A server that was not started from the desktop session does not have the bus's address. */
function sessionBus(): Record<string, string> {
  if (Deno.env.get("DBUS_SESSION_BUS_ADDRESS")) return {};
  const path = `/run/user/${Deno.uid() ?? 0}/bus`;
  try {
    return Deno.statSync(path).isSocket ? { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` } : {};
  } catch {
    return {};
  }
}

function hint(program: DesktopProgram): string {
  return program === "notify-send"
    ? "is a notification daemon running?"
    : "is it allowed to notify?";
}

/** The doctor's checks of terminal, multiplexer and sandbox, from this process's surroundings. */

import type { Check } from "../views/doctor_page.ts";
import { terminal } from "../views/terminal.ts";

const GROUP = "Terminal";

type Get = (name: string) => string | undefined;

/** Terminals known to show OSC 9, 99 or 777 as a notification. */
const NOTIFYING = /kitty|wezterm|iterm|ghostty|foot|warp|rxvt|konsole/i;

export function terminalCheck(get: Get): Check {
  const name = get("TERM_PROGRAM") ?? get("TERM") ?? "unknown";
  const { width, colour } = terminal();
  const notifies = NOTIFYING.test(`${name} ${get("TERM") ?? ""} ${get("LC_TERMINAL") ?? ""}`);
  const words = notifies ? "shows notifications" : "not known to show notifications";
  return {
    group: GROUP,
    name: "terminal",
    state: "note",
    detail: `${name}, ${width} columns, ${colour ? "colours" : "no colours"}, ${words}`,
    next: null,
  };
}

export async function multiplexerChecks(get: Get): Promise<Check[]> {
  if (get("ZELLIJ") !== undefined) return [plain("Zellij: panes are told by process and id")];
  const socket = /^(.+),\d+,\d+$/.exec(get("TMUX") ?? "")?.[1];
  if (socket === undefined) return [plain("none")];
  const version = await tmux(socket, ["-V"]);
  if (version === null) {
    return [{
      ...plain("tmux does not answer"),
      state: "warn",
      next: `Try it: tmux -S ${socket} list-panes`,
    }];
  }
  const [focus, passthrough] = await Promise.all([
    tmux(socket, ["show-options", "-gsv", "focus-events"]),
    tmux(socket, ["show-options", "-gwv", "allow-passthrough"]),
  ]);
  return [
    { ...plain(version), state: "ok" },
    option("focus-events", focus, "so that the pane you look at is not announced"),
    option("allow-passthrough", passthrough, "so that the terminal channel gets through"),
  ];
}

function plain(detail: string): Check {
  return { group: GROUP, name: "multiplexer", state: "note", detail, next: null };
}

function option(name: string, value: string | null, why: string): Check {
  const isOn = value === "on" || value === "all";
  return {
    group: GROUP,
    name,
    state: isOn ? "ok" : "note",
    detail: value === null ? "unknown to this tmux" : value,
    next: isOn || value === null ? null : `tmux set -g ${name} on, ${why}`,
  };
}

async function tmux(socket: string, args: readonly string[]): Promise<string | null> {
  try {
    const { success, stdout } = await new Deno.Command("tmux", {
      args: ["-S", socket, ...args],
      stdin: "null",
      stderr: "null",
      signal: AbortSignal.timeout(1_000),
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : null;
  } catch {
    return null;
  }
}

/** Variables by which agents mark the sandboxes they run commands in. */
const SANDBOX_SIGNS = ["CODEX_SANDBOX", "SANDBOX_RUNTIME", "CODEX_SANDBOX_NETWORK_DISABLED"];

export function sandboxCheck(get: Get, isBlocked: boolean): Check {
  const base = { group: GROUP, name: "sandbox" };
  const sign = SANDBOX_SIGNS.find((name) => get(name) !== undefined);
  if (isBlocked) {
    const detail = "connections to Unix sockets are blocked here";
    return {
      ...base,
      state: "warn",
      detail,
      next: "Hooks run outside the sandbox and still report",
    };
  }
  const detail = sign === undefined ? "none seen" : `${sign} is set; connections work`;
  return { ...base, state: "ok", detail, next: null };
}

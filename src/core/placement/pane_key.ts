/**
 * Which pane of which multiplexer or terminal a process says it is in, as one stable key.
 *
 * Pane numbers begin again with every server, so a key holds the SERVER's identity (pid and start
 * time). Where that cannot be told there is no key: none is better than another pane's.
 * The variables are a claim; a shared background process carries those of its first pane.
 */

import type { ProcessID } from "../process/process.ts";

export { PANE_VARIABLES } from "./pane_variables.ts";

export type PaneEnv = Readonly<Record<string, string | undefined>>;

export interface TmuxServer {
  readonly socket: string;
  readonly pid: number;
}

export interface PaneKeyOptions {
  /** Start time of a running process, undefined when there is none with that pid. */
  readonly startOf: (pid: number) => string | undefined;
  /** The process that owns the terminal (`terminalHost`), where the tree shows it. */
  readonly host?: ProcessID | null;
}

/** `$TMUX` is "socket,server pid,session"; the socket's path may hold commas itself. */
export function tmuxServer(env: PaneEnv): TmuxServer | null {
  const match = /^(\/.+),(\d+),\d+$/.exec(env["TMUX"] ?? "");
  if (match === null) return null;
  return { socket: match[1] ?? "", pid: Number(match[2]) };
}

/**
 * A key that no pane of another or restarted server has, or null.
 *
 * The innermost one counts: a multiplexer before the terminal around it, and of two multiplexers
 * the one whose server owns the process's terminal. A terminal started from a tmux pane inherits
 * its variables, so a known owner that is not that server disproves them.
 */
export function paneKey(env: PaneEnv, options: PaneKeyOptions): string | null {
  const tmux = tmuxServer(env);
  const hasZellij = (env["ZELLIJ_PANE_ID"] ?? "") !== "";
  const ownerPid = options.host?.pid;
  if (tmux !== null && (ownerPid === undefined ? !hasZellij : ownerPid === tmux.pid)) {
    return tmuxKey(env, tmux, options);
  }
  if (hasZellij) return zellijKey(env, options);
  return tmux === null ? terminalKey(env, options) : windowKey(env, options);
}

function tmuxKey(env: PaneEnv, server: TmuxServer, options: PaneKeyOptions): string | null {
  const pane = /^%\d+$/.exec(env["TMUX_PANE"] ?? "")?.[0];
  const startTime = options.startOf(server.pid);
  if (pane === undefined || startTime === undefined) return null;
  return joinKey("tmux", [server.socket, String(server.pid), startTime, pane]);
}

/** Whether the key is that of a tmux pane with this name (`%7`), whatever the server. */
export function isTmuxPane(key: string | null, pane: string): boolean {
  return /^%\d+$/.test(pane) && key?.startsWith("tmux:") === true &&
    key.endsWith(`:${encodeURIComponent(pane)}`);
}

/** A key as a person would say it: `tmux default %7`. Which server it was is for programs. */
export function paneText(key: string): string {
  const [kind = "", ...coded] = key.split(":");
  const parts = coded.map(decoded);
  switch (kind) {
    case "tmux":
      return `tmux ${parts[0]?.split("/").at(-1)} ${parts[3]}`;
    case "zellij":
      return `zellij ${parts[2]} pane ${parts[3]}`;
    case "kitty":
    case "wezterm":
      return `${kind} window ${parts[2]}`;
    default:
      return [kind, ...parts].join(" ");
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function zellijKey(env: PaneEnv, { host }: PaneKeyOptions): string | null {
  const pane = numberOf(env["ZELLIJ_PANE_ID"]);
  const session = env["ZELLIJ_SESSION_NAME"] ?? "";
  if (pane === undefined || session === "") return null;
  return hostKey("zellij", { host, rest: [session, pane] });
}

/** iTerm's and Apple's ids are unique by themselves. */
function terminalKey(env: PaneEnv, options: PaneKeyOptions): string | null {
  const iterm = uuidOf(env["ITERM_SESSION_ID"]);
  if (iterm !== undefined && isProgram(env, "iTerm.app")) return joinKey("iterm", [iterm]);
  const window = windowKey(env, options);
  if (window !== null) return window;
  const session = uuidOf(env["TERM_SESSION_ID"]);
  return session === undefined ? null : joinKey("term", [session]);
}

/** Terminals that only number their windows: the number counts together with the process. */
function windowKey(env: PaneEnv, { host }: PaneKeyOptions): string | null {
  const kitty = numberOf(env["KITTY_WINDOW_ID"]);
  if (kitty !== undefined && isProgram(env, "kitty")) {
    return hostKey("kitty", { host, rest: [kitty] });
  }
  const wezterm = numberOf(env["WEZTERM_PANE"]);
  if (wezterm !== undefined && isProgram(env, "WezTerm")) {
    return hostKey("wezterm", { host, rest: [wezterm] });
  }
  return null;
}

/** Variables outlive their terminal (kitty started from WezTerm): TERM_PROGRAM tells the last. */
function isProgram(env: PaneEnv, wanted: string): boolean {
  const given = env["TERM_PROGRAM"] ?? "";
  // Inside tmux the name is tmux's own and tells nothing about the terminal.
  return given === "" || given === "tmux" || given === wanted;
}

function hostKey(
  kind: string,
  context: { readonly host: ProcessID | null | undefined; readonly rest: readonly string[] },
): string | null {
  const { host, rest } = context;
  if (host === null || host === undefined) return null;
  return joinKey(kind, [String(host.pid), host.startTime, ...rest]);
}

function joinKey(kind: string, parts: readonly string[]): string {
  return [kind, ...parts.map(encodeURIComponent)].join(":");
}

function numberOf(text: string | undefined): string | undefined {
  return /^\d+$/.exec(text?.trim() ?? "")?.[0];
}

function uuidOf(text: string | undefined): string | undefined {
  return /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(text ?? "")?.[0].toUpperCase();
}

/**
 * What a tmux server says about its panes. A failed or hanging question is "unknown" and never
 * "gone": only the process table tells that a pane has ended.
 */

import { runTool } from "./process_tool.ts";

export interface TmuxPane {
  readonly pane: string;
  readonly pid: number;
  readonly tty: string | null;
  readonly isDead: boolean;
  /** Its window is the session's current one and it is that window's active pane. */
  readonly isVisible: boolean;
  readonly session: string;
}

export type TmuxPanes =
  | { readonly state: "known"; readonly serverPid: number; readonly panes: readonly TmuxPane[] }
  | { readonly state: "unknown"; readonly reason: string };

export interface ListPanesOptions {
  readonly tmux?: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 1000;
const MAX_BYTES = 1024 * 1024;
/** Blanks, not tabs: tmux replaces control characters for clients without UTF-8. Names come last. */
const FORMAT =
  "#{pid} #{pane_id} #{pane_pid} #{pane_dead} #{window_active}#{pane_active} #{pane_tty} #{session_name}";
const LINE = /^(\d+) (%\d+) (\d+) ([01]?) ([01]{2}) (\S*) (.*)$/;

/** Every pane of the server at `socket`; starts no server. */
export async function listPanes(
  socket: string,
  options: ListPanesOptions = {},
): Promise<TmuxPanes> {
  const args = ["-u", "-S", socket, "list-panes", "-a", "-F", FORMAT];
  const result = await runTool(options.tmux ?? "tmux", args, {
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    // Another server's variable must not decide anything here.
    env: { TMUX: "" },
  });
  if (!result.ok) return { state: "unknown", reason: result.reason };
  if (result.code !== 0) return { state: "unknown", reason: `Run tmux: status ${result.code}` };
  return parsePanes(result.stdout);
}

/** Unknown as a whole when one line is not understood: half an answer would hide panes. */
export function parsePanes(text: string): TmuxPanes {
  const panes: TmuxPane[] = [];
  let serverPid = 0;
  for (const line of text.split("\n").filter((candidate) => candidate !== "")) {
    const match = LINE.exec(line);
    if (match === null) return { state: "unknown", reason: "Run tmux: a line is no pane" };
    const [, server, pane = "", pid, dead, active, tty = "", session = ""] = match;
    serverPid = Number(server);
    panes.push({
      pane,
      pid: Number(pid),
      tty: tty === "" ? null : tty,
      isDead: dead === "1",
      isVisible: active === "11",
      session,
    });
  }
  if (panes.length === 0) return { state: "unknown", reason: "Run tmux: no panes listed" };
  return { state: "known", serverPid, panes };
}

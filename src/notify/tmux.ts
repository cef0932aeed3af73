/** The tmux pane of a place: which server and pane, and questions to that server. */

import { runProgram } from "./program.ts";

export type TmuxPane = { readonly socket: string; readonly pane: string };

/** From a pane's key (core/pane_key.ts); null for a place that is no tmux pane. */
export function tmuxPaneOf(multiplexer: string | null): TmuxPane | null {
  const parts = (multiplexer ?? "").split(":");
  if (parts[0] !== "tmux" || parts.length !== 5) return null;
  const socket = decodeURIComponent(parts[1]!);
  const pane = decodeURIComponent(parts[4]!);
  return socket.startsWith("/") && /^%\d+$/.test(pane) ? { socket, pane } : null;
}

/** Output of one tmux command; rejects when the server did not answer well. */
export async function askTmux(
  socket: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  // Another server's variable must not decide anything here.
  const env = { TMUX: "" };
  const { code, stdout } = await runProgram({
    program: "tmux",
    args: ["-u", "-S", socket, ...args],
    env,
    signal,
  });
  if (code !== 0) throw new Error(`tmux ${args[0]} ended with status ${code}`);
  return stdout;
}

/**
 * Brings a pane to the front: asks the multiplexer or terminal that its key names. Bounded, and
 * without effect on what we know: a question that fails says nothing about the pane.
 */

import { runTool } from "./process_tool.ts";

export type Focused = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const TIMEOUT_MS = 2_000;
const MAX_BYTES = 65_536;

type Step = { readonly program: string; readonly args: readonly string[] };

/** `key`: see core/pane_key.ts. */
export async function focusPane(key: string | null): Promise<Focused> {
  const [kind = "", ...parts] = (key ?? "").split(":").map(decodeURIComponent);
  switch (kind) {
    case "tmux":
      return await focusTmux(parts);
    case "kitty":
      return await ask({ program: "kitty", args: ["@", "focus-window", "-m", `id:${parts[2]}`] });
    case "wezterm":
      return await ask({
        program: "wezterm",
        args: ["cli", "activate-pane", "--pane-id", parts[2] ?? ""],
      });
    case "":
      return { ok: false, reason: "it is in no multiplexer or terminal that can be asked" };
    default:
      return { ok: false, reason: `${kind} cannot be asked to show a pane` };
  }
}

async function focusTmux([socket = "", pid, , pane = ""]: readonly string[]): Promise<Focused> {
  const tmux = (...args: string[]): Step => ({ program: "tmux", args: ["-S", socket, ...args] });
  const server = await output(tmux("display-message", "-p", "#{pid}"));
  if (!server.ok) return server;
  if (server.text.trim() !== pid) return { ok: false, reason: "its tmux server was restarted" };
  for (const step of [tmux("select-window", "-t", pane), tmux("select-pane", "-t", pane)]) {
    const done = await ask(step);
    if (!done.ok) return done;
  }
  // Fails where nobody is attached: the pane is the current one for whoever comes.
  await ask(tmux("switch-client", "-t", pane));
  return { ok: true };
}

async function ask(step: Step): Promise<Focused> {
  const { ok, ...rest } = await output(step);
  return ok ? { ok } : { ok, reason: (rest as { reason: string }).reason };
}

async function output({ program, args }: Step): Promise<
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string }
> {
  const result = await runTool(program, args, {
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    // Another server's variable must not decide anything here.
    env: { TMUX: "" },
  });
  if (!result.ok) return { ok: false, reason: result.reason };
  if (result.code !== 0) {
    return { ok: false, reason: `${program} ended with status ${result.code}` };
  }
  return { ok: true, text: result.stdout };
}

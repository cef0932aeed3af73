/**
 * Whether the person looks at a pane: true or false where the terminal tells, else null. tmux tells
 * (with `focus-events on`): the pane is the current one of a client that has the focus.
 */

import type { NoticePlace } from "../core/notify/notice.ts";
import { askTmux, tmuxPaneOf } from "./tmux.ts";

const TIMEOUT_MS = 500;

export async function isFocused({ multiplexer }: NoticePlace): Promise<boolean | null> {
  const at = tmuxPaneOf(multiplexer);
  if (at === null) return null;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const args = ["list-clients", "-F", "#{pane_id} #{client_flags}"];
    const clients = (await askTmux(at.socket, args, signal)).split("\n");
    return clients.some((line) => {
      const [pane, flags = ""] = line.split(" ");
      return pane === at.pane && flags.split(",").includes("focused");
    });
  } catch {
    return null; // Not told in time is not known; a missed "needs you" would be worse.
  }
}

/**
 * A mark on the tmux window of a pane that needs somebody: a window option, to be shown by the
 * person's status line (`#{@mytty}`). It follows what is open, and goes with the last of it.
 */

import { type Notice, urgentKind } from "../core/notify/notice.ts";
import type { ItemKind, State } from "../core/log/state.ts";
import type { Channel, Delivery } from "./channel.ts";
import { askTmux, tmuxPaneOf } from "./tmux.ts";

const MARKS: Readonly<Record<ItemKind, string>> = {
  "approval-request": "◆",
  "input-request": "◆",
  failure: "✖",
  disconnect: "✖",
  completion: "✔",
};

export class TmuxChannel implements Channel {
  readonly name = "tmux";

  deliver(delivery: Delivery): Promise<string | null> {
    return this.#refresh(delivery);
  }

  async withdraw(delivery: Delivery): Promise<void> {
    await this.#refresh(delivery);
  }

  /** One option for the window, whichever of its panes needs somebody most. */
  async #refresh({ notice, config, signal, state }: Delivery): Promise<string | null> {
    const at = tmuxPaneOf(notice.place.multiplexer);
    if (at === null) return "the pane is not in tmux";
    const { socket, pane } = at;
    const { option } = config.channels.tmux;
    const format = ["-F", "#{pane_id}"];
    const panes = await askTmux(socket, ["list-panes", "-t", pane, ...format], signal);
    const mark = markOf(notice, state, { socket, panes: panes.split("\n") });
    const change = mark === null ? ["-wu", "-t", pane, option] : ["-w", "-t", pane, option, mark];
    await askTmux(socket, ["set-option", ...change], signal);
    return null;
  }
}

function markOf(
  { kind, origin }: Notice,
  state: State | null,
  window: { socket: string; panes: readonly string[] },
): string | null {
  // Words without an item leave no trace that could be taken away again.
  if (origin === "test") return "◆";
  if (state === null) return kind === "message" ? null : MARKS[kind];
  const here = new Set<string>();
  for (const { surfaceID, multiplexer } of state.surfaces.values()) {
    const at = tmuxPaneOf(multiplexer);
    if (at !== null && at.socket === window.socket && window.panes.includes(at.pane)) {
      here.add(surfaceID);
    }
  }
  const urgent = urgentKind(state, here);
  return urgent === null ? null : MARKS[urgent];
}

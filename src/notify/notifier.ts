/** Puts the engine together with every channel and the real clock. */

import type { NotifyConfig } from "../core/config.ts";
import { realClock } from "./clock.ts";
import { CommandChannel } from "./command.ts";
import { DesktopChannel } from "./desktop.ts";
import { NotifyEngine } from "./engine.ts";
import { isFocused } from "./focus.ts";
import { NoticeHistory } from "./history.ts";
import { TerminalChannel } from "./terminal.ts";
import { TmuxChannel } from "./tmux_marks.ts";
import { NtfyChannel, WebhookChannel } from "./webhook.ts";

export type NotifierOptions = {
  readonly config: () => NotifyConfig;
  /** Where the last notices are kept; null for nowhere. */
  readonly historyPath: string | null;
  readonly log: (text: string) => void;
};

export function createNotifier({ config, historyPath, log }: NotifierOptions): NotifyEngine {
  return new NotifyEngine({
    config,
    log,
    isFocused,
    channels: [
      new DesktopChannel(),
      new TerminalChannel(),
      new TmuxChannel(),
      new CommandChannel(),
      new WebhookChannel(),
      new NtfyChannel(),
    ],
    history: new NoticeHistory(historyPath, log),
    clock: realClock(),
  });
}

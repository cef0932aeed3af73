/** The person's own command: the notice in its environment and, whole, as JSON on its stdin. */

import type { Notice } from "../core/notify/notice.ts";
import type { Channel, Delivery } from "./channel.ts";
import { runProgram } from "./program.ts";

export class CommandChannel implements Channel {
  readonly name = "command";

  async deliver({ notice, config, signal }: Delivery): Promise<string | null> {
    const { run, timeout } = config.channels.command;
    if (run === undefined) return "no command is configured";
    const [program, ...args] = typeof run === "string" ? ["/bin/sh", "-c", run] : run;
    const { code } = await runProgram({
      program: program!,
      args,
      env: noticeEnv(notice),
      stdin: `${JSON.stringify(noticeJson(notice))}\n`,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    if (code !== 0) throw new Error(`The command ended with status ${code}`);
    return null;
  }
}

/** The form that commands and webhooks get. */
export function noticeJson(notice: Notice) {
  const { id, origin, kind, provider, runID, sessionID, toolName, title, body, place } = notice;
  const { surfaceID, name, cwd, tty } = place;
  return {
    id,
    origin,
    kind,
    provider,
    surfaceID,
    runID,
    sessionID,
    toolName,
    title,
    body,
    place: name,
    cwd,
    tty,
  };
}

export function noticeEnv(notice: Notice): Record<string, string> {
  const { id, kind, origin, provider, runID, title, body, toolName, place } = notice;
  return {
    MYTTY_NOTIFY_ID: id,
    MYTTY_NOTIFY_KIND: kind,
    MYTTY_NOTIFY_ORIGIN: origin,
    MYTTY_NOTIFY_PROVIDER: provider ?? "",
    MYTTY_NOTIFY_TITLE: title,
    MYTTY_NOTIFY_BODY: body,
    MYTTY_NOTIFY_TOOL: toolName ?? "",
    MYTTY_NOTIFY_RUN: runID ?? "",
    MYTTY_NOTIFY_SURFACE: place.surfaceID ?? "",
    MYTTY_NOTIFY_PLACE: place.name,
    // Paths may hold anything but the zero byte, which no variable can carry.
    MYTTY_NOTIFY_CWD: (place.cwd ?? "").replaceAll("\0", ""),
  };
}

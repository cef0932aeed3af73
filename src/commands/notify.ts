/** `mytty notify test [channel]`: does anything arrive? */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import type { NoticeRecord } from "../core/notify/notice_record.ts";
import { paneKey } from "../core/placement/pane_key.ts";
import { createProcesses } from "../estimator/processes.ts";
import { outcomeLines } from "../views/notifications_table.ts";
import { terminal } from "../views/terminal.ts";
import { bodyOf, client, defineCommand, finish, writeJson, writeLine } from "./_command.ts";

type Options = { readonly json?: true };

export function command(): Command {
  return defineCommand({
    name: "notify",
    summary: "Try the notification channels: notify test",
    examples: ["mytty notify test", "mytty notify test desktop", "mytty notify test terminal"],
    build: (command) => {
      command.command("test").description("deliver a test notice now, whatever the rules say")
        .argument("[channel]", "desktop, terminal, tmux, command, webhook, ntfy; none = all in use")
        .option("--json", "print one JSON document")
        .action(test);
    },
  });
}

async function test(
  channel: string | undefined,
  { json }: Options,
  command: Command,
): Promise<void> {
  const body = { channel: channel ?? null, ...await ownTerminal() };
  const record = bodyOf<NoticeRecord>(
    await client().request("/v1/notifications/test", { method: "POST", body }),
  );
  const isDelivered = record.outcomes.some(({ outcome }) => outcome === "delivered");
  const isFailed = record.outcomes.some(({ outcome }) => outcome === "failed");
  finish(command, isDelivered && !isFailed ? EXIT.done : EXIT.failed);
  if (json) return writeJson(record);
  writeLine(`Sent "${record.title}":`);
  for (const line of outcomeLines(record, terminal())) writeLine(line);
}

/** The test is for the terminal it is asked from; the server is in another one, or in none. */
async function ownTerminal(): Promise<{ tty: string | null; multiplexer: string | null }> {
  const processes = createProcesses();
  const row = await processes.readProcess(Deno.pid).catch(() => null);
  const env = Deno.env.toObject();
  const server = Number(/,(\d+),\d+$/.exec(env.TMUX ?? "")?.[1] ?? NaN);
  const host = Number.isNaN(server) ? null : await processes.readProcess(server).catch(() => null);
  const startOf = (pid: number) => pid === host?.pid ? host.startTime : undefined;
  return { tty: row?.tty ?? null, multiplexer: paneKey(env, { startOf }) };
}

/** `mytty notifications`: what was announced, what was not, and why. */

import type { Command } from "commander";
import type { NoticeRecord } from "../core/notify/notice_record.ts";
import { notificationsTable } from "../views/notifications_table.ts";
import { terminal } from "../views/terminal.ts";
import { bodyOf, client, defineCommand, wholeNumber, writeJson, writeOut } from "./_command.ts";

type Options = { readonly json?: true; readonly limit: string };

export function command(): Command {
  return defineCommand({
    name: "notifications",
    summary: "Show the last notifications, and why each was delivered or not",
    examples: ["mytty notifications", "mytty notifications --limit 200 --json"],
    build: (command) =>
      command
        .option("--limit <number>", "at most this many, of the last 200", "20")
        .option("--json", "print one JSON document")
        .action(notifications),
  });
}

async function notifications({ json, limit }: Options): Promise<void> {
  const most = wholeNumber(limit, "--limit", 1);
  const body = bodyOf<{ notifications: NoticeRecord[] }>(
    await client().request("/v1/notifications"),
  );
  const shown = body.notifications.slice(0, most);
  if (json) return writeJson({ notifications: shown });
  writeOut(notificationsTable(shown, { screen: terminal(), now: Date.now() }));
}

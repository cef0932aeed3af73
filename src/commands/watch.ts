/** `mytty watch`: the live view; `--json` for programs. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { terminal } from "../views/terminal.ts";
import { runWatchScreen } from "../views/watch_screen.ts";
import { bodyOf, client, CliError, defineCommand, writeLine } from "./_command.ts";
import { installContext } from "./_install_context.ts";

type Options = { readonly json?: true };

export function command(): Command {
  return defineCommand({
    name: "watch",
    summary: "Watch every agent as it happens; keys go to a pane, acknowledge, filter, explain",
    examples: ["mytty watch", "tmux split-window -h -l 40 mytty watch", "mytty watch --json"],
    build: (command) =>
      command
        .option("--json", "print NDJSON: a snapshot, then every change")
        .action(watch),
  });
}

async function watch({ json }: Options): Promise<void> {
  if (json) return await printLines();
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    throw new CliError(EXIT.usage, "watch needs a terminal; --json prints lines for programs");
  }
  await runWatchScreen({
    lines: (signal) => client().lines("/v1/watch", { signal }),
    acknowledge: async (ids) => {
      bodyOf(await client().request("/v1/attention/ack", { method: "POST", body: { ids } }));
    },
    jump: focus,
  }, terminal().colour);
  // A read of the keyboard is still held; there is nothing left to wait for.
  Deno.exit(EXIT.done);
}

async function printLines(): Promise<void> {
  for await (const line of client().lines("/v1/watch")) if (line !== "") writeLine(line);
}

/** `mytty focus`, by name: going to a pane is that command's business. */
async function focus(surfaceID: string): Promise<string | null> {
  const [program, ...args] = installContext().program;
  const { code, stderr } = await new Deno.Command(program!, {
    args: [...args, "focus", surfaceID],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code === EXIT.done) return null;
  return new TextDecoder().decode(stderr).trim().split("\n")[0]?.replace(/^mytty: /, "") ?? null;
}

/** `mytty run -- CMD`: a surface for one command, whose exit status is passed on and reported. */

import type { Command } from "commander";
import { runChild } from "./_child.ts";
import { bodyOf, client, defineCommand, finish, messageOf, writeErr } from "./_command.ts";

const INTERRUPTS: ReadonlySet<Deno.Signal> = new Set(["SIGHUP", "SIGINT", "SIGTERM"] as const);

type Options = { readonly label?: string };

type OpenedJson = { readonly surfaceID: string; readonly env: Record<string, string> };

export function command(): Command {
  return defineCommand({
    name: "run",
    summary: "Run one command in a surface of its own",
    examples: ["mytty run -- claude", "mytty run --label nightly -- codex exec 'fix the tests'"],
    build: (command) =>
      command
        .argument("<command...>", "the command and its arguments, after --")
        .option("--label <label>", "a name to see and to wait for")
        .passThroughOptions()
        .action(run),
  });
}

async function run(words: string[], { label }: Options, command: Command): Promise<void> {
  const opened = await openSurface(label ?? words[0]!);
  const status = await runChild(words, opened?.env ?? {});
  if (opened !== null) await closeSurface(opened.surfaceID, status).catch(() => {});
  finish(command, status.code);
}

/** Null whatever is wrong with the server: the person's command matters more than our watching it. */
async function openSurface(label: string): Promise<OpenedJson | null> {
  try {
    const own = { pid: Deno.pid, cwd: Deno.cwd(), reportsEnds: true };
    const body = { label: label.slice(0, 200), ...own };
    return bodyOf<OpenedJson>(await client().request("/v1/surfaces", { method: "POST", body }));
  } catch (error) {
    writeErr(`${messageOf(error)}; running without a surface`);
    return null;
  }
}

async function closeSurface(surfaceID: string, status: Deno.CommandStatus): Promise<void> {
  // Ended by a signal: what a shell would say of an interrupt, else the command was lost.
  const isOwn = status.signal === null || INTERRUPTS.has(status.signal);
  const body = { exitCode: isOwn ? status.code : null, close: true };
  await client().request(`/v1/surfaces/${surfaceID}/finished`, { method: "POST", body });
}

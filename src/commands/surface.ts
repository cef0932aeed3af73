/** `mytty surface`: opens, closes and lists surfaces by hand. */

import type { Command } from "commander";
import type { PlaceJson } from "../core/view/view_json.ts";
import { shellQuote } from "../core/shell/shell_quote.ts";
import { EXIT } from "../core/exit_code.ts";
import { isProcessAlive } from "../socket/process_alive.ts";
import { listTable } from "../views/list_table.ts";
import { terminal } from "../views/terminal.ts";
import {
  bodyOf,
  client,
  CliError,
  defineCommand,
  wholeNumber,
  writeJson,
  writeLine,
  writeOut,
} from "./_command.ts";

type Options = { readonly label?: string; readonly pid?: string; readonly json?: true };

type OpenedJson = { readonly surfaceID: string; readonly env: Record<string, string> };

export function command(): Command {
  return defineCommand({
    name: "surface",
    summary: "Open, close or list surfaces (terminal panes)",
    examples: [
      'eval "$(mytty surface open --label build)"',
      "mytty surface list",
      "mytty surface close build",
    ],
    build: (command) => {
      command.command("open")
        .description("open a surface and print its variables as export lines")
        .option("--label <label>", "a name to see and to wait for")
        .option(
          "--pid <pid>",
          "the process whose end closes the surface; otherwise whoever runs this",
        )
        .option("--json", "print one JSON document")
        .action(open);
      command.command("close").description(
        "close a surface, revoke its capability, acknowledge its items",
      )
        .argument("<surface>", "surface id, its beginning, or a label")
        .option("--json", "print one JSON document")
        .action(close);
      command.command("finished").description("report the end of the command that ran in it")
        .argument("<surface>", "surface id")
        .requiredOption("--status <number>", "its exit status")
        .action(finished);
      command.command("list").description("list the open surfaces")
        .option("--json", "print one JSON document")
        .action(list);
    },
  });
}

async function open({ label, pid, json }: Options): Promise<void> {
  const body = { label: label ?? null, pid: rootProcess(pid), cwd: Deno.cwd() };
  const opened = bodyOf<OpenedJson>(
    await client().request("/v1/surfaces", { method: "POST", body }),
  );
  if (json) return writeJson(opened);
  for (const [name, value] of Object.entries(opened.env)) {
    writeLine(`export ${name}=${shellQuote(value)}`);
  }
}

/**
 * A surface without a process would be found by its variables alone, and never be closed: it is
 * the calling shell's unless another one is named.
 */
function rootProcess(given: string | undefined): number | null {
  // Zero where the caller is outside of this container.
  if (given === undefined) return Deno.ppid > 0 ? Deno.ppid : null;
  const pid = wholeNumber(given, "--pid", 1);
  if (!isProcessAlive(pid)) {
    throw new CliError(
      EXIT.failed,
      `Cannot open a surface for pid ${pid}: no such process; leave --pid out for this shell`,
    );
  }
  return pid;
}

async function close(surface: string, { json }: Options): Promise<void> {
  const path = `/v1/surfaces/${encodeURIComponent(surface)}`;
  const closed = bodyOf<{ surfaceID: string }>(await client().request(path, { method: "DELETE" }));
  if (json) writeJson(closed);
  else writeLine(`Closed ${closed.surfaceID}`);
}

/** What the shell's part calls after an agent's command. */
async function finished(surface: string, { status }: { readonly status: string }): Promise<void> {
  const path = `/v1/surfaces/${encodeURIComponent(surface)}/finished`;
  const exitCode = wholeNumber(status, "--status");
  bodyOf(await client().request(path, { method: "POST", body: { exitCode } }));
}

async function list({ json }: Options): Promise<void> {
  const { surfaces } = bodyOf<{ surfaces: PlaceJson[] }>(await client().request("/v1/list"));
  if (json) return writeJson({ surfaces });
  writeOut(listTable(surfaces, terminal(), { withIDs: true }));
}

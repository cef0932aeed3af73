/** What each command takes, read from the commands themselves; known values by their one name. */

import type { Command } from "commander";
import { WIRE_KINDS } from "../core/log/event.ts";
import { CHANNEL_NAMES } from "../core/notify/notice.ts";
import { PROVIDERS } from "../core/registry.ts";
import type { CompletionFlag, CompletionSpec } from "../core/shell/completion_script.ts";
import { SHELLS } from "../core/shell/shell_init.ts";
import { WAIT_CONDITIONS } from "../core/view/wait.ts";
import { type CommandTable, summariesOf } from "./_table.ts";

const IDS = PROVIDERS.map(({ id }) => id);

/** Of arguments and flags: the same word means the same thing everywhere. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  provider: IDS,
  channel: CHANNEL_NAMES,
  shell: SHELLS,
  until: WAIT_CONDITIONS,
  kind: WIRE_KINDS,
};

const HELP: CompletionFlag = { name: "--help", values: null };

function flags(...names: string[]): CompletionFlag[] {
  return [...names.map((name) => ({ name, values: null })), HELP];
}

export async function completionSpecs(table: CommandTable): Promise<CompletionSpec[]> {
  const summaries = new Map(summariesOf(table));
  const own: Record<string, Omit<CompletionSpec, "path" | "summary">> = {
    hook: { words: IDS, flags: [{ name: "--event", values: [] }, ...flags("--test")] },
    "status-line": { words: [], flags: flags("--tmux", "--json") },
    completions: { words: SHELLS, flags: flags() },
    man: { words: [], flags: flags() },
  };
  const built = await Promise.all(
    Object.entries(table).map(async ([name, { load }]) => {
      const { command } = await load();
      return specsOf(command(), { path: name, summary: summaries.get(name) ?? "" });
    }),
  );
  const others = Object.entries(own).map(([path, spec]) => ({
    path,
    summary: summaries.get(path) ?? "",
    ...spec,
  }));
  return [...built.flat(), ...others];
}

function specsOf(
  command: Command,
  { path, summary }: { readonly path: string; readonly summary: string },
): CompletionSpec[] {
  const subs = command.commands.map((sub) => sub.name());
  const words = command.registeredArguments.flatMap((one) => VALUES[one.name()] ?? []);
  const own = command.options.map(({ long, required, optional }): CompletionFlag => {
    const takesValue = required || optional;
    return { name: long ?? "", values: takesValue ? VALUES[long?.slice(2) ?? ""] ?? [] : null };
  });
  return [
    { path, summary, words: [...subs, ...words], flags: [...own, HELP] },
    ...command.commands.flatMap((sub) =>
      specsOf(sub, { path: `${path} ${sub.name()}`, summary: sub.description() })
    ),
  ];
}

/** I/O edge: the commands of ours as they stand in a provider's files right now. */

import { shellQuote } from "../core/shell/shell_quote.ts";
import type { Json } from "../core/json.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { type InstallContext, launcherPath, resolveFile } from "./context.ts";
import { hookCommand, parseOwnCommand } from "./ownership.ts";
import { formatOf } from "./plan_target.ts";
import { readTarget } from "./read_target.ts";
import { isTable } from "./read_value.ts";
import { readConfig } from "./verify.ts";

export interface WrittenCommand {
  readonly path: string;
  readonly event: string;
  readonly command: string;
  /** The program that it names. */
  readonly launcher: string;
}

/** A plugin starts the launcher itself; the command that stands for it does the same. */
export async function findWrittenCommands(
  record: ProviderRecord,
  places: readonly InstallContext[],
): Promise<WrittenCommand[]> {
  const found = await Promise.all(places.map((place) => writtenIn(record, place)));
  return [...new Map(found.flat().map((one) => [`${one.path}\n${one.command}`, one])).values()];
}

async function writtenIn(
  record: ProviderRecord,
  context: InstallContext,
): Promise<WrittenCommand[]> {
  const found: WrittenCommand[] = [];
  for (const target of record.install.targets) {
    const path = resolveFile(context, target.base, target.file);
    const read = await readTarget(path);
    if (!read.ok || read.text === null) continue;
    if (target.kind === "own-file") {
      found.push(...commandsInText(read.text, path, { record, context }));
      continue;
    }
    const value = readConfig(read.text, formatOf(target.dialect));
    if (value.ok) found.push(...stringsOf(value.value as Json).flatMap((text) => own(text, path)));
  }
  return found.filter(({ command }) => isFor(command, record));
}

function own(command: string, path: string): WrittenCommand[] {
  const parsed = parseOwnCommand(command);
  return parsed === null
    ? []
    : [{ path, event: parsed.event ?? "", command, launcher: parsed.launcher }];
}

function isFor(command: string, { id, aliases }: ProviderRecord): boolean {
  return [id, ...aliases].includes(parseOwnCommand(command)?.provider ?? "");
}

function commandsInText(
  text: string,
  path: string,
  { record, context }: { readonly record: ProviderRecord; readonly context: InstallContext },
): WrittenCommand[] {
  const literals = text.match(/"(?:[^"\\\n]|\\.)*"/g)?.flatMap(parsedLiteral) ?? [];
  const commands = [...text.split("\n"), ...literals].flatMap((line) => own(line, path));
  if (commands.length > 0) return commands;
  const launcher = launcherPath(context);
  if (!literals.includes(launcher) && !text.includes(shellQuote(launcher))) return [];
  return [{
    path,
    event: "test",
    command: hookCommand({ launcher, provider: record.id, event: "test" }),
    launcher,
  }];
}

function parsedLiteral(literal: string): string[] {
  try {
    const value = JSON.parse(literal);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}

function stringsOf(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return isTable(value) ? Object.values(value).flatMap((item) => stringsOf(item as Json)) : [];
}

/** `mytty test <provider>`: runs the very commands that the agent runs, and says which link failed. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { observeProblems } from "../installers/health.ts";
import { checkLauncher } from "../installers/launcher_file.ts";
import { observePrograms } from "../installers/observe.ts";
import { readRecords } from "../installers/records.ts";
import { findWrittenCommands, type WrittenCommand } from "../installers/written_commands.ts";
import { installedPlaces } from "../installers/variables.ts";
import { defineCommand, finish, writeErr, writeJson, writeLine } from "./_command.ts";
import { type Link, tryCommands } from "./_hook_trial.ts";
import { chosenProviders, installContext } from "./_install_context.ts";

export function command(): Command {
  return defineCommand({
    name: "test",
    summary: "Run an agent's hooks from its config to the server",
    examples: ["mytty test claude", "mytty test codex --json"],
    build: (command) =>
      command.argument("<provider>", "id or alias")
        .option("--json", "print one JSON document")
        .action(test),
  });
}

async function test(word: string, options: { json?: true }, command: Command): Promise<void> {
  const [record] = chosenProviders([word]);
  const links = await tryLinks(record!);
  const failed = links.find(({ ok }) => !ok);
  finish(command, failed === undefined ? EXIT.done : EXIT.failed);
  if (options.json) {
    return writeJson({ provider: record!.id, ok: failed === undefined, links });
  }
  for (const { link, ok, detail } of links) writeLine(`${ok ? "✔" : "✖"} ${link}: ${detail}`);
  if (failed === undefined) return;
  writeErr(`${record!.displayName}: the chain breaks at ${failed.link}: ${failed.detail}`);
}

/** From the config to the server, up to the first link that does not hold. */
async function tryLinks(record: ProviderRecord): Promise<Link[]> {
  const here = installContext();
  const { providers } = await readRecords(here.stateFolder);
  const places = installedPlaces(here, record, providers[record.id]);
  const written = await findWrittenCommands(record, places);
  const config = await configLink(record, written);
  const links: Link[] = [config];
  if (!config.ok) return links;
  const launcher = await checkLauncher(here);
  links.push({
    link: "launcher",
    ok: launcher.ok,
    detail: launcher.ok ? "staged and executable" : launcher.issue.message,
  });
  if (launcher.ok) links.push(await tryCommands(record, written));
  return links;
}

/** Whether every file is as an install would leave it, and nothing keeps the agent from hooks. */
async function configLink(
  record: ProviderRecord,
  written: readonly WrittenCommand[],
): Promise<Link> {
  const context = installContext();
  const programs = await observePrograms([record], context);
  const { errors, conflicts, drift } = await observeProblems(record, {
    context,
    records: await readRecords(context.stateFolder),
    program: programs.get(record.id) ?? null,
    now: Date.now(),
  });
  const isEmpty = written.length === 0;
  const nothing = `nothing of ours; run \`mytty install ${record.id}\``;
  const wrong = [...errors, ...conflicts, ...isEmpty ? [nothing] : drift];
  if (wrong.length > 0) return { link: "config", ok: false, detail: wrong.join("; ") };
  const files = [...new Set(written.map(({ path }) => path))];
  return { link: "config", ok: true, detail: `${written.length} of ours in ${files.join(", ")}` };
}

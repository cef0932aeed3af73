/** `mytty uninstall`: takes everything of ours out of the agents' configs again. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { findProvider } from "../core/registry.ts";
import { keepDiscovery } from "../installers/discover.ts";
import { installAll } from "../installers/install.ts";
import { readRecords } from "../installers/records.ts";
import { CliError, defineCommand, finish } from "./_command.ts";
import { chosenProviders, installContext } from "./_install_context.ts";
import { failWhole, isFailure, show } from "./install.ts";

type Options = { readonly all?: true; readonly dryRun?: true; readonly json?: true };

export function command(): Command {
  return defineCommand({
    name: "uninstall",
    summary: "Take our hooks out of the agents' configs",
    examples: ["mytty uninstall claude", "mytty uninstall --all"],
    build: (command) =>
      command.argument("[provider...]", "ids or aliases")
        .option("--all", "every agent, installed by us or not")
        .option("--dry-run", "show what would change, write nothing")
        .option("--json", "print one JSON document")
        .action(uninstall),
  });
}

async function uninstall(words: string[], options: Options, command: Command): Promise<void> {
  if (words.length === 0 && !options.all) {
    throw new CliError(EXIT.usage, "Name the agents to uninstall, or --all");
  }
  const context = installContext();
  const result = await installAll(chosenProviders(options.all ? [] : words), context, {
    uninstalls: true,
    isDryRun: options.dryRun ?? false,
    now: Date.now(),
  });
  if (!result.ok) return failWhole(result.issue.message, options);
  const reports = words.length > 0
    ? result.reports
    : result.reports.filter(({ status }) => status !== "unchanged");
  show(reports, options);
  for (const report of options.dryRun ? [] : reports) {
    await keepDiscovery(findProvider(report.provider)!, context, report).catch(() => null);
  }
  const isWhole = !result.reports.some(isFailure);
  // The launcher goes last, and only when nothing can call it any more.
  const { files } = await readRecords(context.stateFolder);
  const isUnused = isWhole && !Object.values(files).some(({ note, hashes }) => note ?? hashes);
  if (options.all && isUnused && !options.dryRun) {
    await Deno.remove(`${context.stateFolder}/hooks`, { recursive: true }).catch(() => {});
  }
  finish(command, isWhole ? EXIT.done : EXIT.failed);
}

/** `mytty install`: brings the providers' configs to report here, changing only what is ours. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { findProvider } from "../core/registry.ts";
import { keepDiscovery } from "../installers/discover.ts";
import { installAll } from "../installers/install.ts";
import { type ProviderReport, reportLines } from "../installers/report.ts";
import {
  CliError,
  defineCommand,
  finish,
  runCommand,
  writeErr,
  writeJson,
  writeLine,
  writeOut,
} from "./_command.ts";
import { chosenProviders, installContext } from "./_install_context.ts";
import { command as statusCommand } from "./status.ts";

type Options = {
  readonly dryRun?: true;
  readonly check?: true;
  readonly refresh?: true;
  readonly json?: true;
};

export function command(): Command {
  return defineCommand({
    name: "install",
    summary: "Write our hooks into the agents' configs, or repair them",
    examples: [
      "mytty install",
      "mytty install claude codex",
      "mytty install --dry-run",
      "mytty install --check",
    ],
    build: (command) =>
      command.argument("[provider...]", "ids or aliases; none = every agent whose program is found")
        .option("--dry-run", "show what would change, write nothing")
        .option("--check", "change nothing; exit 1 unless all wanted are healthy")
        .option("--refresh", "stage everything anew and check every file")
        .option("--json", "print one JSON document")
        .action(install),
  });
}

async function install(words: string[], options: Options, command: Command): Promise<void> {
  if (options.check) {
    const flags = ["--check", ...options.json ? ["--json"] : []];
    return finish(command, await runCommand(statusCommand(), [...flags, "--", ...words]));
  }
  const context = installContext();
  const result = await installAll(chosenProviders(words), context, {
    isDryRun: options.dryRun ?? false,
    isExplicit: words.length > 0,
    isRefresh: options.refresh ?? false,
    now: Date.now(),
  });
  if (!result.ok) return failWhole(result.issue.message, options);
  // Nobody asked for agents that are not here.
  const reports = words.length > 0
    ? result.reports
    : result.reports.filter(({ status }) => status !== "cli-missing");
  show(reports, options);
  const isDone = !reports.some(isFailure) && !(words.length > 0 && reports.some(isUnfit));
  finish(command, isDone ? EXIT.done : EXIT.failed);
  if (options.dryRun) return;
  // After the report: a person need not wait for what an agent says of itself.
  for (const report of reports) {
    await keepDiscovery(findProvider(report.provider)!, context, report).catch(() => null);
  }
}

export function isFailure({ status }: ProviderReport): boolean {
  return status === "failed" || status === "conflict";
}

/** Asked for by name, and not to be had. */
function isUnfit({ status, unsupported }: ProviderReport): boolean {
  return status === "unsupported" || (status === "cli-missing" && unsupported !== null);
}

/** Scripts get their document also when nothing could be begun. */
export function failWhole(message: string, { json, dryRun }: Pick<Options, "json" | "dryRun">) {
  if (json) writeJson({ dryRun: dryRun ?? false, providers: [], error: message });
  throw new CliError(EXIT.failed, message);
}

export function show(
  reports: readonly ProviderReport[],
  { json, dryRun }: Pick<Options, "json" | "dryRun">,
): void {
  if (json) return writeJson({ dryRun: dryRun ?? false, providers: reports });
  if (reports.length === 0) return writeLine("No known agent was found on PATH");
  for (const report of reports) {
    if (dryRun) {
      for (const { diff } of report.files) if (diff) writeOut(diff);
    }
    const [first, ...rest] = reportLines(report);
    if (isFailure(report) || isUnfit(report)) writeErr(first!);
    else writeLine(dryRun ? `${first} (dry run)` : first!);
    for (const line of rest) writeLine(line);
  }
}

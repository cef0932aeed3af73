/** `mytty service`: the server as a service of the user's own session: systemd or launchd. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { readEnvironment, readPaths } from "../socket/environment.ts";
import { CliError, defineCommand, finish, writeJson, writeLine, writeOut } from "./_command.ts";
import {
  readServiceFile,
  refuseForeign,
  removeServiceFile,
  writeServiceFile,
} from "./_service_file.ts";
import { askServer } from "./_doctor_server.ts";
import { lastingProgram } from "./_lasting_program.ts";
import { type ServiceManager, serviceManager } from "./_service_manager.ts";

export function command(): Command {
  return serviceCommand(() => serviceManager(readEnvironment(), lastingProgram()));
}

/** With the manager as an argument: both are tried on either system. */
export function serviceCommand(manager: () => ServiceManager): Command {
  return defineCommand({
    name: "service",
    summary: "Run the server as a service of your session: at every login, again after a crash",
    examples: [
      "mytty service install",
      "mytty service install --print      # only show the file",
      "mytty service status",
      "mytty service uninstall",
    ],
    build: (command) => {
      command.command("install").description("write the service file, enable and start it")
        .option("--print", "print the file, write and start nothing")
        .action((options: { print?: true }) => install(manager(), options));
      command.command("uninstall").description("stop it and remove the file")
        .action(() => uninstall(manager()));
      command.command("status").description("whether it is installed, enabled and running")
        .option("--json", "print one JSON document")
        .action((options: { json?: true }, command: Command) =>
          status(manager(), options, command)
        );
    },
  });
}

async function install(
  manager: ServiceManager,
  { print }: { readonly print?: true },
): Promise<void> {
  const { path, text, textIssue } = manager;
  if (textIssue !== undefined) throw new CliError(EXIT.failed, textIssue);
  if (print) return writeOut(text);
  const file = readServiceFile(path);
  refuseForeign(path, file);
  const isChanged = file.state !== "ours" || file.text !== text;
  if (isChanged) writeServiceFile(path, text);
  writeLine(isChanged ? `Wrote ${path}` : `Nothing to change in ${path}`);
  // Two servers of one state folder cannot be; the one by hand is not ours to end.
  const server = await askServer(readPaths());
  const serving = server.state === "up" ? server.status.pid : null;
  const isLater = serving !== null && (await manager.state()).active === false;
  const issue = await manager.start({ isChanged, isLater });
  if (issue !== null) {
    throw new CliError(EXIT.failed, `Cannot start the service: ${issue.reason}; ${issue.next}`);
  }
  if (isLater) {
    throw new CliError(
      EXIT.failed,
      `Enabled, not started: a server runs already (pid ${serving}); kill ${serving}, then: ` +
        manager.startCommand,
    );
  }
  const { active, reason } = await manager.state();
  if (active !== true) {
    throw new CliError(EXIT.failed, `The service does not run (${reason}): ${manager.logCommand}`);
  }
  writeLine("The service runs; mytty doctor says what works");
}

async function uninstall(manager: ServiceManager): Promise<void> {
  const { path } = manager;
  const file = readServiceFile(path);
  if (file.state === "missing") return writeLine(`Nothing to remove: ${path} is not there`);
  refuseForeign(path, file);
  const issue = await manager.stop();
  removeServiceFile(path, manager.folders);
  await manager.forget();
  writeLine(`Removed ${path}`);
  if (issue !== null) writeLine(`The service could not be told: ${issue.reason}; ${issue.next}`);
}

/** Exit status 1 unless it is installed as it would be now, and runs. */
async function status(
  manager: ServiceManager,
  { json }: { readonly json?: true },
  command: Command,
): Promise<void> {
  const file = readServiceFile(manager.path);
  const isCurrent = file.state === "ours" && file.text === manager.text;
  const state = file.state === "ours" ? (isCurrent ? "current" : "outdated") : file.state;
  const { enabled, active, reason } = await manager.state();
  const next = nextStep(state, active, manager);
  finish(command, isCurrent && active === true ? EXIT.done : EXIT.failed);
  const { name, path } = manager;
  if (json) return writeJson({ manager: name, path, file: state, enabled, active, reason, next });
  writeLine(`file     ${path}: ${state}`);
  writeLine(`enabled  ${word(enabled)}`);
  writeLine(`running  ${word(active)} (${name}: ${reason})`);
  if (next !== null) writeLine(`next     ${next}`);
}

function word(value: boolean | null): string {
  return value === null ? "cannot tell" : value ? "yes" : "no";
}

function nextStep(state: string, active: boolean | null, manager: ServiceManager): string | null {
  if (state === "foreign") return `move it away: mv ${manager.path} ${manager.path}.old`;
  if (state !== "current") return "mytty service install";
  return active === true ? null : `${manager.logCommand}; then: ${manager.startCommand}`;
}

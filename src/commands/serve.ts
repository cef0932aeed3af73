/** `mytty serve`: the daemon in the foreground. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { createProcesses } from "../estimator/processes.ts";
import { installedNow } from "../installers/installed_now.ts";
import { keepReconciled } from "../installers/keep_reconciled.ts";
import { createNotifier } from "../notify/notifier.ts";
import { ConfigFile } from "../socket/config_file.ts";
import { readPaths } from "../socket/environment.ts";
import { type HttpAddress, parseHttpAddress } from "../socket/http_address.ts";
import { startServer } from "../socket/serve.ts";
import { CliError, defineCommand, writeErr, writeLine } from "./_command.ts";
import { createEstimator } from "./_estimator.ts";
import { installContext } from "./_install_context.ts";
import { programID } from "./_program_id.ts";

export function command(): Command {
  return defineCommand({
    name: "serve",
    summary: "Run the server in the foreground: sockets, durable log, state",
    examples: [
      "mytty serve",
      "mytty serve --muxy",
      "mytty serve --http 7717",
      "mkdir -p ~/.local/state/mytty; mytty serve 2>>~/.local/state/mytty/serve.log &",
    ],
    build: (command) =>
      command
        .option("--muxy", "also listen for Muxy's bridges and plugins (protocol v3)")
        .option(
          "--http <address>",
          "also tell over HTTP on this machine, with a token: [HOST:]PORT",
        )
        .option("--no-watch", "leave the agents' configs alone: repair no hook")
        .option("--no-estimate", "believe hooks only: look at no processes and transcripts")
        .action(serve),
  });
}

type Options = {
  readonly muxy?: true;
  readonly http?: string;
  readonly watch: boolean;
  readonly estimate: boolean;
};

/** Prints `ready <event.sock>` once it really answers; ends on SIGTERM, SIGINT or SIGHUP. */
async function serve({ muxy, http, watch, estimate }: Options): Promise<void> {
  const address = http === undefined ? undefined : httpAddress(http);
  const paths = readPaths();
  const config = new ConfigFile(paths.config, writeErr);
  const notifier = createNotifier({
    config: () => config.current.notify,
    historyPath: paths.notifications,
    log: writeErr,
  });
  const processes = createProcesses();
  const lost = Promise.withResolvers<void>();
  const server = await startServer({
    paths,
    processes,
    log: writeErr,
    settings: () => config.current,
    notifier,
    muxy: muxy === true,
    ...(address === undefined ? {} : { http: address }),
    program: programID(),
    isInstalled: installedNow(paths.state),
    onLost: lost.resolve,
  });
  config.watch();
  const mode = () => config.current.estimate;
  const estimator = estimate ? createEstimator(server.daemon, processes, { mode }) : null;
  estimator?.start();
  const stopped = nextSignal();
  writeLine(`ready ${paths.eventSocket}`);
  const keeper = watch ? keepReconciled({ context: installContext(), log: writeErr }) : null;
  await Promise.race([stopped, lost.promise]);
  await keeper?.stop();
  config.stop();
  estimator?.stop();
  await server.stop();
  await notifier.stop();
  Deno.exit(EXIT.done);
}

function httpAddress(text: string): HttpAddress {
  const address = parseHttpAddress(text);
  if ("issue" in address) throw new CliError(EXIT.usage, address.issue);
  return address;
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      Deno.addSignalListener(signal, () => resolve());
    }
  });
}

/** `mytty serve`: the daemon in the foreground. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { createProcesses } from "../estimator/processes.ts";
import { readPaths } from "../socket/environment.ts";
import { startServer } from "../socket/serve.ts";
import { defineCommand, writeErr, writeLine } from "./_command.ts";

export function command(): Command {
  return defineCommand({
    name: "serve",
    summary: "Run the server in the foreground: sockets, durable log, state",
    examples: [
      "mytty serve",
      "mytty serve 2>>~/.local/state/mytty/serve.log &",
    ],
    build: (command) => command.action(serve),
  });
}

/** Prints `ready <event.sock>` once it really answers; ends on SIGTERM, SIGINT or SIGHUP. */
async function serve(): Promise<void> {
  const paths = readPaths();
  const server = await startServer({ paths, processes: createProcesses(), log: writeErr });
  const stopped = nextSignal();
  writeLine(`ready ${paths.eventSocket}`);
  await stopped;
  await server.stop();
  Deno.exit(EXIT.done);
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      Deno.addSignalListener(signal, () => resolve());
    }
  });
}

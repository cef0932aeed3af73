/** `mytty service` for the system that is named first: each can be tried on the other. */

import { runCommand } from "../../src/commands/_command.ts";
import { serviceManager } from "../../src/commands/_service_manager.ts";
import { serviceCommand } from "../../src/commands/service.ts";
import { readEnvironment } from "../../src/socket/environment.ts";

const [os, program, ...args] = Deno.args;
const environment = { ...readEnvironment(), os: os === "darwin" ? "darwin" : "linux" } as const;
const command = serviceCommand(() => serviceManager(environment, [program!]));
Deno.exitCode = await runCommand(command, args);

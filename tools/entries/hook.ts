/** `mytty hook` alone: the runtime reads every module that a program might load, needed or not. */

import { run } from "../../src/commands/hook.ts";

Deno.exitCode = await run(Deno.args.slice(1));

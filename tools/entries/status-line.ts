/** `mytty status-line` alone, for the same reason as the hook: it is called every second. */

import { run } from "../../src/commands/status_line.ts";

Deno.exitCode = await run(Deno.args.slice(1));

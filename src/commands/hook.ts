/** `mytty hook <provider>`: flags only, and no flag library: this is the agents' critical path. */

import { runHook } from "../socket/hook.ts";

const HELP = `Usage: mytty hook <provider> [--event NAME] [--test]

What an agent's hook runs: reads the hook's JSON from stdin and hands it to the server.
Always exits 0 and prints only what the agent expects, except with --test.

Options:
  --event NAME  the event's name, where the agent gives it only in arguments
  --test        report on stderr and by the exit status whether the server answered

Examples:
  echo '{"hook_event_name":"Stop","session_id":"s1"}' | mytty hook claude-code
  echo '{}' | mytty hook codex --test
`;

export async function run(args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    Deno.stdout.writeSync(new TextEncoder().encode(HELP));
    return 0;
  }
  // Unknown words are ignored: a newer config must not make an older program complain to the agent.
  const at = args.indexOf("--event");
  const isEventName = (index: number) => at !== -1 && index === at + 1;
  const provider = args.find((arg, index) => !arg.startsWith("-") && !isEventName(index)) ?? "";
  const code = await runHook({
    provider,
    event: at === -1 ? null : args[at + 1] ?? null,
    isTest: args.includes("--test"),
  });
  // A pending read of stdin would keep the process alive.
  Deno.exit(code);
}

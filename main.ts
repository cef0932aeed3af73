/** The subcommand table: name -> lazily imported module -> exit code. Nothing else. */

type Entry = { readonly summary: string; readonly run: (args: string[]) => Promise<number> };

const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: { summary: "run the server", run: withFlags(() => import("./src/commands/serve.ts")) },
  list: {
    summary: "every pane and what its agent does",
    run: withFlags(() => import("./src/commands/list.ts")),
  },
  attention: {
    summary: "what needs you; attention ack",
    run: withFlags(() => import("./src/commands/attention.ts")),
  },
  wait: {
    summary: "wait until an agent is where you want it",
    run: withFlags(() => import("./src/commands/wait.ts")),
  },
  events: { summary: "the event log", run: withFlags(() => import("./src/commands/events.ts")) },
  run: {
    summary: "run one command in a surface of its own",
    run: withFlags(() => import("./src/commands/run.ts")),
  },
  surface: {
    summary: "open, close, list surfaces",
    run: withFlags(() => import("./src/commands/surface.ts")),
  },
  emit: {
    summary: "send an event for this surface",
    run: withFlags(() => import("./src/commands/emit.ts")),
  },
  hook: {
    summary: "what an agent's hook calls",
    run: async (args) => (await import("./src/commands/hook.ts")).run(args),
  },
  status: {
    summary: "the server and what it has heard",
    run: withFlags(() => import("./src/commands/status.ts")),
  },
  completions: {
    summary: "shell completions",
    run: async (args) => (await import("./src/commands/completions.ts")).run(args, summaries()),
  },
};

function withFlags(load: () => Promise<{ command(): import("commander").Command }>) {
  return async (args: string[]) => {
    const [{ command }, { runCommand }] = await Promise.all([
      load(),
      import("./src/commands/_command.ts"),
    ]);
    return await runCommand(command(), args);
  };
}

function summaries(): [string, string][] {
  return Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary]);
}

async function main([name = "--help", ...args]: string[]): Promise<number> {
  if (Object.hasOwn(COMMANDS, name)) return await COMMANDS[name]!.run(args);
  return (await import("./src/commands/top.ts")).run(name, summaries());
}

Deno.exitCode = await main([...Deno.args]);

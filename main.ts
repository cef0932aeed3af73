/** The subcommand table: name -> lazily imported module -> exit code. Nothing else. */

import type { CommandTable } from "./src/commands/_table.ts";

const COMMANDS: CommandTable = {
  serve: { summary: "run the server", load: () => import("./src/commands/serve.ts") },
  list: {
    summary: "every pane and what its agent does",
    load: () => import("./src/commands/list.ts"),
  },
  watch: {
    summary: "the live view: every agent, as it happens",
    load: () => import("./src/commands/watch.ts"),
  },
  attention: {
    summary: "what needs you; attention ack",
    load: () => import("./src/commands/attention.ts"),
  },
  notifications: {
    summary: "what was announced, and why not",
    load: () => import("./src/commands/notifications.ts"),
  },
  notify: {
    summary: "try the notification channels",
    load: () => import("./src/commands/notify.ts"),
  },
  wait: {
    summary: "wait until an agent is where you want it",
    load: () => import("./src/commands/wait.ts"),
  },
  estimate: {
    summary: "which agents run here, seen without hooks",
    load: () => import("./src/commands/estimate.ts"),
  },
  events: { summary: "the event log", load: () => import("./src/commands/events.ts") },
  run: {
    summary: "run one command in a surface of its own",
    load: () => import("./src/commands/run.ts"),
  },
  surface: {
    summary: "open, close, list surfaces",
    load: () => import("./src/commands/surface.ts"),
  },
  "shell-init": {
    summary: "the shell's part: a surface per shell, prompt marks",
    load: () => import("./src/commands/shell_init.ts"),
  },
  focus: {
    summary: "jump to a pane, or to the one that needs you",
    load: () => import("./src/commands/focus.ts"),
  },
  tmux: {
    summary: "tmux's part: status segment, window marks",
    load: () => import("./src/commands/tmux.ts"),
  },
  ssh: {
    summary: "log in elsewhere; agents there report here",
    load: () => import("./src/commands/ssh.ts"),
  },
  emit: {
    summary: "send an event for this surface",
    load: () => import("./src/commands/emit.ts"),
  },
  status: {
    summary: "the server and what it has heard",
    load: () => import("./src/commands/status.ts"),
  },
  doctor: {
    summary: "what works, what does not, and what to do",
    load: () => import("./src/commands/doctor.ts"),
  },
  config: {
    summary: "check and show the configuration",
    load: () => import("./src/commands/config.ts"),
  },
  install: {
    summary: "write or repair the agents' hooks",
    load: () => import("./src/commands/install.ts"),
  },
  uninstall: {
    summary: "take the agents' hooks out again",
    load: () => import("./src/commands/uninstall.ts"),
  },
  service: {
    summary: "the server at every login: systemd or launchd",
    load: () => import("./src/commands/service.ts"),
  },
  test: {
    summary: "try an agent's hook from end to end",
    load: () => import("./src/commands/test.ts"),
  },
};

async function main([name = "--help", ...args]: string[]): Promise<number> {
  // First and by itself: the agents' critical path loads nothing else.
  if (name === "hook") return (await import("./src/commands/hook.ts")).run(args);
  // Called every second by status bars and prompts.
  if (name === "status-line") return (await import("./src/commands/status_line.ts")).run(args);
  const { runTable } = await import("./src/commands/_table.ts");
  return await runTable(COMMANDS, name, args);
}

Deno.exitCode = await main([...Deno.args]);

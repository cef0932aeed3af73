/** `mytty wait`: blocks until a pane, run or session is where the caller wants it. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { WAIT_CONDITIONS, type WaitCondition } from "../core/view/wait.ts";
import {
  bodyOf,
  client,
  CliError,
  defineCommand,
  finish,
  wholeNumber,
  writeJson,
} from "./_command.ts";

type Options = {
  readonly until: string;
  readonly run?: string;
  readonly session?: string;
  readonly after?: string;
  readonly timeout?: string;
};

type WaitJson = {
  readonly state: string;
  readonly runID: string | null;
  readonly position: number;
  readonly timedOut: boolean;
  readonly closed: boolean;
};

export function command(): Command {
  return defineCommand({
    name: "wait",
    summary: "Wait until an agent is idle, needs attention, has finished, or changes",
    examples: [
      "mytty wait build --until finished --timeout 600",
      'mytty wait build --until attention --after "$position"',
      "mytty wait --run 6f1c… --until finished",
    ],
    build: (command) =>
      command
        .argument("[surface]", "surface id, its beginning, a label, or a tmux pane (%7)")
        .requiredOption(
          "--until <condition>",
          `${WAIT_CONDITIONS.join(", ")} (exit status 1 if the pane is closed before)`,
        )
        .option("--run <id>", "wait for this run")
        .option("--session <id>", "wait for this session")
        .option(
          "--after <position>",
          "a state entered at or before this log position does not count",
        )
        .option("--timeout <seconds>", "give up after this long (exit status 124)")
        .option("--json", "print one JSON document; there is no other form")
        .action(wait),
  });
}

async function wait(target: string | undefined, options: Options, command: Command): Promise<void> {
  if (!WAIT_CONDITIONS.includes(options.until as WaitCondition)) {
    throw new CliError(
      EXIT.usage,
      `--until takes ${WAIT_CONDITIONS.join(", ")}, not "${options.until}"`,
    );
  }
  if (target === undefined && options.run === undefined && options.session === undefined) {
    throw new CliError(EXIT.usage, "Say what to wait for: a surface, --run or --session");
  }
  const seconds = options.timeout === undefined ? null : Number(options.timeout);
  if (seconds !== null && !(seconds >= 0)) {
    throw new CliError(EXIT.usage, `--timeout takes seconds, not "${options.timeout}"`);
  }
  const reply = await client().request("/v1/wait", {
    method: "POST",
    body: {
      target: target ?? null,
      runID: options.run ?? null,
      sessionID: options.session ?? null,
      until: options.until,
      after: options.after === undefined ? null : wholeNumber(options.after, "--after"),
      timeoutMs: seconds === null ? null : Math.round(seconds * 1000),
    },
  });
  const body = bodyOf<WaitJson>(reply);
  writeJson(body);
  if (body.closed) throw new CliError(EXIT.failed, "The pane was closed");
  finish(command, body.timedOut ? EXIT.timedOut : EXIT.done);
}

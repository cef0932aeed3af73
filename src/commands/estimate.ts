/** `mytty estimate`: which agents run here, and what can be told of them without hooks. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import type { AgentReport } from "../core/ports.ts";
import { createProcesses } from "../estimator/processes.ts";
import { UnreachableError } from "../socket/unreachable.ts";
import { estimateLines, estimateTable } from "../views/estimate_table.ts";
import { terminal } from "../views/terminal.ts";
import {
  bodyOf,
  client,
  CliError,
  defineCommand,
  finish,
  wholeNumber,
  writeErr,
  writeJson,
  writeOut,
} from "./_command.ts";

type Options = {
  readonly json?: true;
  readonly explain?: true;
  readonly watch?: true;
  readonly interval: string;
  readonly transcript?: string;
  readonly provider?: string;
  readonly stream?: true;
  readonly surface?: string;
};

type Pass = () => Promise<readonly AgentReport[]>;

export function command(): Command {
  return defineCommand({
    name: "estimate",
    summary: "Show which agents run here, seen by processes, transcripts and status files",
    examples: [
      "mytty estimate --explain",
      "mytty estimate --watch --json",
      "mytty estimate --transcript rollout.jsonl --provider codex",
      "tmux pipe-pane -o \"mytty estimate --stream --surface '#{pane_id}' >/dev/null\"",
    ],
    build: (command) =>
      command
        .option("--json", "print one JSON document; with --watch one line per change")
        .option("--explain", "say for each agent what it was concluded from")
        .option("--watch", "go on, and print what changes")
        .option("--interval <ms>", "pause between two passes of --watch", "1000")
        .option("--transcript <file>", "print what a transcript tells, one JSON line per fact")
        .option("--provider <provider>", "whose transcript it is")
        .option("--stream", "read a terminal's output on stdin, print its structured signals")
        .option("--surface <surface>", "with --stream: tell the server too, as of this surface")
        .action(estimate),
  });
}

async function estimate(options: Options, command: Command): Promise<void> {
  const { transcript, provider, stream, surface } = options;
  if (stream && transcript !== undefined) {
    throw new CliError(EXIT.usage, "--stream does not go with --transcript");
  }
  if (surface !== undefined && !stream) {
    throw new CliError(EXIT.usage, "--surface goes with --stream");
  }
  if (provider !== undefined && transcript === undefined) {
    throw new CliError(EXIT.usage, "--provider goes with --transcript");
  }
  const files = await import("./_estimate_files.ts");
  if (stream) return finish(command, await files.followStream(surface));
  if (transcript !== undefined) return files.replayTranscript(transcript, provider);
  const pass = await choosePass();
  if (options.watch) return await watch(pass, options);
  show(await pass(), options);
}

/** The server's own estimator where one serves: it knows the hooks as well. */
async function choosePass(): Promise<Pass> {
  const ask = async () => {
    const reply = await client().request("/v1/estimate");
    return bodyOf<{ agents: readonly AgentReport[] }>(reply).agents;
  };
  try {
    const { status } = await client().request("/v1/status");
    if (status === 200 && (await client().request("/v1/estimate")).status === 200) return ask;
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
  }
  const { EstimateHere } = await import("./_estimate_here.ts");
  const here = new EstimateHere(createProcesses(), writeErr);
  return () => here.pass();
}

function show(agents: readonly AgentReport[], { json, explain }: Options): void {
  if (json) return writeJson({ agents });
  const screen = terminal();
  writeOut(explain ? estimateLines(agents, screen) : estimateTable(agents, screen));
}

/** Prints an agent when it is new, has changed, or is gone. */
async function watch(pass: Pass, { json, interval }: Options): Promise<void> {
  const pause = wholeNumber(interval, "--interval", 100);
  const known = new Map<number, string>();
  for (;;) {
    const agents = await pass();
    for (const agent of agents) {
      const text = JSON.stringify(agent);
      if (known.get(agent.pid) !== text) change(agent, json === true);
      known.set(agent.pid, text);
    }
    for (const [pid, text] of known) {
      if (agents.some((agent) => agent.pid === pid)) continue;
      known.delete(pid);
      change({ ...JSON.parse(text), state: "gone" }, json === true);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function change(agent: AgentReport, asJson: boolean): void {
  if (asJson) return writeJson(agent);
  writeOut(estimateLines([agent], terminal()));
}

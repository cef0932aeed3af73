/** What every subcommand shares: flags by commander, exit codes, one-line errors, one client. */

import { Command, CommanderError } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { ControlClient, type Reply } from "../socket/client.ts";
import { readEnvironment, readPaths } from "../socket/environment.ts";
import { lockHolder } from "../socket/instance_lock.ts";
import { type Paths, relativeIssue } from "../socket/paths.ts";
import { UnreachableError } from "../socket/unreachable.ts";

/** An end with a message for people; `code` is the exit status. */
export class CliError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = "CliError";
    this.code = code;
  }
}

export type Setup = {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly build: (command: Command) => void;
};

/** A commander command in our manner: no exit of its own, usage errors with our code. */
export function defineCommand({ name, summary, examples, build }: Setup): Command {
  const command = new Command(`mytty ${name}`);
  command.summary(summary).description(summary).exitOverride().showHelpAfterError(false)
    .configureOutput({ writeOut, writeErr: () => {} });
  build(command);
  for (const sub of command.commands) {
    sub.exitOverride().configureOutput({ writeOut, writeErr: () => {} });
  }
  const lines = examples.map((example) => `  ${example}`).join("\n");
  return command.addHelpText("after", `\nExamples:\n${lines}`);
}

/** Parses and runs; the exit status. The action may set it through `process.exitCode`-free return. */
export async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  try {
    const issue = relativeIssue(readEnvironment());
    if (issue !== undefined && !asksForHelp(args)) throw new CliError(EXIT.usage, issue);
    await command.parseAsync([...args], { from: "user" });
    return resultOf(command);
  } catch (error) {
    if (error instanceof CommanderError && error.code === "commander.help") {
      // A group by its bare name: what it has is what the person wants to know.
      command.outputHelp();
      return EXIT.done;
    }
    return report(error);
  }
}

function asksForHelp(args: readonly string[]): boolean {
  return args.some((arg) => arg === "--help" || arg === "-h" || arg === "help");
}

const results = new WeakMap<Command, number>();

/** Remembers the exit status that the action of `command` decided on. */
export function finish(command: Command, code: number): void {
  let root = command;
  while (root.parent !== null) root = root.parent;
  results.set(root, code);
}

function resultOf(command: Command): number {
  return results.get(command) ?? EXIT.done;
}

function report(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done;
    const message = error.message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
    writeErr(`${message}; see --help`);
    return EXIT.usage;
  }
  if (error instanceof CliError) {
    writeErr(error.message);
    return error.code;
  }
  writeErr(messageOf(error));
  return exitCodeOf(error);
}

/** A server that is not there is told from whatever else fails. */
export function exitCodeOf(error: unknown): number {
  const isAway = error instanceof UnreachableError &&
    (error.why === "down" || error.why === "stopped");
  return isAway ? EXIT.notRunning : EXIT.failed;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function writeOut(text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  } catch (error) {
    // The reader (head, less) has enough.
    if (error instanceof Deno.errors.BrokenPipe) Deno.exit(EXIT.done);
    throw error;
  }
}

export function writeLine(text: string): void {
  writeOut(`${text}\n`);
}

export function writeJson(value: unknown): void {
  writeLine(JSON.stringify(value));
}

export function writeErr(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`mytty: ${text}\n`));
}

/** Nobody waits longer at a prompt for a server that is stopped or hangs. */
const ANSWER_MS = 2_000;

export function client(paths: Paths = readPaths()): ControlClient {
  const { controlSocket, runtimeLock } = paths;
  const holder = () => lockHolder(runtimeLock);
  return new ControlClient(controlSocket, { answerMs: ANSWER_MS, holder });
}

/** The body of a good answer; a refusal becomes an error with the server's sentence. */
export function bodyOf<T>(reply: Reply): T {
  if (reply.status === 200) return reply.body as T;
  const message = (reply.body as { message?: string }).message ?? `status ${reply.status}`;
  throw new CliError(EXIT.failed, message);
}

/** A whole number of at least `min`; a usage error otherwise. */
export function wholeNumber(text: string, name: string, min = 0): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < min) {
    throw new CliError(EXIT.usage, `${name} takes a whole number from ${min} on, not "${text}"`);
  }
  return number;
}

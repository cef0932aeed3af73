/**
 * Runs the commands that an agent runs, each once, and asks the server whether it heard them. An
 * exit status proves nothing: the guard in each command hides whatever is wrong behind a 0.
 */

import type { ProviderRecord } from "../core/provider.ts";
import { askProgram } from "../installers/ask_program.ts";
import { findExecutable } from "../installers/launcher_tools.ts";
import type { WrittenCommand } from "../installers/written_commands.ts";
import { UnreachableError } from "../socket/unreachable.ts";
import { askProviders } from "./_told.ts";

export type Link = { readonly link: string; readonly ok: boolean; readonly detail: string };

/** As long as agents wait for it. */
const PATIENCE_MS = 5_000;

/** A busy machine may use up a hook's own budget, which breaks no link: then it is run again. */
const ATTEMPTS = 5;

/** The last link: the first command that the server did not hear, or all of them. */
export async function tryCommands(
  record: ProviderRecord,
  written: readonly WrittenCommand[],
): Promise<Link> {
  const distinct = [...new Map(written.map((one) => [one.command, one])).values()];
  for (const one of distinct) {
    const broken = await tryCommand(record, one);
    if (broken !== null) return { ok: false, ...broken };
  }
  const { displayName } = record;
  const [first] = distinct;
  const what = distinct.length === 1
    ? `the ${first!.event} hook of ${displayName}`
    : `all ${distinct.length} hooks of ${displayName}`;
  return { link: "server", ok: true, detail: `heard ${what}` };
}

type Broken = { readonly link: string; readonly detail: string };

async function tryCommand(record: ProviderRecord, one: WrittenCommand): Promise<Broken | null> {
  const { event, launcher } = one;
  const isAbsolute = launcher.startsWith("/");
  if (isAbsolute && findExecutable(baseOf(launcher), [folderOf(launcher)]) === null) {
    return { link: "launcher", detail: `the ${event} hook names "${launcher}": no such program` };
  }
  let broken: Broken | null = null;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    broken = await runCommand(record, one);
    if (broken === null || !/\bin time\b|no time left/.test(broken.detail)) break;
  }
  return broken;
}

async function runCommand(
  record: ProviderRecord,
  { command, event }: WrittenCommand,
): Promise<Broken | null> {
  const before = await testsOf(record.id);
  if (typeof before === "string") return { link: "server", detail: before };
  const { code, stderr, issue } = await askProgram("/bin/sh", ["-c", command], {
    timeoutMs: PATIENCE_MS,
    env: { MYTTY_HOOK_TEST: "1" },
    stdin: JSON.stringify({ hook_event_name: event, session_id: "mytty-test" }),
  });
  const said = stderr.trim().replace(/^mytty hook: /, "");
  const link = /^no server|did not answer|closed without|refused/.test(said) ? "server" : "command";
  if (code === null) {
    const late = `the ${event} hook did not end within ${PATIENCE_MS / 1_000} s`;
    return { link: "launcher", detail: /did not answer/.test(issue ?? "") ? late : issue ?? late };
  }
  if (code !== 0) return { link, detail: said || `exit status ${code} of the ${event} hook` };
  const after = await testsOf(record.id);
  if (typeof after === "string") return { link: "server", detail: after };
  if (after > before) return null;
  return { link: "command", detail: `the server heard nothing of the ${event} hook: ${command}` };
}

/** How many test deliveries the server has had, or why it cannot be asked. */
async function testsOf(id: string): Promise<number | string> {
  try {
    const tests = (await askProviders()).find((provider) => provider.id === id)?.tests;
    return tests ?? "the server is of another release; restart it";
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    return error.why === "down" ? `no server: ${error.message}` : error.message;
  }
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

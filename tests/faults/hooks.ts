/** Hooks as agents run them: the staged launcher, or the program itself. */

import assert from "node:assert/strict";
import { victimEnv } from "./victim.ts";
import { BUILT } from "../helpers/built.ts";
import { launcherProviders } from "../../src/installers/launcher_file.ts";
import { findLauncherTools } from "../../src/installers/launcher_tools.ts";
import { stage } from "../../src/installers/staging.ts";
import { installContextFor } from "../helpers/install_home.ts";

/** Stages the launcher as an installation does; the command that runs it. */
export async function installLauncher(
  folder: string,
  state = `${folder}/state`,
): Promise<string[]> {
  const context = installContextFor(folder, {
    stateFolder: state,
    eventSocket: `${folder}/run/event.sock`,
    program: [BUILT],
  });
  const tools = await findLauncherTools("/usr/bin:/bin");
  const staged = await stage(context, { providers: launcherProviders(), tools });
  assert.ok(staged.ok, JSON.stringify(staged));
  // By the shell's name: a file that this process wrote is not executed while a child is forked.
  return ["/bin/sh", staged.launcher];
}

export type HookRun = {
  readonly code: number;
  readonly signal: string | null;
  /** Nothing kept it waiting: it had its whole budget for its payload. */
  readonly isPrompt: boolean;
};

/** A busy machine may use up a hook's budget before it got to read; such an event may be gone. */
const PROMPT_MS = 250;

/** Runs one hook; it is killed after `killAfter` milliseconds, if that is given. */
export async function runHook(
  [program, ...args]: readonly string[],
  { folder, stdin, env = {}, killAfter }: {
    readonly folder: string;
    readonly stdin: string;
    readonly env?: Record<string, string>;
    readonly killAfter?: number;
  },
): Promise<HookRun> {
  const began = performance.now();
  const child = new Deno.Command(program!, {
    args,
    env: victimEnv(folder, env),
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const timer = killAfter === undefined ? undefined : setTimeout(() => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It was done already.
    }
  }, killAfter);
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, signal } = await child.status;
  clearTimeout(timer);
  return { code, signal, isPrompt: performance.now() - began < PROMPT_MS };
}

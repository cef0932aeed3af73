/** `mytty shell-init`: a surface for an interactive shell, prompt marks, and command ends. */

import type { Command } from "commander";
import { EXIT } from "../core/exit_code.ts";
import { uuidOrNull } from "../core/ids.ts";
import { type Shell, shellInit, SHELLS, type ShellSurface } from "../core/shell/shell_init.ts";
import { UnreachableError } from "../socket/unreachable.ts";
import { readEnvironment } from "../socket/environment.ts";
import { liveFolder, pathsOf } from "../socket/paths.ts";
import { client, CliError, defineCommand, wholeNumber, writeOut } from "./_command.ts";
import { ownProgram } from "./_own_program.ts";

type Options = { readonly pid?: string };

type OpenedJson = { readonly surfaceID: string; readonly env: Record<string, string> };

/** A shell's start must not wait for a server that hangs. */
const TIMEOUT_MS = 1_000;

export function command(): Command {
  return defineCommand({
    name: "shell-init",
    summary: "Print the shell's part: a surface per shell, OSC 133 marks, command ends",
    examples: [
      'eval "$(mytty shell-init bash)"      # last line of ~/.bashrc',
      'eval "$(mytty shell-init zsh)"       # last line of ~/.zshrc',
      "mytty shell-init fish | source       # in ~/.config/fish/config.fish",
    ],
    build: (command) =>
      command
        .argument("<shell>", SHELLS.join(", "))
        .option("--pid <pid>", "the shell's process; otherwise whoever runs this")
        .action(run),
  });
}

/** Prints something that a shell can evaluate, whatever is wrong with the server. */
async function run(shell: string, { pid }: Options): Promise<void> {
  if (!SHELLS.includes(shell as Shell)) {
    throw new CliError(EXIT.usage, `shell-init takes ${SHELLS.join(", ")}, not "${shell}"`);
  }
  const own = pid === undefined ? Deno.ppid : wholeNumber(pid, "--pid", 1);
  writeOut(shellInit(shell as Shell, { surface: await openSurface(own), program: ownProgram() }));
}

/** Null when no server is there, or it did not answer well: the prompt matters more. */
async function openSurface(pid: number): Promise<ShellSurface | null> {
  const environment = readEnvironment();
  const surfaceID = uuidOrNull(environment.get("MYTTY_SURFACE_ID"));
  const capability = environment.get("MYTTY_EVENT_CAPABILITY");
  const within = surfaceID === null || capability === undefined ? null : { surfaceID, capability };
  const body = { pid, cwd: Deno.cwd(), within, reportsEnds: true };
  try {
    // Of the whole answer; the client's own patience is longer.
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const reply = await client().request("/v1/surfaces", { method: "POST", body, signal });
    if (reply.status !== 200) return null;
    const opened = reply.body as OpenedJson;
    const folder = liveFolder(pathsOf(environment).runtime);
    return { ...opened, liveFile: `${folder}/${opened.surfaceID}` };
  } catch (error) {
    const isQuiet = error instanceof UnreachableError || (error as Error).name === "AbortError";
    if (!isQuiet && (error as Error).name !== "TimeoutError") throw error;
    return null;
  }
}

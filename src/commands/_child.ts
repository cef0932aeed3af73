/** Runs a person's command in the foreground, as a shell would. */

import { CliError } from "./_command.ts";

export async function runChild(
  [program, ...args]: string[],
  env: Record<string, string>,
): Promise<Deno.CommandStatus> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program!, {
      args,
      env,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new CliError(127, `Cannot run "${program}": no such program`);
  }
  // The terminal sends these to the child as well; it decides, and we report how it ended.
  for (const signal of ["SIGINT", "SIGQUIT"] as const) Deno.addSignalListener(signal, () => {});
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, () => kill(child, signal));
  }
  return await child.status;
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has just ended by itself.
  }
}

/** The program as a person runs it, in a home of its own with agents of our making. */

import { withHome } from "./install_home.ts";
import { programEnv, runProgram } from "./program.ts";

export type Run = (...args: string[]) => ReturnType<typeof runProgram>;

type Task = (run: Run, home: string, env: Record<string, string>) => Promise<void>;

/** `extra`: variables beside HOME and PATH. */
export function withProgram(task: Task, extra: Record<string, string> = {}): Promise<void> {
  return withHome(async (home) => {
    const env = programEnv(home, {
      HOME: home,
      PATH: `${home}/bin:/usr/bin:/bin`,
      DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
      ...extra,
    });
    for (const name of Object.keys(env)) if (/^XDG_/.test(name)) delete env[name];
    await task((...args) => runProgram(args, { env }), home, env);
  });
}

/** Reads the process environment once, at the edge. */

import { type Environment, type Paths, pathsOf } from "./paths.ts";

export function readEnvironment(): Environment {
  return {
    get: variable,
    // Asked only where a path needs it: a service may set all our folders and no HOME.
    get home() {
      const home = homeFolder();
      if (home !== null) return home;
      throw new Error("No home folder: HOME is not set, and this user has none; set HOME");
    },
    uid: Deno.uid() ?? 0,
    os: Deno.build.os === "darwin" ? "darwin" : "linux",
  };
}

export function readPaths(): Paths {
  return pathsOf(readEnvironment());
}

/** $HOME, else the one that the system knows this user by; null where there is none. */
export function homeFolder(): string | null {
  return variable("HOME") ?? systemHome();
}

function variable(name: string): string | undefined {
  return Deno.env.get(name) || undefined;
}

/** Loaded only here: it costs the agents' critical path more than everything else together. */
function systemHome(): string | null {
  try {
    return process.getBuiltinModule("node:os").userInfo().homedir || null;
  } catch {
    // No entry for this user.
    return null;
  }
}

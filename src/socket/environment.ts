/** Reads the process environment once, at the edge. */

import { type Environment, type Paths, pathsOf } from "./paths.ts";

export function readEnvironment(): Environment {
  const get = (name: string) => Deno.env.get(name) || undefined;
  return {
    get,
    home: get("HOME") ?? "/",
    uid: Deno.uid() ?? 0,
    os: Deno.build.os === "darwin" ? "darwin" : "linux",
  };
}

export function readPaths(): Paths {
  return pathsOf(readEnvironment());
}

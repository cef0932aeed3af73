/**
 * The words that start this program, for a file that outlives this version of it. A package manager
 * puts a link on PATH and replaces what it points at: the link lasts, the place behind it does not.
 */

import { buildForm } from "./_build_form.ts";
import { ownProgram } from "./_own_program.ts";
import { normalize } from "node:path";

export function lastingProgram(): string[] {
  const [program, ...args] = ownProgram();
  if (buildForm() === "source") return [program!, ...args];
  return [linkTo(program!) ?? normalize(program!), ...args];
}

/** The `mytty` on PATH, when it is this very program. */
function linkTo(program: string): string | null {
  const real = realPath(program);
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    if (!folder.startsWith("/")) continue;
    const path = `${folder.replace(/\/+$/, "")}/mytty`;
    if (real !== null && realPath(path) === real) return path;
  }
  return null;
}

function realPath(path: string): string | null {
  try {
    return Deno.realPathSync(path);
  } catch {
    return null;
  }
}

/**
 * An install or uninstall that is killed at its n-th step on files, as `kill -9` would do it: run as
 * `install_victim.ts HOME STEP install|uninstall`. Prints how many steps there were when it gets to
 * its end.
 */

import { PROVIDERS } from "../../src/core/registry.ts";
import { installAll } from "../../src/installers/install.ts";
import { installContextFor } from "../helpers/install_home.ts";

/** Everything that changes a file or a folder. */
const STEPS = ["mkdir", "open", "rename", "renameSync", "link", "remove", "chmod"] as const;

const [home, at, what] = Deno.args;
let step = 0;

for (const name of STEPS) {
  const real = Deno[name] as (...args: unknown[]) => unknown;
  // deno-lint-ignore no-explicit-any -- the runtime's own functions are replaced.
  (Deno as any)[name] = (...args: unknown[]) => {
    if (++step === Number(at)) Deno.kill(Deno.pid, "SIGKILL");
    return real.apply(Deno, args);
  };
}

export const AGENTS = ["claude-code", "codex", "gemini", "opencode"];

if (import.meta.main) {
  const result = await installAll(
    PROVIDERS.filter(({ id }) => AGENTS.includes(id)),
    installContextFor(home!),
    { now: 1_000, isExplicit: true, uninstalls: what === "uninstall" },
  );
  if (!result.ok) throw new Error(result.issue.message);
  console.log(step);
}

/** The installer's surroundings, read from this process. */

import { resolve } from "node:path";
import type { InstallContext } from "../installers/context.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { EXIT } from "../core/exit_code.ts";
import { findProvider, PROVIDERS } from "../core/registry.ts";
import { readEnvironment } from "../socket/environment.ts";
import { pathsOf } from "../socket/paths.ts";
import { CliError } from "./_command.ts";
import { ownProgram } from "./_own_program.ts";

export function installContext(): InstallContext {
  const environment = readEnvironment();
  const { state, eventSocket } = pathsOf(environment);
  const { home, get } = environment;
  // Written into configs and scripts that run in other folders.
  return {
    home,
    get,
    stateFolder: resolve(state),
    eventSocket: resolve(eventSocket),
    program: ownProgram(),
  };
}

/** The named providers, each once; all of them when none is named. */
export function chosenProviders(words: readonly string[]): readonly ProviderRecord[] {
  if (words.length === 0) return PROVIDERS;
  const chosen = words.map((word) => {
    const record = findProvider(word);
    if (record !== undefined) return record;
    const known = PROVIDERS.map(({ id }) => id).join(", ");
    throw new CliError(EXIT.usage, `No provider is called "${word}"; known are ${known}`);
  });
  return [...new Set(chosen)];
}

/** The variables that say where a provider's folders are, kept with its install. Pure. */

import type { ProviderRecord } from "../core/provider.ts";
import type { InstallContext } from "./context.ts";
import { managedPaths } from "./managed_paths.ts";
import type { ProviderInstall } from "./records.ts";

function namesOf({ install }: ProviderRecord): string[] {
  const { targets, obsolete, obstacles = [], trust } = install;
  const all = [...targets, ...obsolete, ...obstacles, ...trust === undefined ? [] : [trust]];
  return [...new Set(all.flatMap(({ base }) => base.env.map(({ name }) => name)))];
}

/** Those that are set now. */
export function folderVariables(
  record: ProviderRecord,
  get: InstallContext["get"],
): Record<string, string> {
  return Object.fromEntries(
    namesOf(record).flatMap((name) => {
      const value = get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The surroundings as they were at the install, whatever those of this process are. */
export function contextOfInstall(
  context: InstallContext,
  record: ProviderRecord,
  { variables }: Pick<ProviderInstall, "variables">,
): InstallContext {
  if (variables === undefined) return context;
  const names = new Set(namesOf(record));
  const get = (name: string) => names.has(name) ? variables[name] : context.get(name);
  return { ...context, get };
}

/**
 * Everywhere that a provider is, or is to be, installed: these surroundings first, then those of
 * its last install and of earlier ones elsewhere. Each place once.
 */
export function placesOf(
  context: InstallContext,
  record: ProviderRecord,
  install: ProviderInstall | undefined,
): InstallContext[] {
  const kept = install === undefined ? [] : [install, ...earlierOf(install)];
  const all = [context, ...kept.map((one) => contextOfInstall(context, record, one))];
  const keys = all.map((place) => keyOf(record, place));
  return all.filter((_, at) => keys.indexOf(keys[at]!) === at);
}

/** Where it is installed; where it would be, while it is not. */
export function installedPlaces(
  context: InstallContext,
  record: ProviderRecord,
  install: ProviderInstall | undefined,
): InstallContext[] {
  const here = install === undefined ? context : contextOfInstall(context, record, install);
  return placesOf(here, record, install);
}

/** Two surroundings are one place when they name the same files. */
function keyOf(record: ProviderRecord, place: InstallContext): string {
  return managedPaths(record, place).join("\n");
}

function earlierOf({ earlier = [] }: ProviderInstall): Pick<ProviderInstall, "variables">[] {
  return earlier.map((variables) => ({ variables }));
}

/** The variables that say where a provider's folders are, kept with its install. Pure. */

import type { ProviderRecord } from "../core/provider.ts";
import type { InstallContext } from "./context.ts";
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
  { variables }: ProviderInstall,
): InstallContext {
  if (variables === undefined) return context;
  const names = new Set(namesOf(record));
  const get = (name: string) => names.has(name) ? variables[name] : context.get(name);
  return { ...context, get };
}

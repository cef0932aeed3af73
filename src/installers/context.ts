/** What every step of an installation needs to know of its surroundings; plain data. Pure. */

import type { BaseFolder } from "../core/install/install_target.ts";

export interface InstallContext {
  readonly home: string;
  /** Value of a variable, or undefined when unset or empty. */
  readonly get: (name: string) => string | undefined;
  /** Ours: launcher, spool, notes, backups, health. */
  readonly stateFolder: string;
  readonly eventSocket: string;
  /** Program and first arguments of `mytty`, for where the launcher cannot do without. */
  readonly program: readonly string[];
}

export function launcherPath({ stateFolder }: Pick<InstallContext, "stateFolder">): string {
  return `${stateFolder}/hooks/mytty-hook`;
}

/** Where a base folder and a file in it are for this user. */
export function resolveFile(
  context: Pick<InstallContext, "home" | "get">,
  base: BaseFolder,
  file: string,
): string {
  return `${baseFolder(context, base)}/${file}`;
}

function baseFolder({ home, get }: Pick<InstallContext, "home" | "get">, base: BaseFolder): string {
  for (const { name, under } of base.env) {
    const value = get(name)?.replace(/\/+$/, "");
    // A relative path would mean another folder wherever the agent is started.
    if (value?.startsWith("/")) return under === undefined ? value : `${value}/${under}`;
  }
  return `${home.replace(/\/+$/, "")}/${base.home}`;
}

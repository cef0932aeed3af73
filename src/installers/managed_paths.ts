/** Which files a provider's hooks live in, or lived in once. Pure. */

import type { ProviderRecord } from "../core/provider.ts";
import { type InstallContext, resolveFile } from "./context.ts";

/** Managed and obsolete ones, and the settings that stand in the way of an install. */
export function managedPaths(
  { install }: ProviderRecord,
  context: Pick<InstallContext, "home" | "get">,
): string[] {
  const { targets, obsolete, obstacles = [] } = install;
  const all = [...targets, ...obsolete, ...obstacles.filter(({ blocks }) => blocks)];
  return [...new Set(all.map(({ base, file }) => resolveFile(context, base, file)))];
}

/** Those of files that are ours alone: of these the mode is ours, too. */
export function ownFilePaths(
  { install }: ProviderRecord,
  context: Pick<InstallContext, "home" | "get">,
): string[] {
  return install.targets.filter(({ kind }) => kind === "own-file")
    .map(({ base, file }) => resolveFile(context, base, file));
}

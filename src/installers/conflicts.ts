/** I/O edge: the fights over configs that the server gave up, kept for `status` to name. */

import { membersOf, texts } from "./kept_shape.ts";
import { writeJsonFile } from "./records.ts";

/** By provider id: sentences for people. */
export type Conflicts = Readonly<Record<string, readonly string[]>>;

function conflictsPath(stateFolder: string): string {
  return `${stateFolder}/conflicts.json`;
}

export async function readConflicts(stateFolder: string): Promise<Conflicts> {
  try {
    const value = JSON.parse(await Deno.readTextFile(conflictsPath(stateFolder)));
    return value?.version === 1 ? membersOf(value.providers, texts) : {};
  } catch {
    return {};
  }
}

/** Writes only what differs; an empty list takes the provider out. */
export async function writeConflicts(stateFolder: string, changed: Conflicts): Promise<void> {
  const before = await readConflicts(stateFolder);
  const after = Object.fromEntries(
    Object.entries({ ...before, ...changed }).filter(([, list]) => list.length > 0),
  );
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  await writeJsonFile(conflictsPath(stateFolder), { version: 1, providers: after });
}

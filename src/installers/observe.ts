/** I/O edge: what is there for a provider: its program, its files, what stands in the way. */

import type { TrustRule } from "../core/install/install_target.ts";
import type { Json } from "../core/json.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { type InstallContext, resolveFile } from "./context.ts";
import { type Desired, desiredOf } from "./desired.ts";
import { formatOf } from "./plan_target.ts";
import { findProgram, type FoundProgram, lookAtProgram } from "./program_version.ts";
import { readTarget } from "./read_target.ts";
import { sameValue, valueAt } from "./read_value.ts";
import { readConfig } from "./verify.ts";

/** By provider id; null for a program that is not there. */
export type Programs = ReadonlyMap<string, FoundProgram | null>;

/** These are whole runtimes that start: all at once would bring a machine to its knees. */
const MOST_ASKED_AT_ONCE = 6;

export interface Hindrance {
  readonly message: string;
  readonly blocks: boolean;
}

async function observeProgram(
  record: ProviderRecord,
  context: InstallContext,
): Promise<FoundProgram | null> {
  const path = findProgram(record.install.programs, context.get("PATH") ?? "");
  if (path === null) return null;
  return await lookAtProgram(path, record.install.versionArguments);
}

/** A few at a time: these are whole runtimes that start. */
export async function observePrograms(
  records: readonly ProviderRecord[],
  context: InstallContext,
): Promise<Programs> {
  const found = new Map<string, FoundProgram | null>();
  const waiting = [...records];
  const worker = async () => {
    for (let record = waiting.shift(); record !== undefined; record = waiting.shift()) {
      found.set(record.id, await observeProgram(record, context));
    }
  };
  await Promise.all(Array.from({ length: MOST_ASKED_AT_ONCE }, worker));
  return found;
}

/** Settings or other managers that our hooks meet; each named with its file. */
export async function observeObstacles(
  record: ProviderRecord,
  context: InstallContext,
): Promise<Hindrance[]> {
  const found: Hindrance[] = [];
  for (const { base, file, dialect, find, blocks } of record.install.obstacles ?? []) {
    const path = resolveFile(context, base, file);
    const value = await readValue(path, dialect);
    const what = value === undefined ? null : find(value);
    if (what !== null) found.push({ message: `${what} in "${path}"`, blocks });
  }
  return found;
}

/** Entries of ours that the user has not approved yet, as `event` names. */
export async function observeUntrusted(
  record: ProviderRecord,
  context: InstallContext,
  version: string | null,
): Promise<string[]> {
  const { trust } = record.install;
  if (trust === undefined) return [];
  const config = await readValue(resolveFile(context, trust.base, trust.file), trust.dialect);
  const untrusted: string[] = [];
  for (const desired of desiredOf(record, context, { version, wanted: true })) {
    untrusted.push(...await untrustedIn(desired, { trust, config: config ?? {} }));
  }
  return untrusted;
}

async function untrustedIn(
  desired: Desired,
  { trust, config }: { readonly trust: TrustRule; readonly config: Json },
): Promise<string[]> {
  if (desired.kind !== "hooks") return [];
  const value = await readValue(desired.path, desired.target.dialect);
  const real = await Deno.realPath(desired.path).catch(() => desired.path);
  return desired.entries.flatMap(({ event, path, value: entry }) => {
    const list = valueAt(value, path);
    const index = Array.isArray(list) ? list.findIndex((item) => sameValue(item, entry)) : -1;
    if (index === -1) return [];
    const files = [desired.path, real];
    return trust.isTrusted(config, { files, event, index, entry }) ? [] : [event];
  });
}

/** Undefined for a file that is not there or cannot be read. */
async function readValue(
  path: string,
  dialect: Parameters<typeof formatOf>[0],
): Promise<Json | undefined> {
  const read = await readTarget(path);
  if (!read.ok || read.text === null) return undefined;
  try {
    const value = readConfig(read.text, formatOf(dialect));
    return value.ok ? value.value as Json : undefined;
  } catch {
    return undefined; // Nested so deeply that no parser gets through.
  }
}

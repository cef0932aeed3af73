/**
 * I/O edge: what an agent says of its own plugin list, reported apart from the health of its hooks.
 * Read only, bounded; no path of the list is kept or logged.
 */

import { fileURLToPath } from "node:url";
import type { ProviderRecord } from "../core/provider.ts";
import { type InstallContext, resolveFile } from "./context.ts";
import { discovery, membersOf } from "./kept_shape.ts";
import { type Answer, askProgram } from "./ask_program.ts";
import { writeJsonFile } from "./records.ts";
import type { ProviderReport } from "./report.ts";
import { folderVariables } from "./variables.ts";

export interface Discovery {
  /** `loaded`: exactly once; `unknown`: the agent did not say. */
  readonly plugin: "loaded" | "missing" | "double" | "unknown";
  /** Of the agent as it resolved itself. */
  readonly version: string | null;
  /** How many plugins of others are in the list. */
  readonly others: number;
  /** Why it is unknown, for people; no path in it. */
  readonly issue?: string;
}

const UNKNOWN: Discovery = { plugin: "unknown", version: null, others: 0 };

export async function discover(
  record: ProviderRecord,
  context: InstallContext,
  program: string,
): Promise<Discovery> {
  const rule = record.install.discovery;
  if (rule === undefined) return UNKNOWN;
  const env = folderVariables(record, context.get);
  const answer = await askProgram(program, rule.arguments, { env });
  const found = answer.code !== null ? rule.read(answer.stdout) : null;
  if (found === null) return { ...UNKNOWN, issue: issueOf(answer, program) };
  const ours = await ownPaths(record, context);
  const count = found.plugins.filter((plugin) => ours.has(pathOf(plugin))).length;
  const plugin = count === 1 ? "loaded" : count === 0 ? "missing" : "double";
  return { plugin, version: found.version, others: found.plugins.length - count };
}

function issueOf({ code, issue }: Answer, program: string): string {
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (issue !== null) return issue.replaceAll(program, name);
  return code === 0
    ? `${name} answered without a plugin list`
    : `${name} ended with ${code}, without a plugin list`;
}

async function ownPaths(record: ProviderRecord, context: InstallContext): Promise<Set<string>> {
  const paths = new Set<string>();
  for (const { base, file } of record.install.targets) {
    const path = resolveFile(context, base, file);
    paths.add(path).add(await Deno.realPath(path).catch(() => path));
  }
  return paths;
}

function pathOf(plugin: string): string {
  try {
    return plugin.startsWith("file:") ? fileURLToPath(plugin) : plugin;
  } catch {
    return plugin;
  }
}

function discoveryPath(stateFolder: string): string {
  return `${stateFolder}/discovery.json`;
}

/** By provider id; empty when nothing was kept. */
export async function readDiscoveries(
  stateFolder: string,
): Promise<Readonly<Record<string, Discovery>>> {
  try {
    const value = JSON.parse(await Deno.readTextFile(discoveryPath(stateFolder)));
    return value?.version === 1 ? membersOf(value.providers, discovery) : {};
  } catch {
    return {};
  }
}

/** After a reconcile, and for later: `status` has no seconds for it. Null where there is none. */
export async function keepDiscovery(
  record: ProviderRecord,
  context: InstallContext,
  { program, status }: ProviderReport,
): Promise<Discovery | null> {
  if (record.install.discovery === undefined) return null;
  const isGone = program === null || status === "uninstalled";
  const found = isGone ? null : await discover(record, context, program);
  await writeDiscovery(context.stateFolder, record.id, found);
  return found;
}

/** Null takes the provider out: its hooks are no longer installed. */
async function writeDiscovery(
  stateFolder: string,
  id: string,
  discovery: Discovery | null,
): Promise<void> {
  const { [id]: before, ...others } = await readDiscoveries(stateFolder);
  if (JSON.stringify(before ?? null) === JSON.stringify(discovery)) return;
  const providers = discovery === null ? others : { ...others, [id]: discovery };
  await writeJsonFile(discoveryPath(stateFolder), { version: 1, providers });
}

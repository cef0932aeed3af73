/** Finds an agent's own files: base folders by environment, patterns of one path each. */

import type { BaseFolder } from "../core/install/install_target.ts";
import type { TranscriptSpec } from "../core/estimate/reading.ts";

export type FileEnv = {
  readonly home: string;
  readonly get: (name: string) => string | undefined;
  /** Whose agents are looked at; all where the system does not tell. */
  readonly uid?: number | undefined;
};

/** Folders with more entries are not searched whole. */
const MAX_ENTRIES = 20_000;

export function baseFolder(base: BaseFolder, env: FileEnv): string {
  for (const { name, under } of base.env) {
    const value = env.get(name);
    if (value?.startsWith("/")) return under === undefined ? value : `${value}/${under}`;
  }
  return `${env.home}/${base.home}`;
}

export type FoundFile = {
  readonly path: string;
  readonly modifiedAt: number;
  readonly bornAt: number;
};

/** Files below `base` that fit one of the patterns, newest first; `*` fits within one segment. */
export function findFiles(base: string, patterns: readonly string[]): FoundFile[] {
  const paths = new Set(patterns.flatMap((pattern) => expand(base, pattern.split("/"))));
  return [...paths].flatMap((path) => {
    const info = attempt(() => Deno.statSync(path));
    if (info === null || !info.isFile) return [];
    const modifiedAt = info.mtime?.getTime() ?? 0;
    return [{ path, modifiedAt, bornAt: info.birthtime?.getTime() ?? modifiedAt }];
  }).sort((a, b) => b.modifiedAt - a.modifiedAt);
}

function expand(folder: string, [segment, ...rest]: readonly string[]): string[] {
  if (segment === undefined) return [folder];
  if (!segment.includes("*")) return expand(`${folder}/${segment}`, rest);
  const pattern = new RegExp(
    `^${segment.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`,
  );
  const names: string[] = [];
  for (const entry of attempt(() => Deno.readDirSync(folder)) ?? []) {
    if (names.length >= MAX_ENTRIES) break;
    if (pattern.test(entry.name)) names.push(entry.name);
  }
  return names.flatMap((name) => expand(`${folder}/${name}`, rest));
}

export type FoundTranscript = { readonly spec: TranscriptSpec; readonly path: string };

/** A provider's ways to write its turns down, best first. */
export function waysOf(spec: TranscriptSpec): TranscriptSpec[] {
  return spec.otherwise === undefined ? [spec] : [spec, ...waysOf(spec.otherwise)];
}

/**
 * The transcript of a session whose id is known: the one file that is named after it. A file that
 * only stands in the same folder may be another pane's.
 */
export function transcriptOf(
  spec: TranscriptSpec,
  env: FileEnv,
  clue: { readonly sessionID: string; readonly cwd: string | null },
): FoundTranscript | null {
  for (const way of waysOf(spec)) {
    const base = baseFolder(way.base, env);
    for (const pattern of way.find(clue)) {
      const found = findFiles(base, [pattern]).find(({ path }) => isOf(way, path, clue.sessionID));
      if (found !== undefined) return { spec: way, path: found.path };
    }
  }
  return null;
}

/** A file of all sessions has none of its own; some names hold only the beginning of the id. */
function isOf(spec: TranscriptSpec, path: string, wanted: string): boolean {
  const sessionID = spec.sessionOf(path)?.toLowerCase();
  if (sessionID === undefined) return spec.query?.sessions !== undefined;
  const id = wanted.toLowerCase();
  return spec.idOfHead === undefined ? sessionID === id : id.startsWith(sessionID);
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return null;
  }
}

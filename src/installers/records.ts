/**
 * I/O edge: what we did to which file, kept in the state folder, so that it can be undone exactly.
 * Read and written under the install lock only.
 */

import { dirname } from "node:path";
import { createFolders } from "./folders.ts";
import { elementsOf, fileRecord, folder, membersOf, providerInstall } from "./kept_shape.ts";
import { replaceFile } from "./replace_file.ts";
import type { UndoNote } from "./undo_note.ts";

export interface FileRecord {
  readonly note?: UndoNote;
  /** Hashes of what we wrote, for files that are ours and can hold no marker. */
  readonly hashes?: readonly string[];
  /** Empty groups of ours keep the positions of what is somebody else's. */
  readonly hasGaps?: true;
}

export interface ProviderInstall {
  /** Milliseconds; of the first install or the last one that changed something. */
  readonly installedAt: number;
  readonly version: string | null;
  /** The variables that named its folders then: the server is started from another shell. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Those of installs before that went into other folders, and are still there. */
  readonly earlier?: readonly Readonly<Record<string, string>>[];
}

export interface Records {
  readonly version: 1;
  readonly files: Readonly<Record<string, FileRecord>>;
  /** Folders that did not exist before us. */
  readonly folders: readonly string[];
  readonly providers: Readonly<Record<string, ProviderInstall>>;
}

const NONE: Records = { version: 1, files: {}, folders: [], providers: {} };

export function recordsPath(stateFolder: string): string {
  return `${stateFolder}/installs.json`;
}

/** Damaged or missing ones are none: undoing then goes by what is recognised as ours. */
export async function readRecords(stateFolder: string): Promise<Records> {
  try {
    const value = JSON.parse(await Deno.readTextFile(recordsPath(stateFolder)));
    if (value?.version !== 1) return NONE;
    return {
      version: 1,
      files: membersOf(value.files, fileRecord),
      folders: elementsOf(value.folders, folder),
      providers: membersOf(value.providers, providerInstall),
    };
  } catch {
    return NONE;
  }
}

export function writeRecords(stateFolder: string, records: Records): Promise<void> {
  return writeJsonFile(recordsPath(stateFolder), records);
}

/** Writes a private JSON file of ours, whole or not at all. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  await createFolders(dirname(path));
  const info = await Deno.lstat(path).catch(() => null);
  await replaceFile(path, new TextEncoder().encode(`${JSON.stringify(value)}\n`), {
    mode: 0o600,
    stillWanted: () => Promise.resolve(true),
    replaces: info,
  });
}

export function withFile(records: Records, path: string, record: FileRecord | null): Records {
  const { [path]: _old, ...others } = records.files;
  return { ...records, files: record === null ? others : { ...others, [path]: record } };
}

export function withFolders(records: Records, folders: readonly string[]): Records {
  return { ...records, folders: [...new Set(folders)] };
}

export function withProvider(
  records: Records,
  id: string,
  install: ProviderInstall | null,
): Records {
  const { [id]: _old, ...others } = records.providers;
  return { ...records, providers: install === null ? others : { ...others, [id]: install } };
}

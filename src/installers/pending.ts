/**
 * I/O edge: what is about to be written to a config, noted before it is. A run that is killed after
 * the write and before its records are kept can still be undone exactly. Under the install lock only.
 */

import { createFolders, exists, missingFolders } from "./folders.ts";
import { elementsOf, pendingWrite } from "./kept_shape.ts";
import { readTarget } from "./read_target.ts";
import { sameValue } from "./read_value.ts";
import { sweepFolder } from "./replace_file.ts";
import {
  type FileRecord,
  type Records,
  withFile,
  withFolders,
  writeJsonFile,
  writeRecords,
} from "./records.ts";
import { textHash, undoEdits } from "./undo_note.ts";
import { dirname } from "node:path";

export interface PendingWrite {
  readonly path: string;
  /** Hash of the text that is to be changed; null = there is no file. */
  readonly before: string | null;
  /** What is to be remembered once it is written. */
  readonly record: FileRecord | null;
  /** Folders that are made for it. */
  readonly folders: readonly string[];
}

function pendingPath(stateFolder: string): string {
  return `${stateFolder}/install-pending.json`;
}

async function readPending(stateFolder: string): Promise<readonly PendingWrite[]> {
  try {
    const value = JSON.parse(await Deno.readTextFile(pendingPath(stateFolder)));
    return elementsOf(value, pendingWrite);
  } catch {
    return [];
  }
}

/** Durable when it resolves. */
export async function notePending(
  stateFolder: string,
  write: {
    readonly path: string;
    readonly before: string | null;
    readonly record: FileRecord | null;
  },
): Promise<void> {
  const { path, before, record } = write;
  const others = (await readPending(stateFolder)).filter((other) => other.path !== path);
  const folders = record === null ? [] : await missingFolders(dirname(path));
  const hash = before === null ? null : textHash(before);
  await createFolders(stateFolder);
  await writeJsonFile(pendingPath(stateFolder), [...others, {
    path,
    before: hash,
    record,
    folders,
  }]);
}

/** Removes what a killed run left, and gives the records with what it had still written. */
export async function settlePending(stateFolder: string, records: Records): Promise<Records> {
  await sweepState(stateFolder);
  let settled = records;
  for (const write of await readPending(stateFolder)) {
    // They come first: it may have got no further.
    for (const folder of write.folders) {
      if (!await exists(folder).catch(() => false)) continue;
      settled = withFolders(settled, [...settled.folders, folder]);
    }
    const read = await readTarget(write.path);
    if (!read.ok || !hasHappened(write, read.text)) continue;
    settled = withFile(settled, write.path, write.record);
  }
  return settled;
}

/** Beside files that may never be written again: the launcher, backups, the records. */
async function sweepState(stateFolder: string): Promise<void> {
  const backups = `${stateFolder}/backups`;
  for (const folder of [stateFolder, `${stateFolder}/hooks`]) await sweepFolder(folder);
  try {
    for await (const { name } of Deno.readDir(backups)) await sweepFolder(`${backups}/${name}`);
  } catch {
    // There are none.
  }
}

function hasHappened({ before, record }: PendingWrite, text: string | null): boolean {
  const hash = text === null ? null : textHash(text);
  if (hash === before) return false;
  if (record === null) return true;
  if (text === null || hash === null) return false;
  if (record.note !== undefined) return undoEdits(text, record.note) !== undefined;
  return record.hashes?.includes(hash) ?? false;
}

/** Keeps the records, where they changed; everything that was noted is in them then. */
export async function keepRecords(
  stateFolder: string,
  before: Records,
  after: Records,
): Promise<void> {
  if (!sameValue(before, after)) await writeRecords(stateFolder, after);
  await Deno.remove(pendingPath(stateFolder)).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}

/** Writes a hook into the spool when nobody listens. Bounded: the oldest give way, and are counted. */

import {
  SPOOL_DROPPED,
  SPOOL_MAX_BYTES,
  SPOOL_MAX_FILES,
  SPOOL_PROVIDER,
  spoolName,
} from "../core/wire/spool_file.ts";
import { removeLeftOvers } from "./spool_left_overs.ts";
import { spooledNames } from "./spooled_names.ts";

export type SpoolEntry = {
  readonly provider: string;
  readonly at: number;
  readonly deliveryID: string;
  /** Header names and values, without the capability. */
  readonly headers: readonly (readonly [string, string])[];
  readonly payload: Uint8Array;
};

/** Throws when the file cannot be written; the caller must not let that hurt the agent. */
export function writeSpool(folder: string, entry: SpoolEntry): void {
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  makeRoom(folder, entry.payload.length);
  const name = spoolName(entry.at, entry.deliveryID);
  const temporary = `${folder}/.${name}.tmp`;
  const head = [[SPOOL_PROVIDER, entry.provider] as const, ...entry.headers]
    .map(([key, value]) => `${key}: ${value}\n`).join("");
  try {
    writeFile(temporary, [new TextEncoder().encode(`${head}\n`), entry.payload]);
    Deno.renameSync(temporary, `${folder}/${name}`);
  } catch (error) {
    // A full disk must not be filled further by what did not fit.
    removeQuietly(temporary);
    throw error;
  }
}

function writeFile(path: string, parts: readonly Uint8Array[]): void {
  const file = Deno.openSync(path, { write: true, create: true, truncate: true, mode: 0o600 });
  try {
    for (const part of parts) writeAll(file, part);
  } finally {
    file.close();
  }
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}

function makeRoom(folder: string, incoming: number): void {
  const entries = [...Deno.readDirSync(folder)];
  removeLeftOvers(folder, entries.map(({ name }) => name));
  const files = spooledNames(entries);
  const sizes = files.map((name) => sizeOf(`${folder}/${name}`));
  let bytes = sizes.reduce((sum, size) => sum + size, incoming);
  let dropped = 0;
  while (
    dropped < files.length &&
    (files.length - dropped >= SPOOL_MAX_FILES || bytes > SPOOL_MAX_BYTES)
  ) {
    bytes -= sizes[dropped]!;
    removeQuietly(`${folder}/${files[dropped]!}`);
    dropped++;
  }
  if (dropped === 0) return;
  Deno.writeTextFileSync(`${folder}/${SPOOL_DROPPED}`, ".".repeat(dropped), {
    append: true,
    mode: 0o600,
  });
}

function sizeOf(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0; // Taken or dropped by somebody else meanwhile.
  }
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // Taken or dropped by somebody else meanwhile.
  }
}

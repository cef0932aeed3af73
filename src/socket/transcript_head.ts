/** Finds a session's transcript and reads its first line, compressed or not, with bounds. */

import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import { createZstdDecompress } from "node:zlib";
import type { SessionFiles } from "../core/estimate/session_files.ts";

const MAX_HEAD_BYTES = 1_048_576;
const MAX_FILES = 20_000;
const COMPRESSED = /\.zst$/;

/** The newest fitting file below `base`; null when there is none or it cannot be listed. */
export function findTranscript(
  base: string,
  sessionID: string,
  files: SessionFiles,
): string | null {
  for (const folder of files.folders(sessionID)) {
    for (const name of namesIn(`${base}/${folder}`)) {
      const path = `${base}/${folder}/${name}`;
      if (files.sessionOfPath(path) === sessionID) return path;
    }
  }
  return null;
}

/** Names in a folder; none when it is not there. */
export function namesIn(folder: string): string[] {
  const names: string[] = [];
  try {
    for (const { name } of Deno.readDirSync(folder)) {
      if (names.length >= MAX_FILES) break;
      names.push(name);
    }
  } catch {
    // Not there, or not ours to read: the same to us.
  }
  return names;
}

/** Null for a file that cannot be read, is damaged, or whose first line does not end in time. */
export async function readHead(path: string): Promise<string | null> {
  // A deadline of its own: a dead disk must not hold the hook.
  const signal = AbortSignal.timeout(1_000);
  try {
    const file = createReadStream(path, { highWaterMark: 65_536, signal });
    const source = COMPRESSED.test(path) ? file.pipe(createZstdDecompress()) : file;
    if (source !== file) file.on("error", (error) => source.destroy(error));
    return await firstLine(source as AsyncIterable<Uint8Array>);
  } catch {
    return null;
  }
}

async function firstLine(source: AsyncIterable<Uint8Array>): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for await (const part of source) {
    const end = part.indexOf(10);
    parts.push(end < 0 ? part : part.subarray(0, end));
    total += part.length;
    if (end >= 0) return Buffer.concat(parts).toString("utf8");
    if (total > MAX_HEAD_BYTES) return null;
  }
  return null;
}

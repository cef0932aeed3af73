/** What can be said of the server's files without asking it: sockets, lock, database, spool. */

import { statfsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { SPOOL_DROPPED } from "../core/wire/spool_file.ts";
import { lockHolder } from "./instance_lock.ts";
import { type Environment, type Paths, socketPathIssue } from "./paths.ts";
import { spooledNames } from "./spooled_names.ts";
import { isProcessAlive } from "./process_alive.ts";

export type SocketFact = {
  readonly path: string;
  readonly state: "there" | "missing" | "not-a-socket" | "too-open" | "too-long";
  readonly detail: string;
};

export function socketFact(path: string, os: Environment["os"]): SocketFact {
  const issue = socketPathIssue(path, os);
  if (issue !== undefined) return { path, state: "too-long", detail: issue };
  const info = statOrNull(path);
  if (info === null) return { path, state: "missing", detail: `${path} is not there` };
  if (!info.isSocket) return { path, state: "not-a-socket", detail: `${path} is no socket` };
  const mode = (info.mode ?? 0) & 0o777;
  if ((mode & 0o077) !== 0) {
    return { path, state: "too-open", detail: `${path} has mode ${mode.toString(8)}` };
  }
  return { path, state: "there", detail: path };
}

export type DatabaseFact =
  | { readonly state: "missing" }
  | { readonly state: "fine"; readonly bytes: number; readonly rows: number }
  | { readonly state: "unreadable"; readonly reason: string };

/** Opened for reading only; the server may be writing at the same time. */
export function databaseFact(path: string): DatabaseFact {
  const info = statOrNull(path);
  if (info === null) return { state: "missing" };
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const row = database.prepare("SELECT count(*) AS rows FROM log").get();
      return { state: "fine", bytes: info.size, rows: Number(row?.rows ?? 0) };
    } finally {
      database.close();
    }
  } catch (error) {
    return { state: "unreadable", reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Room on the disk of `path` for the likes of us; null where the system does not say. */
export function freeBytes(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}

export type SpoolFact = { readonly waiting: number; readonly dropped: number };

export function spoolFact(folder: string): SpoolFact {
  try {
    const waiting = spooledNames([...Deno.readDirSync(folder)]).length;
    const dropped = statOrNull(`${folder}/${SPOOL_DROPPED}`)?.size ?? 0;
    return { waiting, dropped };
  } catch {
    return { waiting: 0, dropped: 0 }; // No spool was ever written.
  }
}

/** Pid written into the lock file, while that process lives; else null. */
export function servingPid({ lock }: Paths): number | null {
  const pid = lockHolder(lock);
  return pid !== null && isProcessAlive(pid) ? pid : null;
}

function statOrNull(path: string): Deno.FileInfo | null {
  try {
    return Deno.lstatSync(path);
  } catch {
    return null;
  }
}

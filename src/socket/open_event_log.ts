/** Opens the log; a damaged database is set aside, never deleted, and said so. */

import { DatabaseSync } from "node:sqlite";
import { EventLog } from "./event_log.ts";
import { refuseNewer } from "./migrations.ts";

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);

export function openEventLog(path: string, log: (text: string) => void): EventLog {
  try {
    refuseNewerFile(path);
    return checked(new EventLog(path));
  } catch (error) {
    if (!isDamage(error)) throw error;
    const aside = setAside(path);
    log(`the database was damaged (${(error as Error).message}); kept as "${aside}", began anew`);
    return new EventLog(path);
  }
}

/**
 * By a connection that cannot write: closing one that can would fold a killed server's write-ahead
 * log into a database that is not ours to touch.
 */
function refuseNewerFile(path: string): void {
  try {
    const { isFile, size } = Deno.statSync(path);
    if (!isFile || size === 0) return;
  } catch {
    return; // There is none yet, or what is wrong with it shows at the opening.
  }
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.prepare("PRAGMA busy_timeout = 1000").get();
    refuseNewer(database);
  } finally {
    database.close();
  }
}

/** Damage inside shows only when the rows are read; better now than in the middle of a replay. */
function checked(eventLog: EventLog): EventLog {
  try {
    const damage = eventLog.damage();
    if (damage !== null) throw new DamagedDatabaseError(damage);
    return eventLog;
  } catch (error) {
    eventLog.close();
    throw error;
  }
}

class DamagedDatabaseError extends Error {
  override readonly name = "DamagedDatabaseError";
}

function isDamage(error: unknown): boolean {
  if (error instanceof DamagedDatabaseError) return true;
  const code = (error as { errcode?: number }).errcode;
  return typeof code === "number" && DAMAGED.has(code & 0xff);
}

function setAside(path: string): string {
  const aside = `${path}.damaged-${new Date().toISOString().replaceAll(":", "")}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    try {
      Deno.renameSync(path + suffix, aside + suffix);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return aside;
}

/** Opens the log; a damaged database is set aside, never deleted, and said so. */

import { EventLog } from "./event_log.ts";

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);

export function openEventLog(path: string, log: (text: string) => void): EventLog {
  try {
    return checked(new EventLog(path));
  } catch (error) {
    if (!isDamage(error)) throw error;
    const aside = setAside(path);
    log(`the database was damaged (${(error as Error).message}); kept as "${aside}", began anew`);
    return new EventLog(path);
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

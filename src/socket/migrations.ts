/** The database's schema: an ordered list that is only ever appended to. */

import type { DatabaseSync } from "node:sqlite";

const MIGRATIONS: readonly string[] = [
  `CREATE TABLE log (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     id BLOB NOT NULL UNIQUE,
     at INTEGER NOT NULL,
     schema INTEGER NOT NULL,
     run BLOB,
     subject TEXT,
     reason TEXT,
     entry TEXT NOT NULL
   ) STRICT;
   CREATE INDEX log_run ON log (run) WHERE run IS NOT NULL;
   CREATE INDEX log_subject ON log (subject) WHERE subject IS NOT NULL;`,
  `CREATE TABLE snapshot (
     only INTEGER PRIMARY KEY CHECK (only = 1),
     position INTEGER NOT NULL,
     program TEXT NOT NULL,
     hash TEXT NOT NULL,
     text TEXT NOT NULL
   ) STRICT;`,
  "CREATE INDEX log_rejected ON log (at) WHERE reason IS NOT NULL;",
];

/** Brings the schema up to date; refuses a database of a newer program. */
export function migrate(database: DatabaseSync): void {
  for (let version = refuseNewer(database); version < MIGRATIONS.length; version++) {
    database.exec(`BEGIN; ${MIGRATIONS[version]}; PRAGMA user_version = ${version + 1}; COMMIT;`);
  }
}

/** The schema version of the database; throws when it is newer than this program knows. */
export function refuseNewer(database: DatabaseSync): number {
  const row = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (row.user_version > MIGRATIONS.length) {
    throw new NewerDatabaseError(row.user_version, MIGRATIONS.length);
  }
  return row.user_version;
}

export class NewerDatabaseError extends Error {
  constructor(found: number, known: number) {
    super(
      `Cannot open database: its schema version is ${found}, this mytty knows ${known}; ` +
        "use the newer mytty that made it",
    );
    this.name = "NewerDatabaseError";
  }
}

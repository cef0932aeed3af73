/** The database did not take what was to be stored: full, locked, read-only, damaged. */

export class StoreError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "StoreError";
  }
}

/** Only the database's own errors carry its code; any other is a mistake of ours. */
export function asStoreError(error: unknown): unknown {
  const { errcode } = error as { errcode?: number };
  return errcode === undefined ? error : new StoreError(error);
}

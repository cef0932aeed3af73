/** One server per folder: decided by an exclusive file lock, which dies with its holder. */

export type InstanceLock = {
  readonly release: () => void;
  /** False once another server has the lock: its file was deleted, and made anew by that one. */
  readonly keep: () => Promise<boolean>;
};

/** The lock, or null while another server holds it. The file itself is never removed. */
export async function acquireInstanceLock(path: string): Promise<InstanceLock | null> {
  let file = await lockFile(path);
  if (file === null) return null;
  return {
    release: () => letGo(file),
    keep: async () => {
      if (file !== null && await isUnder(path, file)) return true;
      const next = await lockFile(path);
      if (next === null) return false;
      letGo(file);
      file = next;
      return true;
    },
  };
}

/**
 * Unlocks before it closes: a process that another thread is forking at this moment holds the same
 * open file until it runs its program, and with it a lock that is only closed.
 */
function letGo(file: Deno.FsFile | null): void {
  file?.unlockSync();
  file?.close();
}

async function isUnder(path: string, file: Deno.FsFile): Promise<boolean> {
  const there = await Deno.stat(path).catch(() => null);
  return there !== null && there.ino === (await file.stat()).ino;
}

async function lockFile(path: string): Promise<Deno.FsFile | null> {
  const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  if (!await file.tryLock(true)) {
    file.close();
    return null;
  }
  try {
    await file.truncate(0);
    await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
  } catch {
    // A full disk: the lock counts, the pid is only for messages.
  }
  return file;
}

/** Pid that the holder wrote down, for messages only; null when it cannot be read. */
export function lockHolder(path: string): number | null {
  try {
    const pid = Number(Deno.readTextFileSync(path).trim());
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

/** One server per state folder: decided by an exclusive file lock, which dies with its holder. */

export type InstanceLock = { readonly release: () => void };

/** The lock, or null while another server holds it. The file itself is never removed. */
export async function acquireInstanceLock(path: string): Promise<InstanceLock | null> {
  const file = await Deno.open(path, { create: true, read: true, write: true, mode: 0o600 });
  if (!await file.tryLock(true)) {
    file.close();
    return null;
  }
  await file.truncate(0);
  await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
  return { release: () => file.close() };
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

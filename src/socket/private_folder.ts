/** Folders that only we may enter: made, checked, never followed through a symlink. */

/**
 * Makes `path` (and its parents) with mode 0700, or checks what is there.
 *
 * Throws when it is a symlink, no folder, or owned by somebody else: another user could have put it
 * there to read or replace our sockets.
 */
export function ensurePrivateFolder(path: string): void {
  const parent = path.replace(/\/[^/]+\/*$/, "");
  if (parent !== "" && parent !== path) Deno.mkdirSync(parent, { recursive: true });
  try {
    Deno.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) {
      throw new Error(`Cannot make folder: "${path}": ${reason(error)}`, { cause: error });
    }
  }
  const info = Deno.lstatSync(path);
  if (info.isSymlink) throw new Error(`Refusing folder: "${path}" is a symlink`);
  if (!info.isDirectory) throw new Error(`Refusing folder: "${path}" is not a folder`);
  if (info.uid !== null && info.uid !== Deno.uid()) {
    throw new Error(`Refusing folder: "${path}" is owned by user ${info.uid}, not by you`);
  }
  if (((info.mode ?? 0) & 0o777) !== 0o700) Deno.chmodSync(path, 0o700);
}

export function reason(error: unknown): string {
  return error instanceof Error
    ? error.message.replace(/\s*\(os error \d+\).*$/s, "")
    : String(error);
}

/** Folders that only we may enter: made, checked, never followed through a symlink. */

import { shellQuote } from "../core/shell/shell_quote.ts";

/**
 * Makes `path` (and its parents) with mode 0700, or checks what is there.
 *
 * Throws when it is a symlink, no folder, or owned by somebody else: another user could have put it
 * there to read or replace our sockets. One of another mode is refused and left as it is: it may be
 * a folder that others are meant to enter, named by mistake.
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
  const mode = (info.mode ?? 0o700) & 0o777;
  if (mode !== 0o700) {
    const shown = mode.toString(8).padStart(4, "0");
    throw new Error(
      `Refusing folder: "${path}" has mode ${shown}, not 0700; if it is for mytty alone: ` +
        `chmod 700 ${shellQuote(path)}`,
    );
  }
}

export function reason(error: unknown): string {
  return error instanceof Error
    ? error.message.replace(/\s*\(os error \d+\).*$/s, "")
    : String(error);
}

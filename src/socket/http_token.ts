/** The secret for `serve --http`: made once, kept where only we may read it, never logged. */

import { timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../core/ids.ts";

const BYTES = 32;

/** The token in `path`; a new file (0600) where there is none. Throws for one that is not private. */
export function keptToken(path: string): string {
  try {
    const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
    Deno.writeTextFileSync(path, `${bytes.toHex()}\n`, { createNew: true, mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  const info = Deno.lstatSync(path);
  const isPrivate = info.isFile && info.uid === Deno.uid() && ((info.mode ?? 0) & 0o077) === 0;
  const token = isPrivate ? Deno.readTextFileSync(path).trim() : "";
  if (/^[0-9a-f]{64}$/.test(token)) return token;
  throw new Error(`Refusing "${path}": it is no private file with a token; remove it`);
}

/** As long for a nearly right guess as for any other. */
export function isToken(given: string, token: string): boolean {
  const [left, right] = [given, token].map((text) => new TextEncoder().encode(sha256Hex(text)));
  return timingSafeEqual(left!, right!);
}

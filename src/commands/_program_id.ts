/** Which program this is, to the byte: what one build kept for itself is no other's. */

import { VERSION } from "../core/version.ts";

/** Null for the source form: its files may change while its name stays. */
export function programID(): string | null {
  if (Deno.build.standalone) {
    const { size, mtime } = Deno.statSync(Deno.execPath());
    return `${VERSION} ${size} ${mtime?.getTime()}`;
  }
  // The portable form unpacks into a folder that is named by its content.
  return /\/([0-9a-f]{32})\/app\/main\.js$/.exec(Deno.mainModule)?.[1] ?? null;
}

/**
 * A spooled hook: header lines as in the hook request, an empty line, the payload untouched. Plain
 * enough for the shell launcher to write. The capability is left out: it is never stored.
 */

import { HOOK_HEADERS, type HookRequest, hookRequest } from "./hook_request.ts";
import { uuidOrNull } from "../ids.ts";

export const SPOOL_MAX_FILES = 1_000;
export const SPOOL_MAX_BYTES = 16 * 1_048_576;
/** Older events say nothing about now any more. */
export const SPOOL_MAX_AGE_MS = 24 * 3_600_000;
export const SPOOL_SUFFIX = ".hook";
/** Holds one byte for every event that was dropped because the spool was full. */
export const SPOOL_DROPPED = "dropped";
export const SPOOL_PROVIDER = "mytty-provider";

/** A hook is done within half a second: an older half-written file is of one that was killed. */
export const SPOOL_STALE_MS = 5 * 60_000;

/** Half-written: the file itself, or the payload that the launcher keeps while it sends. */
export function isHalfWritten(name: string): boolean {
  return /^\..+\.(tmp|part)$/.test(name);
}

/** Sorts by time, then by delivery. */
export function spoolName(at: number, deliveryID: string): string {
  return `${String(at).padStart(15, "0")}-${deliveryID}${SPOOL_SUFFIX}`;
}

export type SpooledHook = { readonly request: HookRequest; readonly payload: Uint8Array };

/** Null for bytes that are no spooled hook. `decode`: bytes to text. */
export function parseSpoolFile(
  bytes: Uint8Array,
  decode: (bytes: Uint8Array) => string,
): SpooledHook | null {
  const end = endOfHead(bytes);
  if (end === -1) return null;
  const pairs = decode(bytes.subarray(0, end)).split("\n").flatMap((line) => {
    const colon = line.indexOf(": ");
    return colon === -1
      ? []
      : [[line.slice(0, colon).toLowerCase(), line.slice(colon + 2)] as [string, string]];
  });
  const provider = pairs.find(([name]) => name === SPOOL_PROVIDER)?.[1] ?? "";
  if (!/^[a-z0-9-]{1,64}$/.test(provider)) return null;
  const surfaceID = uuidOrNull(pairs.find(([name]) => name === HOOK_HEADERS.surface)?.[1]);
  const request = {
    ...hookRequest(provider, pairs),
    claim: surfaceID === null ? null : { surfaceID, capability: null },
    isSpooled: true,
  };
  return { request, payload: bytes.subarray(end + 2) };
}

function endOfHead(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) {
    if (bytes[at + 1] === 0x0a) return at;
  }
  return -1;
}

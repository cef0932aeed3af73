/**
 * Identifiers. Ids derived from provider data are UUIDs of version 5 shape, so that a hook, a
 * transcript and a late hook about the same prompt land on the same run.
 */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Lower-case UUID, or null when `value` is not one. */
export function uuidOrNull(value: unknown): string | null {
  return typeof value === "string" && UUID.test(value) ? value.toLowerCase() : null;
}

export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** SHA-256 over the NUL-joined parts: first 16 bytes, version nibble 5, RFC variant. */
export function derivedID(...parts: string[]): string {
  const bytes = sha256(utf8ToBytes(parts.join("\0"))).slice(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytesToHex(bytes);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

/** Run of one prompt: the same from a hook's turn key and from the transcript's. */
export function runIDOf(provider: string, sessionID: string, turnKey: string): string {
  return derivedID("run", provider, sessionID, turnKey);
}

/** Sixteen raw bytes of a UUID's text form, for compact storage keys. */
export function uuidBytes(uuid: string): Uint8Array {
  const hex = uuid.replaceAll("-", "");
  return Uint8Array.from({ length: 16 }, (_, i) => parseInt(hex.slice(i * 2, i * 2 + 2), 16));
}

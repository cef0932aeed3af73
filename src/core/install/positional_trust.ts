/**
 * Consent to hooks as Codex keeps it: one record per file, event, group and handler, with a hash of
 * what the handler is. Recomputed here to tell whether the user has approved our entries.
 */

import { sha256Hex } from "../ids.ts";
import type { PlacedEntry } from "./install_target.ts";
import { arrayAt, canonicalJson, isObject, type Json, objectAt, own } from "../json.ts";

/** Events whose timeout is one second by default and three at most; all others have 600. */
const SHORT_EVENTS = new Set(["session_end", "interrupt"]);

export function isPositionallyTrusted(config: Json, placed: PlacedEntry): boolean {
  const state = objectAt(objectAt(isObject(config) ? config : {}, "hooks") ?? {}, "state") ?? {};
  const event = snakeCase(placed.event);
  const { entry } = placed;
  if (!isObject(entry)) return false;
  return (arrayAt(entry, "hooks") ?? []).every((handler, position) => {
    const hashes = acceptedHashes(event, entry, handler);
    return placed.files.some((file) => {
      const record = own(state, `${file}:${event}:${placed.index}:${position}`);
      return isObject(record) && record.enabled !== false &&
        hashes.includes(String(record.trusted_hash));
    });
  });
}

/** Events that know no matcher drop it before the hash; which ones do differs between versions. */
function acceptedHashes(event: string, entry: Json, handler: Json): string[] {
  if (!isObject(entry) || !isObject(handler)) return [];
  const isShort = SHORT_EVENTS.has(event);
  const asked = typeof handler.timeout === "number" ? Math.max(1, handler.timeout) : undefined;
  const timeout = isShort ? Math.min(3, asked ?? 1) : asked ?? 600;
  const identity = {
    event_name: event,
    hooks: [{ async: handler.async === true, command: handler.command, timeout, type: "command" }],
  };
  const forms = [
    identity,
    ...entry.matcher === undefined ? [] : [{
      ...identity,
      matcher: entry.matcher,
    }],
  ];
  return forms.map((form) => `sha256:${sha256Hex(canonicalJson(form))}`);
}

function snakeCase(event: string): string {
  return event.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

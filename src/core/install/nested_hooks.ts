/**
 * The nested config shape of Claude Code and its followers:
 * `hooks` -> event -> groups `{matcher?, hooks: [{type, command, timeout}]}`.
 */

import type { EntryParts } from "./install_target.ts";
import { isObject, type Json } from "../json.ts";

export function nestedArrayPath(event: string): readonly string[] {
  return ["hooks", event];
}

export function nestedEntry({ command, subscription }: EntryParts): Json {
  const { matcher, timeout } = subscription;
  return {
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [{ type: "command", command, ...(timeout === undefined ? {} : { timeout }) }],
  };
}

/** Commands of one group; anything of another shape has none. */
export function nestedCommands(element: Json): readonly string[] {
  if (!isObject(element) || !Array.isArray(element.hooks)) return [];
  return element.hooks.flatMap((handler) =>
    isObject(handler) && typeof handler.command === "string" ? [handler.command] : []
  );
}

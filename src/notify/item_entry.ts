/** What the row that opened an item adds to it for its notice. */

import type { LogEntry } from "../core/log/event.ts";
import type { AttentionItem } from "../core/log/state.ts";

/** An item that is opened again keeps its first words; the notice has the new ones. */
export function retold(item: AttentionItem, entry: LogEntry): AttentionItem {
  const message = entry.type === "agent-event" ? entry.message : null;
  return message === null ? item : { ...item, message };
}

/** What happened while nobody looked is in the drawer; it is no news to wake somebody for. */
export function isLate(entry: LogEntry): boolean {
  if (entry.type !== "agent-event") return false;
  return entry.late === true || entry.hookName === "mytty.startupSweep";
}

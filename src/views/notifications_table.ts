/** Pure: the last notices, and for each channel what became of it and why. */

import type { NoticeRecord } from "../core/notify/notice_record.ts";
import { type Colour, duration, fit, paint } from "./paint.ts";
import { NARROW, type Screen } from "./terminal.ts";
import { labelled } from "./wrap.ts";

const COLOUR: Readonly<Record<string, Colour>> = {
  delivered: "green",
  suppressed: "grey",
  failed: "red",
  held: "yellow",
  sending: "yellow",
};

export function notificationsTable(
  records: readonly NoticeRecord[],
  { screen, now }: { screen: Screen; now: number },
): string {
  if (records.length === 0) return "Nothing was announced yet. Try `mytty notify test`.\n";
  return records.flatMap((record) => [
    headLine(record, { screen, now }),
    ...outcomeLines(record, screen),
  ]).join("\n") + "\n";
}

function headLine(
  { at, title, body }: NoticeRecord,
  { screen, now }: { screen: Screen; now: number },
): string {
  const age = duration(now - Date.parse(at)).padStart(4);
  const text = body === "" ? title : `${title} — ${body}`;
  return `${age}  ${fit(text, screen.width - 6)}`;
}

export function outcomeLines({ outcomes }: NoticeRecord, screen: Screen): string[] {
  if (outcomes.length === 0) return ["        no channel is switched on"];
  return outcomes.flatMap(({ channel, outcome, reason }) => {
    const word = paint(outcome.padEnd(10), COLOUR[outcome] ?? "grey", screen);
    const indent = " ".repeat(screen.width < NARROW ? 2 : 8);
    const text = `${indent}${channel.padEnd(9)} ${word} `;
    return labelled({ text, width: indent.length + 21 }, reason, screen.width);
  });
}

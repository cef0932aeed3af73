/** What was announced and what was not, with the reasons: the last 200 notices. Pure. */

import type { ChannelName, Notice } from "./notice.ts";
import { isoTime } from "../view/view_json.ts";

export const KEPT_RECORDS = 200;

export type OutcomeWord = "held" | "sending" | "delivered" | "suppressed" | "failed";

export type ChannelOutcome = {
  readonly channel: ChannelName;
  readonly outcome: OutcomeWord;
  readonly reason: string;
  readonly at: string;
};

/** The form that is kept, sent and printed. */
export type NoticeRecord = {
  readonly id: string;
  readonly at: string;
  readonly origin: string;
  readonly kind: string;
  readonly provider: string | null;
  readonly surfaceID: string | null;
  readonly runID: string | null;
  readonly place: string;
  readonly title: string;
  readonly body: string;
  readonly outcomes: readonly ChannelOutcome[];
};

export function newRecord(notice: Notice, at: number): NoticeRecord {
  const { id, origin, kind, provider, place, runID, title, body } = notice;
  return {
    id,
    at: isoTime(at),
    origin,
    kind,
    provider,
    surfaceID: place.surfaceID,
    runID,
    place: place.name,
    title,
    body,
    outcomes: [],
  };
}

/** The channel's newest outcome takes the place of its earlier one. */
export function withOutcome(record: NoticeRecord, outcome: ChannelOutcome): NoticeRecord {
  const others = record.outcomes.filter(({ channel }) => channel !== outcome.channel);
  return { ...record, outcomes: [...others, outcome] };
}

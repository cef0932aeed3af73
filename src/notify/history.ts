/** The last 200 notices with what became of each; kept in a file across restarts. */

import type { Notice } from "../core/notify/notice.ts";
import {
  type ChannelOutcome,
  KEPT_RECORDS,
  newRecord,
  type NoticeRecord,
  withOutcome,
} from "../core/notify/notice_record.ts";

const SAVE_AFTER_MS = 2_000;

export class NoticeHistory {
  readonly #path: string | null;
  readonly #log: (text: string) => void;
  #records: NoticeRecord[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `path` null: nothing is kept beyond this process. */
  constructor(path: string | null, log: (text: string) => void) {
    this.#path = path;
    this.#log = log;
    this.#records = this.#load();
  }

  /** Newest first. */
  all(): NoticeRecord[] {
    return this.#records.toReversed();
  }

  find(id: string): NoticeRecord | undefined {
    return this.#records.findLast((record) => record.id === id);
  }

  add(notice: Notice, at: number): void {
    this.#records.push(newRecord(notice, at));
    this.#records = this.#records.slice(-KEPT_RECORDS);
    this.#saveSoon();
  }

  note(noticeID: string, outcome: ChannelOutcome): void {
    const at = this.#records.findLastIndex((record) => record.id === noticeID);
    if (at === -1) return;
    this.#records[at] = withOutcome(this.#records[at]!, outcome);
    this.#saveSoon();
  }

  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#path === null) return;
    try {
      const temporary = `${this.#path}.tmp`;
      Deno.writeTextFileSync(temporary, JSON.stringify({ records: this.#records }), {
        mode: 0o600,
      });
      Deno.renameSync(temporary, this.#path);
    } catch (error) {
      this.#log(`cannot keep the notifications: ${String(error)}`);
    }
  }

  #saveSoon(): void {
    if (this.#path === null) return;
    this.#timer ??= setTimeout(() => this.save(), SAVE_AFTER_MS);
  }

  #load(): NoticeRecord[] {
    if (this.#path === null) return [];
    try {
      const { records } = JSON.parse(Deno.readTextFileSync(this.#path)) as {
        records: NoticeRecord[];
      };
      return records.filter(isRecord).slice(-KEPT_RECORDS);
    } catch {
      return []; // Not there yet, or damaged: it is a convenience, not the log.
    }
  }
}

function isRecord(value: unknown): value is NoticeRecord {
  const record = value as Partial<NoticeRecord> | null;
  return typeof record?.id === "string" && typeof record.title === "string" &&
    typeof record.body === "string" && typeof record.at === "string" &&
    Array.isArray(record.outcomes);
}

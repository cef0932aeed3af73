/**
 * Runs the rules: takes changes from the feed, waits out the hold time, asks for the focus, hands
 * over to the channels, and writes down what became of each notice. Nothing here makes an event
 * wait.
 */

import { isOpenItem } from "../core/log/attention.ts";
import type { NotifyConfig } from "../core/config.ts";
import type { LogRow } from "../core/log/event.ts";
import {
  CHANNEL_NAMES,
  type ChannelName,
  itemNotice,
  type Notice,
  type NoticePlace,
  type OutsideNotice,
  outsideNotice,
} from "../core/notify/notice.ts";
import type { NoticeRecord, OutcomeWord } from "../core/notify/notice_record.ts";
import { type Decision, type Held, NotifyQueue } from "../core/notify/notify_queue.ts";
import { inactiveReason } from "../core/notify/notify_rules.ts";
import type { Outcome } from "../core/log/outcome.ts";
import type { ChannelStatus, Notifier } from "../core/ports.ts";
import type { AttentionItem, State } from "../core/log/state.ts";
import { isoTime } from "../core/view/view_json.ts";
import type { Channel } from "./channel.ts";
import type { NotifyClock } from "./clock.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { NoticeHistory } from "./history.ts";
import { isLate, retold } from "./item_entry.ts";
import { testNotice } from "./test_notice.ts";

export type EngineOptions = {
  readonly config: () => NotifyConfig;
  readonly channels: readonly Channel[];
  readonly isFocused: (place: NoticePlace) => Promise<boolean | null>;
  readonly history: NoticeHistory;
  readonly log: (text: string) => void;
  readonly clock: NotifyClock;
  readonly maxDeliveryMs?: number;
};

export class NotifyEngine implements Notifier {
  readonly #options: EngineOptions;
  readonly #queue = new NotifyQueue();
  readonly #dispatcher: Dispatcher;
  readonly #posted = new Set<(notice: Notice) => void>();
  #state: State | null = null;
  #callOff: () => void = () => {};
  #isSettling = false;
  #isStopped = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#dispatcher = new Dispatcher({
      ...options,
      state: () => this.#state,
      note: (...outcome) => this.#note(...outcome),
    });
  }

  observe(applied: readonly { row: LogRow; outcome: Outcome }[], state: State): void {
    this.#state = state;
    for (const { row, outcome } of applied) {
      for (const change of outcome.changes) {
        if (change.change !== "attention") continue;
        const { before, after } = change;
        const wasOpen = before !== undefined && isOpenItem(before);
        if (isOpenItem(after) && !wasOpen) {
          this.#announce(itemNotice(state, retold(after, row.entry), isLate(row.entry)));
        } else if (!isOpenItem(after) && wasOpen) this.#withdraw(after);
      }
    }
  }

  tell(words: OutsideNotice, state: State): void {
    this.#state = state;
    this.#announce(outsideNotice(state, words));
  }

  async test(channel: string | null, place: NoticePlace): Promise<NoticeRecord> {
    const notice = testNotice(crypto.randomUUID(), place);
    const { channels } = this.#options.config();
    this.#options.history.add(notice, this.#options.clock.wall());
    const chosen = CHANNEL_NAMES.filter((name) =>
      channel === null ? inactiveReason(channels, name) === null : name === channel
    );
    await Promise.all(chosen.map((name) => this.#dispatcher.deliver(notice, name)));
    return this.#options.history.find(notice.id)!;
  }

  records(): readonly NoticeRecord[] {
    return this.#options.history.all();
  }

  channels(): readonly ChannelStatus[] {
    const config = this.#options.config();
    return CHANNEL_NAMES.map((name) => {
      const off = config.enabled
        ? inactiveReason(config.channels, name)
        : "notifications are switched off";
      return { name, active: off === null, detail: off ?? this.#dispatcher.lastEnd(name) };
    });
  }

  onPosted(listener: (notice: Notice) => void): () => void {
    this.#posted.add(listener);
    return () => this.#posted.delete(listener);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff();
    await this.#dispatcher.stop();
    this.#options.history.save();
  }

  #announce(notice: Notice): void {
    const { history, clock, config } = this.#options;
    history.add(notice, clock.wall());
    this.#noteAll(this.#queue.announce(notice, clock.steady(), config()));
    this.#schedule();
  }

  #withdraw(item: AttentionItem): void {
    const how = item.resolvedAt === null ? "acknowledged" : "answered";
    this.#noteAll(this.#queue.withdraw(item.id, `${how} before it was announced`));
    this.#schedule();
    this.#dispatcher.withdraw(item.id);
  }

  #schedule(): void {
    this.#callOff();
    const next = this.#queue.nextDue();
    if (next === null || this.#isStopped) return;
    const wait = Math.max(0, next - this.#options.clock.steady());
    this.#callOff = this.#options.clock.after(wait, () => void this.#settleDue());
  }

  async #settleDue(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    try {
      const now = this.#options.clock.steady();
      for (const notice of this.#queue.takePosts(now)) {
        for (const listener of this.#posted) listener(notice);
      }
      await this.#settle(this.#queue.due(now));
    } catch (error) {
      this.#options.log(`notifications: ${String(error)}`);
    } finally {
      this.#isSettling = false;
      this.#schedule();
    }
  }

  async #settle(due: readonly Held[]): Promise<void> {
    const { clock, config } = this.#options;
    const focus = await this.#focusOf(due);
    for (const held of due) {
      const focused = focus.get(held.notice.place.surfaceID) ?? null;
      const moment = { now: clock.steady(), minuteOfDay: clock.minuteOfDay(), focused };
      const decision = this.#queue.settle(held, moment, config());
      if (decision === null) continue;
      if (decision.verdict === "deliver") void this.#dispatcher.deliver(held.notice, held.channel);
      else this.#noteAll([decision]);
    }
  }

  /** Asked once for each pane. */
  async #focusOf(due: readonly Held[]): Promise<ReadonlyMap<string | null, boolean | null>> {
    const focus = new Map<string | null, boolean | null>();
    const places = new Map(due.map(({ notice }) => [notice.place.surfaceID, notice.place]));
    places.delete(null);
    await Promise.all([...places].map(async ([surfaceID, place]) => {
      focus.set(surfaceID, await this.#options.isFocused(place).catch(() => null));
    }));
    return focus;
  }

  #noteAll(decisions: readonly Decision[]): void {
    for (const { notice, channel, verdict, reason } of decisions) {
      if (verdict !== "deliver") this.#note(notice.id, channel, { outcome: verdict, reason });
    }
  }

  #note(id: string, channel: ChannelName, end: { outcome: OutcomeWord; reason: string }): void {
    const at = isoTime(this.#options.clock.wall());
    this.#options.history.note(id, { channel, ...end, at });
  }
}

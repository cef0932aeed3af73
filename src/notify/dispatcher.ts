/** Hands notices over to the channels, takes back what closed, and complains once of each fault. */

import { isOpenItem } from "../core/log/attention.ts";
import type { NotifyConfig } from "../core/config.ts";
import type { ChannelName, Notice } from "../core/notify/notice.ts";
import type { OutcomeWord } from "../core/notify/notice_record.ts";
import type { State } from "../core/log/state.ts";
import type { Channel } from "./channel.ts";
import { Lane, type LaneEnd } from "./lane.ts";

export type DispatcherOptions = {
  readonly channels: readonly Channel[];
  readonly config: () => NotifyConfig;
  readonly state: () => State | null;
  readonly log: (text: string) => void;
  readonly note: (
    noticeID: string,
    channel: ChannelName,
    end: { outcome: OutcomeWord; reason: string },
  ) => void;
  readonly maxDeliveryMs?: number;
};

type Delivered = { readonly notice: Notice; readonly channels: Set<ChannelName> };

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #lanes: ReadonlyMap<ChannelName, Lane>;
  readonly #stopping = new AbortController();
  /** Delivered notices of open items, to be taken back when they close. */
  readonly #delivered = new Map<string, Delivered>();
  /** The last complaint of each channel: said once, not at every notice. */
  readonly #complaints = new Map<string, string>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const lanes = options.channels.map((channel) =>
      [channel.name, new Lane(channel, this.#stopping.signal, options.maxDeliveryMs)] as const
    );
    this.#lanes = new Map(lanes);
  }

  /** Never rejects; resolves when it is known how the delivery ended. */
  async deliver(notice: Notice, channel: ChannelName): Promise<void> {
    const lane = this.#lanes.get(channel);
    if (lane === undefined) return;
    this.#options.note(notice.id, channel, { outcome: "sending", reason: "" });
    const end = await lane.deliver(this.#delivery(notice));
    this.#options.note(notice.id, channel, end);
    this.#complain(channel, end);
    if (end.outcome === "delivered") this.#remember(notice, channel);
  }

  withdraw(noticeID: string): void {
    const delivered = this.#delivered.get(noticeID);
    this.#delivered.delete(noticeID);
    if (delivered === undefined) return;
    for (const name of delivered.channels) {
      void this.#lanes.get(name)?.withdraw(this.#delivery(delivered.notice));
    }
  }

  lastEnd(channel: ChannelName): string {
    const end = this.#lanes.get(channel)?.lastEnd ?? null;
    if (end === null) return "not used yet";
    if (end.outcome === "delivered") return "the last delivery went well";
    return `the last delivery: ${end.outcome}, ${end.reason}`;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#lanes.values()].map((lane) => lane.idle()));
  }

  #delivery(notice: Notice) {
    return { notice, config: this.#options.config(), state: this.#options.state() };
  }

  #remember(notice: Notice, channel: ChannelName): void {
    const item = this.#options.state()?.items.get(notice.id);
    if (item === undefined) return;
    const delivered = this.#delivered.get(notice.id) ?? { notice, channels: new Set() };
    delivered.channels.add(channel);
    this.#delivered.set(notice.id, delivered);
    // Closed while it was being delivered.
    if (!isOpenItem(item)) this.withdraw(notice.id);
  }

  #complain(channel: ChannelName, { outcome, reason }: LaneEnd): void {
    const complaint = outcome === "failed" ? reason : "";
    if (complaint !== "" && complaint !== this.#complaints.get(channel)) {
      this.#options.log(`notifications: ${channel}: ${complaint}`);
    }
    this.#complaints.set(channel, complaint);
  }
}

/** What every channel is, and how a delivery ends. */

import type { Config } from "../core/config.ts";
import type { ChannelName, Notice } from "../core/notify/notice.ts";
import type { State } from "../core/log/state.ts";

export type Delivery = {
  readonly notice: Notice;
  readonly config: Config["notify"];
  /** Aborted when the delivery has taken too long or the server stops. */
  readonly signal: AbortSignal;
  /** The state as it is now; null before the first event. */
  readonly state: State | null;
};

export interface Channel {
  readonly name: ChannelName;
  /**
   * Null when delivered; a sentence when there is nothing to deliver to here. Rejects when it went
   * wrong.
   */
  deliver(delivery: Delivery): Promise<string | null>;
  /** The notice needs nobody any more: takes back what can be taken back. */
  withdraw?(delivery: Delivery): Promise<void>;
}

/** A delivery that takes longer than this has failed, whatever the channel. */
export const MAX_DELIVERY_MS = 15_000;

export const DELIVERY_MS = 5_000;

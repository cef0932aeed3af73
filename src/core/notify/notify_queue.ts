/**
 * What is announced, held or suppressed, as a pure machine: notices and answers come in, decisions
 * come out. Time is an argument; the engine (src/notify) only waits and delivers.
 */

import type { NotifyConfig } from "../config.ts";
import { CHANNEL_NAMES, type ChannelName, type Notice } from "./notice.ts";
import { type Announced, COALESCE_MS, isTerminalSide, sameNotice } from "./notify_match.ts";
import {
  channelRules,
  inactiveReason,
  type Moment,
  neverReason,
  notNowReason,
} from "./notify_rules.ts";

export type Verdict = "held" | "deliver" | "suppressed";

export type Decision = {
  readonly notice: Notice;
  readonly channel: ChannelName;
  readonly verdict: Verdict;
  readonly reason: string;
};

/** A notice that waits, on one channel, to see whether it is answered. */
export type Held = {
  readonly notice: Notice;
  readonly channel: ChannelName;
  readonly dueAt: number;
};

/** More than anyone could look at; what is beyond it is suppressed and said so. */
export const MAX_HELD = 2_000;

/** Notices remembered to find doubles; and panes remembered for the cooldown. */
const MAX_REMEMBERED = 200;
const MAX_COOLING = 4_000;

export class NotifyQueue {
  readonly #held = new Map<string, Held>();
  readonly #lastAt = new Map<string, number>();
  /** Notices that the stream is to tell, whatever the channels do. */
  readonly #posts = new Map<string, { readonly notice: Notice; readonly dueAt: number }>();
  #announced: Announced[] = [];

  /** One decision for each channel; nothing is delivered before its hold time is over. */
  announce(notice: Notice, now: number, config: NotifyConfig): Decision[] {
    this.#announced = this.#announced.slice(-MAX_REMEMBERED);
    this.#announced.push({ notice, at: now, consumed: false });
    if (!isQuietForEver(notice, config)) {
      const { hold } = channelRules(config, "desktop");
      this.#posts.set(notice.id, { notice, dueAt: now + hold });
    }
    return CHANNEL_NAMES.flatMap((channel) => this.#announceOn(channel, notice, { now, config }));
  }

  /** The notice needs nobody any more: what still waits is not delivered. */
  withdraw(noticeID: string, reason: string): Decision[] {
    this.#posts.delete(noticeID);
    return CHANNEL_NAMES.flatMap((channel) => {
      const key = heldKey(noticeID, channel);
      const held = this.#held.get(key);
      if (held === undefined) return [];
      this.#held.delete(key);
      return [{ notice: held.notice, channel, verdict: "suppressed" as const, reason }];
    });
  }

  nextDue(): number | null {
    let next: number | null = null;
    for (const held of [this.#held, this.#posts]) {
      for (const { dueAt } of held.values()) next = Math.min(next ?? dueAt, dueAt);
    }
    return next;
  }

  /** Notices that have outlived the hold time, each once: what a stream tells. */
  takePosts(now: number): Notice[] {
    const due = [...this.#posts.values()].filter(({ dueAt }) => dueAt <= now);
    for (const { notice } of due) this.#posts.delete(notice.id);
    return due.map(({ notice }) => notice);
  }

  due(now: number): Held[] {
    return [...this.#held.values()].filter(({ dueAt }) => dueAt <= now);
  }

  /** The hold time is over: deliver or not. Null when the notice was withdrawn meanwhile. */
  settle({ notice, channel }: Held, moment: Moment, config: NotifyConfig): Decision | null {
    if (!this.#held.delete(heldKey(notice.id, channel))) return null;
    const suppressed = this.#dueReason(notice, channel, { moment, config });
    if (suppressed !== null) {
      return { notice, channel, verdict: "suppressed", reason: suppressed };
    }
    const key = cooldownKey(notice, channel);
    this.#lastAt.delete(key);
    this.#lastAt.set(key, moment.now);
    if (this.#lastAt.size > MAX_COOLING) this.#lastAt.delete(this.#lastAt.keys().next().value!);
    return { notice, channel, verdict: "deliver", reason: "" };
  }

  #announceOn(
    channel: ChannelName,
    notice: Notice,
    { now, config }: { now: number; config: NotifyConfig },
  ): Decision[] {
    // A channel that nobody asked for is not worth a record.
    if (inactiveReason(config.channels, channel) !== null) return [];
    if (!config.enabled) return [suppressed(notice, channel, "notifications are switched off")];
    const rules = channelRules(config, channel);
    const never = neverReason(notice, config, rules);
    if (never !== null) return [suppressed(notice, channel, never)];
    if (this.#held.size >= MAX_HELD) return [suppressed(notice, channel, "too many at once")];
    // An agent's own hook may be on its way, and tells more than its terminal notice.
    const waits = channel === "desktop" && isTerminalSide(notice) ? COALESCE_MS : 0;
    const hold = Math.max(rules.hold, waits);
    this.#held.set(heldKey(notice.id, channel), { notice, channel, dueAt: now + hold });
    return [{ notice, channel, verdict: "held", reason: `for ${hold} ms` }];
  }

  #dueReason(
    notice: Notice,
    channel: ChannelName,
    { moment, config }: { moment: Moment; config: NotifyConfig },
  ): string | null {
    const rules = channelRules(config, channel);
    const lastAt = this.#lastAt.get(cooldownKey(notice, channel));
    // The mark is for the other windows too: it shows where to go back to.
    const seen = channel === "tmux" ? { ...moment, focused: null } : moment;
    const notNow = notNowReason(seen, { config, rules, lastAt });
    if (notNow !== null || channel !== "desktop" || !isTerminalSide(notice)) return notNow;
    const own = this.#announced.find((one) => one.notice.id === notice.id);
    const other = own === undefined ? null : sameNotice(own, this.#announced);
    if (other === null) return null;
    other.consumed = true;
    return `the same as "${other.notice.title}", told by the agent's hook`;
  }
}

/** Not even a stream tells these: nobody is to be disturbed by them anywhere. */
function isQuietForEver({ late, child }: Notice, config: NotifyConfig): boolean {
  return late || (child && !config.children);
}

function suppressed(notice: Notice, channel: ChannelName, reason: string): Decision {
  return { notice, channel, verdict: "suppressed", reason };
}

function heldKey(noticeID: string, channel: ChannelName): string {
  return `${channel} ${noticeID}`;
}

function cooldownKey({ place, provider, sessionID }: Notice, channel: ChannelName): string {
  return `${channel} ${place.surfaceID ?? `${provider} ${sessionID}`}`;
}

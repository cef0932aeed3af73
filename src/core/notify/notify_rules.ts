/**
 * The rules of announcing, pure: may this notice go out on this channel, now or ever? Each answer
 * is a reason in a person's words, or null for yes.
 */

import type { ChannelConfigs, NotifyConfig } from "../config.ts";
import type { ChannelName, Notice, NoticeKind } from "./notice.ts";
import { providerID } from "../registry.ts";

/** What is answered within this time is never announced, unless configured otherwise. */
export const HOLD_MS = 1_000;

export type ChannelRules = {
  readonly kinds: readonly NoticeKind[] | null;
  readonly providers: readonly string[] | null;
  readonly hold: number;
  readonly cooldown: number;
  readonly quietHours: { readonly from: number; readonly to: number } | null;
};

/** A channel's own rules before the general ones before the defaults. */
export function channelRules(config: NotifyConfig, channel: ChannelName): ChannelRules {
  const own = config.channels[channel];
  const providers = own.providers ?? config.providers ?? null;
  // A mark disturbs nobody, and one that is left out would say that all is well.
  const general: Pick<NotifyConfig, "quietHours" | "cooldown"> = channel === "tmux" ? {} : config;
  const quietHours = own.quietHours === undefined ? general.quietHours : own.quietHours;
  return {
    kinds: own.kinds ?? config.kinds ?? null,
    providers: providers === null ? null : providers.map(providerID),
    hold: own.hold ?? config.hold ?? HOLD_MS,
    cooldown: own.cooldown ?? general.cooldown ?? 0,
    quietHours: quietHours ?? null,
  };
}

/** Why a channel cannot be used as it is configured; null when it can. */
export function inactiveReason(channels: ChannelConfigs, name: ChannelName): string | null {
  if (!channels[name].enabled) return "switched off in the configuration";
  if (name === "command" && channels.command.run === undefined) return "no command is configured";
  if (name === "webhook" && channels.webhook.url === undefined) return "no url is configured";
  if (name === "ntfy" && channels.ntfy.topic === undefined) return "no topic is configured";
  return null;
}

/** What can be said of a notice whatever the time: why it never goes out. */
export function neverReason(
  notice: Notice,
  config: NotifyConfig,
  rules: ChannelRules,
): string | null {
  if (notice.late) return "late: it happened before it could be told";
  if (notice.child && !config.children) return "a sub-agent's";
  if (rules.kinds !== null && !rules.kinds.includes(notice.kind)) {
    return `kind ${notice.kind} is not announced here`;
  }
  const { provider } = notice;
  // A terminal's own words name no agent; a list of agents does not let them pass.
  if (rules.providers !== null && (provider === null || !rules.providers.includes(provider))) {
    return `${provider ?? "an unknown program"} is not announced here`;
  }
  return null;
}

/** The moment of delivery as the rules see it. */
export type Moment = {
  /** Steady time in milliseconds. */
  readonly now: number;
  /** Minutes since local midnight. */
  readonly minuteOfDay: number;
  /** Whether the person looks at the pane; null where the terminal does not tell. */
  readonly focused: boolean | null;
};

export function notNowReason(
  moment: Moment,
  { config, rules, lastAt }: {
    config: NotifyConfig;
    rules: ChannelRules;
    lastAt: number | undefined;
  },
): string | null {
  if (moment.focused === true && !config.whenFocused) return "the pane is in front of you";
  if (rules.quietHours !== null && isWithin(rules.quietHours, moment.minuteOfDay)) {
    return `quiet hours until ${clock(rules.quietHours.to)}`;
  }
  if (lastAt !== undefined && moment.now - lastAt < rules.cooldown) {
    return `cooldown: the pane was announced ${Math.round(moment.now - lastAt)} ms ago`;
  }
  return null;
}

/** `from` after `to` goes over midnight; both equal is the whole day. */
function isWithin({ from, to }: { from: number; to: number }, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function clock(minute: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

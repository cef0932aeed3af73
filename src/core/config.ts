/**
 * The configuration file: its schema, its defaults, and what is wrong with one that does not fit.
 * Pure: reading and watching the file is socket/config_file.ts.
 */

import { z } from "zod";
import { didYouMean, issueSentences } from "./config_issues.ts";
import { nearestWord } from "./nearest_word.ts";
import { NOTICE_KINDS } from "./notify/notice.ts";
import { findProvider, PROVIDERS } from "./registry.ts";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** "500ms", "10s", "5m", "3h", "7d"; a bare number is seconds. Becomes milliseconds. */
const duration = z.union([
  z.string().regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, 'takes a time like "10s", "5m" or "7d"'),
  z.number().min(0),
]).transform(durationMs).describe('A time: "500ms", "10s", "5m", "3h", "7d", or seconds');

function durationMs(value: string | number): number {
  if (typeof value === "number") return Math.round(value * 1_000);
  const [, number, unit] = /^([\d.]+)(\w+)$/.exec(value)!;
  return Math.round(Number(number) * UNITS[unit as keyof typeof UNITS]);
}

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'takes a time of day like "22:00"');

const quietHours = z.strictObject({ from: timeOfDay, to: timeOfDay }).transform(({ from, to }) => ({
  from: minuteOf(from),
  to: minuteOf(to),
})).nullable().describe("Nothing is announced from `from` to `to`, local time; null = never quiet");

function minuteOf(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
}

const PROVIDER_WORDS = PROVIDERS.flatMap(({ id, aliases }) => [id, ...aliases]);

/** Nearly a known one is a slip, which would silence everything. */
const provider = z.string().refine(
  (word) => findProvider(word) !== undefined || nearestWord(word, PROVIDER_WORDS) === undefined,
  { error: ({ input }) => `"${input}" is no agent${didYouMean(String(input), PROVIDER_WORDS)}` },
);

const rules = {
  kinds: z.array(z.enum(NOTICE_KINDS)).describe("Only these are announced").optional(),
  providers: z.array(provider).describe("Only of these agents (ids or aliases)").optional(),
  hold: duration.describe("What is answered within this time is not announced").optional(),
  cooldown: duration.describe("At most one announcement of a pane in this time").optional(),
  quietHours: quietHours.optional(),
};

const enabled = z.boolean();
const address = z.url({ protocol: /^https?$/, error: "takes an http or https address" });

const channels = z.strictObject({
  desktop: z.strictObject({ enabled: enabled.default(true), ...rules }).prefault({}),
  terminal: z.strictObject({
    enabled: enabled.default(false),
    style: z.enum(["auto", "osc9", "osc99", "osc777", "bell"]).default("auto"),
    bell: z.boolean().default(false).describe("Ring the bell as well"),
    ...rules,
  }).prefault({}),
  tmux: z.strictObject({
    enabled: enabled.default(true),
    option: z.string().regex(/^@[\w-]+$/, "takes a name like @mytty").default("@mytty"),
    ...rules,
  }).prefault({}),
  command: z.strictObject({
    enabled: enabled.default(true),
    run: z.union([z.string(), z.array(z.string()).min(1)])
      .describe("A shell line, or a program and its arguments").optional(),
    timeout: duration.prefault("10s"),
    ...rules,
  }).prefault({}),
  webhook: z.strictObject({
    enabled: enabled.default(true),
    url: address.optional(),
    headers: z.record(z.string(), z.string()).default({}),
    timeout: duration.prefault("10s"),
    ...rules,
  }).prefault({}),
  ntfy: z.strictObject({
    enabled: enabled.default(true),
    url: address.default("https://ntfy.sh"),
    topic: z.string().regex(/^[\w-]{1,64}$/, "takes letters, digits, - and _").optional(),
    token: z.string().optional(),
    timeout: duration.prefault("10s"),
    ...rules,
  }).prefault({}),
});

export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  idleAfter: duration.prefault("5m").describe("Ended work is shown as idle after this"),
  retention: duration.prefault("7d").describe("Finished runs are forgotten after this"),
  estimate: z.enum(["auto", "not-installed-only", "off"]).default("auto")
    .describe("Seeing runs without hooks"),
  notify: z.strictObject({
    enabled: enabled.default(true),
    children: z.boolean().default(false).describe("Also announce what a sub-agent asks"),
    whenFocused: z.boolean().default(false).describe("Also announce the pane you look at"),
    ...rules,
    channels: channels.prefault({}),
  }).prefault({}),
});

export type Config = z.output<typeof configSchema>;
export type NotifyConfig = Config["notify"];
export type ChannelConfigs = NotifyConfig["channels"];

export const DEFAULT_CONFIG: Config = configSchema.parse({});

export type ConfigResult =
  | { readonly ok: true; readonly config: Config; readonly notes: readonly string[] }
  | { readonly ok: false; readonly issues: readonly string[] };

/** Every problem as one sentence that names the key. */
export function parseConfig(value: unknown): ConfigResult {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return { ok: true, config: parsed.data, notes: strangers(parsed.data) };
  const schema = configJsonSchema();
  const { issues } = parsed.error;
  return { ok: false, issues: issues.flatMap((issue) => issueSentences(issue, value, schema)) };
}

/** An agent of one's own, which reports by `emit`, may have any name; but it may be a mistake. */
function strangers({ notify }: Config): string[] {
  const lists = [
    ["notify", notify.providers],
    ...Object.entries(notify.channels).map(([name, { providers }]) =>
      [`notify.channels.${name}`, providers] as const
    ),
  ] as const;
  return lists.flatMap(([where, names]) =>
    (names ?? []).filter((name) => findProvider(name) === undefined).map((name) =>
      `${where}.providers: "${name}" is none of the known agents; it counts for what reports by that name`
    )
  );
}

/** For editors: what `$schema` may point to. */
export function configJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(configSchema, { io: "input" }) as Record<string, unknown>;
}

/**
 * Recorded runs as one stream of what happened, in time order: hooks, transcript lines at the time
 * they were in the file, session files, processes. Formats: tests/fixtures/providers/TRUTH*.md.
 */

import { isObject, type JsonObject, parseJson } from "../../src/core/json.ts";
import { parseObjectPrefix } from "../../src/core/json_prefix.ts";
import type { ProviderRecord } from "../../src/core/provider.ts";
import { KIMI_HOOKS } from "../../src/core/providers/kimi.ts";
import { OPENCODE_TRANSLATOR } from "../../src/core/providers/plugins/opencode_translator.ts";
import { PI_TRANSLATOR } from "../../src/core/providers/plugins/pi.ts";
import { findProvider } from "../../src/core/registry.ts";

export type TruthEntry = {
  readonly from: number;
  readonly state: string;
  readonly hooks: string | null;
  readonly session?: string;
  readonly unsureFrom?: number;
  readonly revealedAt?: number | null;
  readonly transcriptAt?: number;
  readonly registryAt?: number;
  readonly fileAt?: number;
  readonly exitAt?: number;
  readonly ambiguous?: readonly string[];
};

export type Happening =
  & { readonly ms: number; readonly pane: string }
  & (
    | {
      readonly what: "hook";
      readonly event: string;
      readonly payload: JsonObject;
      readonly env: Readonly<Record<string, string>>;
      /** Our install subscribes to it. */
      readonly isOurs: boolean;
    }
    | { readonly what: "line"; readonly file: string; readonly line: JsonObject }
    | { readonly what: "status"; readonly value: JsonObject | null }
    | { readonly what: "process"; readonly isAlive: boolean; readonly isHeadless: boolean }
  );

export type Recording = {
  readonly record: ProviderRecord;
  readonly name: string;
  readonly panes: Readonly<Record<string, readonly TruthEntry[]>>;
  readonly happenings: readonly Happening[];
  /** What to add to a recording's time to get the time inside the agent's files. */
  readonly epoch: number;
  readonly end: number;
};

// deno-lint-ignore no-explicit-any -- recordings are foreign data.
type Foreign = any;

const FIXTURES = new URL("../../tests/fixtures/providers/", import.meta.url);

export const AGENTS: readonly string[] = [
  "claude-code",
  "codex",
  "opencode",
  "pi",
  "gemini",
  "qwen",
  "kimi",
  "copilot",
  "cline",
  "droid",
];

export function scenarioNames(agent: string): string[] {
  const files = [...Deno.readDirSync(new URL(`${agent}/recordings/`, FIXTURES))];
  return files.flatMap(({ name }) => /^(.*)\.truth\.json$/.exec(name)?.[1] ?? []).sort();
}

export function readRecording(agent: string, name: string): Recording {
  const base = new URL(`${agent}/recordings/${name}`, FIXTURES).href;
  const record = findProvider(agent)!;
  const { panes } = JSON.parse(Deno.readTextFileSync(new URL(`${base}.truth.json`)));
  const lines = readLines(`${base}.jsonl`).toSorted((a, b) => timeOf(a) - timeOf(b));
  const context = { record, panes, lines, base, paneOf: paneFinder(panes) };
  const told = lines.some((line) => line.dt !== undefined)
    ? readFirstKind(context)
    : readSecondKind(context);
  const happenings = [...told.happenings, ...processes(context)].toSorted((a, b) => a.ms - b.ms);
  const last = Math.max(...lines.map(timeOf), ...happenings.map(({ ms }) => ms));
  return {
    record,
    name: `${agent} ${name}`,
    panes,
    happenings,
    epoch: told.epoch,
    end: last + 2_000,
  };
}

type Context = {
  readonly record: ProviderRecord;
  readonly panes: Readonly<Record<string, readonly TruthEntry[]>>;
  readonly lines: readonly Foreign[];
  readonly base: string;
  readonly paneOf: (sessionID: string) => string;
};

type Told = { readonly happenings: Happening[]; readonly epoch: number };

function readLines(url: string): Foreign[] {
  try {
    return Deno.readTextFileSync(new URL(url)).trim().split("\n").map((line) => JSON.parse(line));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function timeOf(line: Foreign): number {
  return line.dt ?? line.ms;
}

function paneFinder(panes: Context["panes"]): (sessionID: string) => string {
  const names = Object.keys(panes);
  return (sessionID) =>
    names.find((pane) => panes[pane]!.some(({ session }) => session === sessionID)) ?? names[0]!;
}

/** Claude Code and Codex. */
function readFirstKind({ record, lines, base, paneOf }: Context): Told {
  const heard = subscriptions(record);
  const envs = new Map<unknown, Record<string, string>>();
  const happenings: Happening[] = [];
  for (const { dt: ms, payload, env: recorded, registry, value } of lines) {
    if (registry !== undefined) {
      const pane = value === null
        ? registryPane(lines, { ms, registry }, paneOf)
        : paneOf(value.sessionId);
      happenings.push({ what: "status", ms, pane, value });
    }
    if (payload === undefined || payload.hook_event_name === undefined) continue;
    if (recorded !== undefined) envs.set(payload.session_id, textsOf(recorded));
    const event = String(payload.hook_event_name);
    const subject = String(payload.tool_name ?? payload.notification_type ?? "");
    const isOurs = heard.get(event)?.test(subject) === true;
    const env = envs.get(payload.session_id) ?? {};
    const pane = paneOf(String(payload.session_id));
    happenings.push({ what: "hook", ms, pane, event, payload, env, isOurs });
  }
  const files = transcriptLines(readLines(`${base}.transcript.jsonl`), lines);
  for (const { ms, file, line } of files.written) {
    const sessionID = record.transcript?.sessionOf(file) ?? "";
    happenings.push({ what: "line", ms, pane: paneOf(sessionID), file, line });
  }
  return { happenings, epoch: files.epoch };
}

/** A file that is gone was the pane's whose session it last named. */
function registryPane(
  lines: readonly Foreign[],
  gone: { ms: number; registry: string },
  paneOf: (sessionID: string) => string,
): string {
  const before = lines.filter((line) =>
    line.registry === gone.registry && line.value && line.dt <= gone.ms
  );
  return paneOf(before.at(-1)?.value.sessionId ?? "");
}

/** What the agent wrote, each line at the moment it was seen in its file. */
function transcriptLines(stored: readonly Foreign[], lines: readonly Foreign[]) {
  const queues: { file: string; rest: Foreign[] }[] = [];
  for (const line of stored) {
    if (typeof line.file === "string" && line.type === undefined) {
      queues.push({ file: line.file, rest: [] });
    } else queues.at(-1)?.rest.push(line);
  }
  let epoch = 0;
  const written: { ms: number; file: string; line: JsonObject }[] = [];
  for (const { dt, wrote, lag } of lines.filter((each) => each.wrote !== undefined)) {
    const type = String(wrote).split("/")[0];
    const isIt = ({ rest }: { rest: Foreign[] }) => rest.length > 0 && rest[0].type === type;
    const isThen = ({ rest }: { rest: Foreign[] }) =>
      lag === undefined || epoch === 0 || rest[0].timestamp === undefined ||
      Math.abs(Date.parse(rest[0].timestamp) - epoch - (dt - lag)) < 100;
    const queue = queues.find((each) => isIt(each) && isThen(each)) ?? queues.find(isIt);
    const line = queue?.rest.shift();
    if (line === undefined) continue;
    if (lag !== undefined && epoch === 0 && typeof line.timestamp === "string") {
      epoch = Date.parse(line.timestamp) - (dt - lag);
    }
    written.push({ ms: dt, file: queue!.file, line });
  }
  return { written, epoch };
}

/** A withheld value is recorded as `true`. */
function textsOf(env: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts = Object.entries(env).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}

/** The other agents. */
function readSecondKind({ record, lines, paneOf }: Context): Told {
  const heard = subscriptions(record);
  const pane = paneOf("");
  const plugin = PLUGINS[record.id];
  const hooks: Happening[] = plugin !== undefined
    ? plugin(lines, pane)
    : lines.filter((line) => line.hook)
      .map(({ ms, hook, stdin }) => ({
        what: "hook",
        ms,
        pane,
        event: hook,
        payload: stdin,
        env: {},
        isOurs: heard.get(hook)?.test(stdin?.tool_name ?? "") === true,
      }));
  const epoch = epochOf(lines);
  const tails = lines.filter((line) => line.session_file !== undefined).flatMap((line) =>
    tailLines(line, { epoch, pane })
  );
  return { happenings: [...hooks, ...epoch === 0 ? [] : tails], epoch };
}

/** Hook payloads that carry their time tie the recording's clock to the files'. */
function epochOf(lines: readonly Foreign[]): number {
  const offsets = lines.flatMap(({ ms, stdin }) => {
    const at = typeof stdin?.timestamp === "string"
      ? Date.parse(stdin.timestamp)
      : stdin?.timestamp;
    return typeof at === "number" && Number.isFinite(at) ? [at - ms] : [];
  });
  // The hook starts after its payload was made: the largest offset has the least delay.
  return offsets.length === 0 ? 0 : Math.max(...offsets);
}

function tailLines(
  { session_file: file, tail }: Foreign,
  { epoch, pane }: { epoch: number; pane: string },
): Happening[] {
  return tail.flatMap(({ type, timestamp, data }: Foreign): Happening[] => {
    const at = typeof timestamp === "number" ? timestamp : Date.parse(timestamp ?? "");
    if (!Number.isFinite(at) || at < epoch) return [];
    // The recorder kept only the beginning of each entry.
    const value = parseObjectPrefix(data) ?? parseJson(data);
    const line: JsonObject = { type, timestamp, data: isObject(value) ? value : {} };
    return [{ what: "line", ms: at - epoch, pane, file: file.replace("~", "/home/user"), line }];
  });
}

function makeTranslator(source: string, options: unknown = {}): Foreign {
  return new Function("options", `${source}\nreturn makeTranslator(options);`)(options);
}

/** Recorded events as the plugin would have sent them. */
const PLUGINS: Record<string, (lines: readonly Foreign[], pane: string) => Happening[]> = {
  opencode(lines, pane) {
    const { translate } = makeTranslator(OPENCODE_TRANSLATOR, { instance: "starting-1-2" });
    return lines.filter((line) => line.plugin ?? line.hook ?? line.event).flatMap((line) => {
      const name = line.plugin === undefined ? line.event ?? line.hook : "plugin.loaded";
      return sent({ ms: line.ms, pane }, translate(name, line.data));
    });
  },
  pi(lines, pane) {
    const { translate } = makeTranslator(PI_TRANSLATOR);
    return lines.filter((line) => line.event !== undefined).flatMap((line) =>
      sent({ ms: line.ms, pane }, translate(line.data.event, line.data.ctx))
    );
  },
};

function sent(at: { ms: number; pane: string }, payload: Foreign): Happening[] {
  if (payload === null) return [];
  const copy = JSON.parse(JSON.stringify(payload));
  return [{ what: "hook", ...at, event: copy.event, payload: copy, env: {}, isOurs: true }];
}

/** When each pane's program ran, as the recorder started, killed or polled it. */
function processes({ panes, lines, record, paneOf }: Context): Happening[] {
  return Object.entries(panes).flatMap(([pane, truths]) => {
    const isHeadless = pane === "exec";
    const what = "process";
    const told: Happening[] = [];
    truths.forEach((entry, index) => {
      const next = truths[index + 1];
      const isOver = entry.state === "ended" || entry.state === "disconnected";
      if (index === 0) told.push({ what, ms: entry.from, pane, isAlive: true, isHeadless });
      if (!isOver) return;
      const exit = next === undefined ? exitOf(truths, lines, { pane, paneOf }) : entry.from;
      // Cline's and Gemini's programs may outlive their pane: only a poll tells.
      if (exit === undefined || (POLLED.has(record.id) && entry.exitAt === undefined)) return;
      told.push({ what, ms: exit, pane, isAlive: false, isHeadless });
      if (next !== undefined) told.push({ what, ms: next.from, pane, isAlive: true, isHeadless });
    });
    return told;
  });
}

const POLLED: ReadonlySet<string> = new Set(["cline", "gemini"]);

function exitOf(
  truths: readonly TruthEntry[],
  lines: readonly Foreign[],
  at: { readonly pane: string; readonly paneOf: (sessionID: string) => string },
): number | undefined {
  const polled = truths.findLast((entry) => entry.exitAt !== undefined)?.exitAt;
  if (polled !== undefined) return polled;
  const died = truths.find(({ state }) => state === "disconnected")?.from;
  if (died !== undefined) return died;
  const gone = lines.findLast(({ dt: ms, registry, value }) =>
    registry !== undefined && value === null &&
    registryPane(lines, { ms, registry }, at.paneOf) === at.pane
  )?.dt;
  if (gone !== undefined) return gone;
  const exited = lines.find(({ action }) => /^exit \d+/.test(action ?? ""))?.dt;
  return at.pane === "exec" ? exited : truths.find(({ state }) => state === "ended")?.from;
}

/** The events that our install subscribes to, with the matchers of the tool events. */
function subscriptions(record: ProviderRecord): Map<string, RegExp> {
  const heard = new Map<string, RegExp>();
  const listen = (event: string, matcher = "") => void heard.set(event, new RegExp(matcher));
  const command = (event: string) => (listen(event), event);
  for (const target of record.install.targets) {
    if (target.kind === "own-file") target.text({ command, launcher: "", version: null });
    else for (const { event, matcher } of target.subscriptions) listen(event, matcher);
  }
  if (record.id === "kimi") {
    for (const { event, matcher } of KIMI_HOOKS.subscriptions) listen(event, matcher);
  }
  return heard;
}

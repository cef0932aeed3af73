/**
 * Replays recorded runs through the real decoders, log entries, reducer and view, and compares what
 * is shown with what was true, at every moment that hooks can know of.
 *
 * Truth: `recordings/<scenario>.truth.json` (format in TRUTH.md and TRUTH-others.md). Only events
 * that our install would receive are fed. OpenCode's and Pi's go through the plugin's own code.
 */

import assert from "node:assert/strict";
import type { LogEntry } from "../../src/core/log/event.ts";
import { entriesOf } from "../../src/core/hook/ingest.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { ProviderRecord } from "../../src/core/provider.ts";
import { KIMI_HOOKS } from "../../src/core/providers/kimi.ts";
import { opencodePlugin } from "../../src/core/providers/plugins/opencode.ts";
import { OPENCODE_TRANSLATOR } from "../../src/core/providers/plugins/opencode_translator.ts";
import { PI_TRANSLATOR, piPlugin } from "../../src/core/providers/plugins/pi.ts";
import { reduce } from "../../src/core/log/reduce.ts";
import { findProvider } from "../../src/core/registry.ts";
import { initialState, type State } from "../../src/core/log/state.ts";
import { isActive, type PlaceView, placeView } from "../../src/core/view/view.ts";
import { writeExecutable } from "../helpers/executable.ts";

// deno-lint-ignore no-explicit-any -- recordings and plugin sources are foreign data.
type Foreign = any;
type Told = { readonly ms: number; readonly event: string | null; readonly payload: JsonObject };
type Truth = {
  readonly from: number;
  readonly state: string;
  readonly hooks: string | null;
  readonly revealedAt: number | null;
  readonly unsureFrom?: number;
  readonly ambiguous?: readonly string[];
};

/** Where the shown state may differ from the truth file in the entries told by these hooks, and why. */
type Exception = {
  readonly scenario: RegExp;
  /** The hook that the truth file names -> the one that tells us; another one is later. */
  readonly hooks: Readonly<Record<string, string>>;
  /** What may be shown instead. */
  readonly accept?: string;
  readonly reason: string;
};

const EXCEPTIONS: readonly Exception[] = [
  {
    scenario: /^pi (tui-error|tui-esc|tui-esc-tool|print-error)$/,
    hooks: { turn_end: "agent_settled" },
    reason: "a retry or a compaction may follow a turn_end with an error or an abort",
  },
  {
    scenario: /^copilot tui-approve-pascal$/,
    hooks: {
      UserPromptSubmit: "userPromptSubmitted",
      Notification: "notification",
      PostToolUse: "postToolUse",
      Stop: "agentStop",
      SessionEnd: "sessionEnd",
    },
    reason: "both dialects were installed; ours is the camelCase one, which runs second",
  },
  {
    scenario: /^droid print-/,
    hooks: { SessionStart: "SessionStart" },
    accept: "idle",
    reason: "exec and the terminal UI send the same SessionStart; only exec has its prompt by then",
  },
  {
    scenario: /^copilot print-tool-noperm$/,
    hooks: { userPromptSubmitted: "userPromptSubmitted" },
    accept: "waiting-approval",
    reason:
      "-p announces a permission that nobody is asked for, as the terminal UI does a real one",
  },
  {
    scenario: /^opencode print-tool(-noperm)?$/,
    hooks: { "chat.message": "chat.message" },
    accept: "waiting-approval",
    reason:
      "run asks and answers itself within 30 ms: both are logged, the hold time silences them",
  },
  {
    scenario: /^opencode tui-hangup$/,
    hooks: { "chat.message": "chat.message" },
    accept: "succeeded",
    reason: "session.status idle says the same as session.idle, here 1 ms before it",
  },
];

const FIXTURES = new URL("../fixtures/providers/", import.meta.url);
const AGENTS = ["opencode", "pi", "gemini", "qwen", "kimi", "copilot", "cline", "droid"];
const PANE = "00000000-0000-4000-8000-000000000001";

function readLines(agent: string, scenario: string): Foreign[] {
  const url = new URL(`${agent}/recordings/${scenario}.jsonl`, FIXTURES);
  const lines = Deno.readTextFileSync(url).trim().split("\n").map((line) => JSON.parse(line));
  return lines.toSorted((a, b) => a.ms - b.ms);
}

function readTruth(agent: string, scenario: string): Truth[] {
  const url = new URL(`${agent}/recordings/${scenario}.truth.json`, FIXTURES);
  return Object.values(JSON.parse(Deno.readTextFileSync(url)).panes as Record<string, Truth[]>)[0]!;
}

function makeTranslator(source: string, options: unknown = {}): Foreign {
  return new Function("options", `${source}\nreturn makeTranslator(options);`)(options);
}

/** Recorded events as the plugin would have sent them. */
const PLUGINS: Record<string, (lines: readonly Foreign[]) => Told[]> = {
  opencode(lines) {
    const { translate } = makeTranslator(OPENCODE_TRANSLATOR, { instance: "starting-1-2" });
    return lines.filter((line) => line.plugin ?? line.hook ?? line.event).flatMap((line) => {
      const name = line.plugin === undefined ? line.event ?? line.hook : "plugin.loaded";
      return told(line.ms, translate(name, line.data));
    });
  },
  pi(lines) {
    const { translate } = makeTranslator(PI_TRANSLATOR);
    return lines.filter((line) => line.event !== undefined)
      .flatMap((line) => told(line.ms, translate(line.data.event, line.data.ctx)));
  },
};

function told(ms: number, payload: JsonObject | null): Told[] {
  return payload === null
    ? []
    : [{ ms, event: null, payload: JSON.parse(JSON.stringify(payload)) }];
}

/** The events that the install subscribes to, with the matchers of the tool events. */
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

function toldBy(record: ProviderRecord, lines: readonly Foreign[]): Told[] {
  const plugin = PLUGINS[record.id];
  if (plugin !== undefined) return plugin(lines);
  const heard = subscriptions(record);
  return lines.filter((line) => heard.get(line.hook)?.test(line.stdin?.tool_name ?? "") === true)
    .map((line) => ({ ms: line.ms, event: line.hook, payload: line.stdin }));
}

function append(state: State, entry: LogEntry, at: number): void {
  const { followUps } = reduce(state, { position: state.position + 1, at, entry });
  for (const followUp of followUps) append(state, followUp, at);
}

function paneState(): State {
  const state = initialState();
  const nothing = { capabilityHash: null, label: null, cwd: null, tty: null, root: null };
  const open = { surfaceID: PANE, multiplexer: null, adopted: true, ...nothing };
  append(state, { type: "surface-opened", id: PANE, ...open }, 0);
  return state;
}

function feed(state: State, record: ProviderRecord, { ms, event, payload }: Told): void {
  const facts = record.hook.decode({ payload, event, env: {} });
  const entries = entriesOf(state, facts, {
    deliveryID: `delivery-${state.position}`,
    provider: record.id,
    source: "hook",
    occurredAt: ms,
    undated: false,
    late: false,
    surfaceID: PANE,
    parentRunID: null,
    process: null,
    cwd: null,
  });
  for (const entry of entries) append(state, entry, ms);
}

/** What a view says, in the truth files' words: all of them that fit. */
function words(view: PlaceView): string[] {
  return isActive(view) ? [view.state] : view.state === "idle" ? ["idle", "ended"] : [view.state];
}

type Stretch = { readonly from: number; readonly to: number; readonly fits: readonly string[] };

/** When an entry must be shown, and by which words; none where hooks cannot tell it. */
function stretchesOf(name: string, truths: readonly Truth[], lines: readonly Foreign[]): Stretch[] {
  return truths.flatMap(({ state, hooks, revealedAt, ambiguous = [] }, index) => {
    if (hooks === null || revealedAt === null) return [];
    const exception = EXCEPTIONS.find((each) =>
      each.scenario.test(name) && Object.hasOwn(each.hooks, hooks)
    );
    const ours = exception?.hooks[hooks];
    const line = lines.find(({ ms, hook, event }) => ms > revealedAt && (hook ?? event) === ours);
    const isLater = ours !== undefined && ours !== hooks;
    const next = truths[index + 1];
    return [{
      from: isLater ? line.ms : revealedAt,
      to: next === undefined ? Infinity : next.unsureFrom ?? next.from,
      fits: [state, ...ambiguous, ...exception?.accept === undefined ? [] : [exception.accept]],
    }];
  });
}

function replayScenario(record: ProviderRecord, scenario: string): void {
  const lines = readLines(record.id, scenario);
  const truths = readTruth(record.id, scenario);
  const stretches = stretchesOf(`${record.id} ${scenario}`, truths, lines);
  const events = toldBy(record, lines);
  const moments = new Set([...events.map(({ ms }) => ms), ...stretches.map(({ from }) => from)]);
  const state = paneState();
  for (const at of [...moments].toSorted((a, b) => a - b)) {
    while (events.length > 0 && events[0]!.ms <= at) feed(state, record, events.shift()!);
    const shown = words(placeView(state, PANE, { now: at }));
    for (const { from, to, fits } of stretches) {
      const isRight = at < from || at >= to || fits.some((word) => shown.includes(word));
      assert.ok(isRight, `at ${at}: shown ${shown}, true ${fits}`);
    }
  }
}

for (const agent of AGENTS) {
  const record = findProvider(agent)!;
  const files = [...Deno.readDirSync(new URL(`${agent}/recordings/`, FIXTURES))];
  const scenarios = files.flatMap(({ name }) => /^(.*)\.truth\.json$/.exec(name)?.[1] ?? []).sort();
  for (const scenario of scenarios) {
    Deno.test(`${agent} ${scenario}: shown as it was`, () => replayScenario(record, scenario));
  }
}

/** Loads a plugin's text as its host would; what it delivers is appended to a file, in order. */
async function loaded(plugin: (context: { launcher: string; version: null }) => string) {
  const folder = await Deno.makeTempDir({ prefix: "mytty plugin " });
  const [launcher, file] = [`${folder}/launcher`, `${folder}/plugin.mjs`];
  writeExecutable(launcher, `#!/bin/sh\ncat >>"${folder}/out"\necho >>"${folder}/out"\n`);
  await Deno.writeTextFile(file, plugin({ launcher, version: null }));
  const module: Foreign = await import(`file://${file}`);
  const events = async (wanted: number): Promise<string[]> => {
    for (let tries = 0; tries < 200; tries++) {
      const text = await Deno.readTextFile(`${folder}/out`).catch(() => "");
      const lines = text.split("\n").filter((line) => line !== "");
      if (lines.length >= wanted) return lines.map((line) => JSON.parse(line).event);
      await new Promise((next) => setTimeout(next, 20));
    }
    return [];
  };
  return { entry: module.default, events, launcher };
}

Deno.test("the OpenCode plugin delivers in order, and survives a lost launcher and odd events", async () => {
  const { entry, events, launcher } = await loaded(opencodePlugin);
  const info = { id: "s1", directory: "/d" };
  const client = { session: { get: () => Promise.resolve({ data: info }) } };
  const hooks = await entry.server({ client, directory: "/d" });
  const status = (type: string) => ({
    type: "session.status",
    properties: { sessionID: "s1", status: { type } },
  });
  await hooks["chat.message"]({ sessionID: "s1" }, { message: { id: "m1" }, parts: null });
  for (const event of [null, 1, {}, { type: "session.error" }]) await hooks.event({ event });
  await hooks.event({ event: status("idle") });
  const told = ["plugin.loaded", "session.created", "chat.message", "session.idle"];
  assert.deepEqual(await events(told.length), told);
  await Deno.remove(launcher);
  await hooks.event({ event: status("busy") });
  await hooks.dispose();
});

Deno.test("the Pi extension delivers in order and ignores what it does not know", async () => {
  const { entry, events } = await loaded(piPlugin);
  const handlers = new Map<string, (event: unknown, ctx: unknown) => void>();
  entry({ on: (name: string, handler: Foreign) => handlers.set(name, handler) });
  const ctx = { mode: "tui", cwd: "/d", sessionManager: { getSessionId: () => "s1" } };
  const told = ["session_start", "agent_start", "agent_settled"];
  handlers.get("agent_start")!(undefined, undefined);
  for (const name of told) handlers.get(name)!({ type: name }, ctx);
  assert.deepEqual(await events(told.length), told);
});

/** Recorded runs of Claude Code and Codex with what was true in them (format in fixtures TRUTH.md). */

import type { JsonObject } from "../../src/core/json.ts";
import { findProvider } from "../../src/core/registry.ts";
import { EXCEPTIONS } from "../contract/recordings_exceptions.ts";
import { subscriptions, type ToldHook, type Truth } from "./replay.ts";

type Line = {
  readonly dt: number;
  readonly payload?: JsonObject;
  readonly env?: Readonly<Record<string, string | boolean>>;
};

export type Scenario = {
  readonly name: string;
  readonly hooks: readonly ToldHook[];
  readonly panes: Readonly<Record<string, readonly Truth[]>>;
};

const FIXTURES = new URL("../fixtures/providers/", import.meta.url);

export function readScenario(agent: string, name: string): Scenario {
  const base = new URL(`${agent}/recordings/${name}`, FIXTURES).href;
  const lines = Deno.readTextFileSync(new URL(`${base}.jsonl`)).trim().split("\n")
    .map((line) => JSON.parse(line) as Line);
  const heard = subscriptions(findProvider(agent)!);
  const envs = new Map<unknown, Record<string, string>>();
  const hooks = lines.flatMap(({ dt, payload, env: recorded }) => {
    // Recorded where it changed; the process that a session runs in keeps its environment.
    if (recorded !== undefined) envs.set(payload?.session_id, textsOf(recorded));
    const env = envs.get(payload?.session_id) ?? {};
    const event = String(payload?.hook_event_name ?? "");
    // A matcher is asked about the tool, or about the kind of notice.
    const subject = String(payload?.tool_name ?? payload?.notification_type ?? "");
    const isHeard = payload !== undefined && heard.get(event)?.test(subject) === true;
    return isHeard ? [{ ms: dt, event: null, payload, env }] : [];
  });
  const truth = JSON.parse(Deno.readTextFileSync(new URL(`${base}.truth.json`)));
  return { name: `${agent} ${name}`, hooks, panes: truth.panes };
}

/** A withheld value is recorded as `true`. */
function textsOf(env: Readonly<Record<string, string | boolean>>): Record<string, string> {
  const texts = Object.entries(env).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}

/** The pane of each session, as a person saw it; placing them is another test's subject. */
export function paneOf(panes: Scenario["panes"], sessionID: string): string {
  const names = Object.keys(panes);
  const named = names.filter((pane) => panes[pane]!.some(({ session }) => session === sessionID));
  return named[0] ?? names[0]!;
}

export type Stretch = {
  readonly from: number;
  readonly to: number;
  readonly fits: readonly string[];
};

export function stretchesOf(scenario: string, truths: readonly Truth[]): Stretch[] {
  return truths.flatMap(({ state, hooks, revealedAt, ambiguous = [] }, index) => {
    if (hooks === null || revealedAt === null || revealedAt === undefined) return [];
    const exception = EXCEPTIONS.find((each) =>
      each.scenario.test(scenario) && each.hooks === hooks && each.state === state
    );
    const next = truths[index + 1];
    // A turn whose end no hook told looks open when its session ends: it looks lost.
    const isBlind = state === "ended" && truths[index - 1]?.hooks === null;
    return [{
      from: revealedAt,
      to: next === undefined ? Infinity : next.unsureFrom ?? next.from,
      fits: [state, ...ambiguous, ...exception?.accept ?? [], ...isBlind ? ["disconnected"] : []],
    }];
  });
}

/** Names of the recorded scenarios of one agent. */
export function scenarioNames(agent: string): string[] {
  const files = [...Deno.readDirSync(new URL(`${agent}/recordings/`, FIXTURES))];
  return files.flatMap(({ name }) => /^(.*)\.truth\.json$/.exec(name)?.[1] ?? []).sort();
}

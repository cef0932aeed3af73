/**
 * Every recorded run of Claude Code and Codex, replayed: at each moment that hooks can know of, the
 * shown state must be what a person saw (recordings/<scenario>.truth.json, format in TRUTH.md).
 */

import assert from "node:assert/strict";
import { derivedID } from "../../src/core/ids.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { findProvider } from "../../src/core/registry.ts";
import { placeView } from "../../src/core/view.ts";
import {
  feedHook,
  stateWithPanes,
  subscriptions,
  type ToldHook,
  type Truth,
  truthWords,
} from "../helpers/replay.ts";
import { EXCEPTIONS } from "./recordings_exceptions.ts";

type Line = {
  readonly dt: number;
  readonly payload?: JsonObject;
  readonly env?: Readonly<Record<string, string | boolean>>;
};

type Scenario = {
  readonly name: string;
  readonly hooks: readonly ToldHook[];
  readonly panes: Readonly<Record<string, readonly Truth[]>>;
};

const FIXTURES = new URL("../fixtures/providers/", import.meta.url);

function readScenario(agent: string, name: string): Scenario {
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
function paneOf(panes: Scenario["panes"], sessionID: string): string {
  const names = Object.keys(panes);
  const named = names.filter((pane) => panes[pane]!.some(({ session }) => session === sessionID));
  return named[0] ?? names[0]!;
}

type Stretch = { readonly from: number; readonly to: number; readonly fits: readonly string[] };

function stretchesOf(scenario: string, truths: readonly Truth[]): Stretch[] {
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

function replay({ name, hooks, panes }: Scenario, agent: string): void {
  const record = findProvider(agent)!;
  const surfaces = new Map(Object.keys(panes).map((pane) => [pane, derivedID("pane", pane)]));
  const state = stateWithPanes(...surfaces.values());
  const stretches = Object.entries(panes).flatMap(([pane, truths]) =>
    stretchesOf(name, truths).map((stretch) => ({ ...stretch, pane }))
  );
  const pending = [...hooks];
  // Looked at when a hook came, when a truth began, and just before it ended.
  const moments = new Set([
    ...hooks.map(({ ms }) => ms),
    ...stretches.flatMap(({ from, to }) => [from, ...(to === Infinity ? [] : [to - 1])]),
  ]);
  for (const at of [...moments].toSorted((a, b) => a - b)) {
    while (pending.length > 0 && pending[0]!.ms <= at) {
      const hook = pending.shift()!;
      const pane = paneOf(panes, String(hook.payload.session_id));
      feedHook(state, { record, surfaceID: surfaces.get(pane)! }, hook);
    }
    for (const { from, to, fits, pane } of stretches) {
      if (at < from || at >= to) continue;
      const shown = truthWords(placeView(state, surfaces.get(pane)!, { now: at }));
      const isRight = fits.some((word) => shown.includes(word));
      assert.ok(isRight, `${pane} at ${at}: shown ${shown}, true ${fits}`);
    }
  }
}

for (const agent of ["claude-code", "codex"]) {
  const files = [...Deno.readDirSync(new URL(`${agent}/recordings/`, FIXTURES))];
  const names = files.flatMap(({ name }) => /^(.*)\.truth\.json$/.exec(name)?.[1] ?? []).sort();
  assert.ok(names.length > 30, "the recordings are missing");
  for (const name of names) {
    Deno.test(`${agent} ${name}: shown as it was, where hooks can know`, () => {
      replay(readScenario(agent, name), agent);
    });
  }
}

/**
 * Every recorded run of Claude Code and Codex, replayed: at each moment that hooks can know of, the
 * shown state must be what a person saw (recordings/<scenario>.truth.json, format in TRUTH.md).
 */

import assert from "node:assert/strict";
import { derivedID } from "../../src/core/ids.ts";
import { findProvider } from "../../src/core/registry.ts";
import { placeView } from "../../src/core/view/view.ts";
import {
  paneOf,
  readScenario,
  type Scenario,
  scenarioNames,
  stretchesOf,
} from "../helpers/recording.ts";
import { feedHook, stateWithPanes, truthWords } from "../helpers/replay.ts";

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
  const names = scenarioNames(agent);
  assert.ok(names.length > 30, "the recordings are missing");
  for (const name of names) {
    Deno.test(`${agent} ${name}: shown as it was, where hooks can know`, () => {
      replay(readScenario(agent, name), agent);
    });
  }
}

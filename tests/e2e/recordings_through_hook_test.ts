/**
 * The same recordings as tests/contract/recordings_test.ts, but through the real thing: every hook
 * is a `dist/mytty hook` process that talks to a `dist/mytty serve` process.
 */

import assert from "node:assert/strict";
import type { PlaceJson } from "../../src/core/view/view_json.ts";
import { BUILT, type Built, withBuilt } from "../helpers/built.ts";
import {
  paneOf,
  readScenario,
  type Scenario,
  scenarioNames,
  stretchesOf,
} from "../helpers/recording.ts";
import { StandIn } from "../helpers/stand_in.ts";

/** Scenarios played side by side; each hook is a process, and the machine may have two cores. */
const SIDE_BY_SIDE = 3;

/** The program names under which the agents are known. */
const PROGRAMS: Readonly<Record<string, string>> = { "claude-code": "claude", codex: "codex" };

/** One agent's process in a surface of its own for each pane of the scenario. */
async function openPanes(
  built: Built,
  agent: string,
  scenario: Scenario,
): Promise<Map<string, StandIn>> {
  const panes = new Map<string, StandIn>();
  for (const pane of Object.keys(scenario.panes)) {
    const body = { label: `${scenario.name} ${pane}` };
    const reply = await built.control.request("/v1/surfaces", { method: "POST", body });
    const { env } = reply.body as { env: Record<string, string> };
    const hook = [BUILT, "hook", agent];
    const attended = pane === "exec" ? "0" : "1";
    panes.set(
      pane,
      new StandIn({
        folder: built.folder,
        program: PROGRAMS[agent]!,
        hook,
        env: { ...built.env, ...env, CLAUDE_CODE_SESSION_ATTENDED: attended },
      }),
    );
  }
  return panes;
}

async function shownIn(built: Built, label: string): Promise<string> {
  const { body } = await built.control.request("/v1/list");
  const rows = (body as { surfaces: PlaceJson[] }).surfaces;
  return rows.find((row) => row.label === label)!.state;
}

async function playScenario(built: Built, agent: string, name: string): Promise<void> {
  const scenario = readScenario(agent, name);
  const panes = await openPanes(built, agent, scenario);
  for (const { ms, payload } of scenario.hooks) {
    const pane = paneOf(scenario.panes, String(payload.session_id));
    // Silent, and exit status 0.
    assert.equal(await panes.get(pane)!.tell(payload), "0\n");
    const shown = await shownIn(built, `${scenario.name} ${pane}`);
    for (const { from, to, fits } of stretchesOf(scenario.name, scenario.panes[pane]!)) {
      if (ms < from || ms >= to) continue;
      const words = shown === "idle" ? ["idle", "ended"] : [shown];
      const isRight = fits.some((word) => words.includes(word));
      assert.ok(isRight, `${scenario.name} ${pane} at ${ms}: shown ${shown}, true ${fits}`);
    }
  }
  for (const standIn of panes.values()) await standIn.end();
}

Deno.test("recorded runs through the built hook command show what a person saw", async () => {
  await withBuilt(async (built) => {
    const waiting = ["claude-code", "codex"].flatMap((agent) =>
      scenarioNames(agent).map((name) => ({ agent, name }))
    );
    assert.ok(waiting.length > 60);
    const workers = Array.from({ length: SIDE_BY_SIDE }, async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        await playScenario(built, next.agent, next.name);
      }
    });
    await Promise.all(workers);
  });
});

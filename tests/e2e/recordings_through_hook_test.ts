/**
 * The same recordings as tests/contract/recordings_test.ts, but through the real thing: every hook
 * is a `dist/mytty hook` process that talks to a `dist/mytty serve` process.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
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

/**
 * Until the hook has handed it over, silent and with exit status 0 each time: on a machine so busy
 * that nothing comes on its stdin within its budget it gives up, as it must, and says so.
 */
async function tell(built: Built, agent: StandIn, payload: unknown): Promise<void> {
  for (let tries = 1; tries <= 10; tries++) {
    const before = givenUp(built);
    assert.equal(await agent.tell(payload), "0\n");
    await built.untilTaken();
    if (givenUp(built) === before) return;
  }
  assert.fail("The hook gave up ten times");
}

function givenUp({ folder }: Built): number {
  const path = `${folder}/state/hooks.log`;
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  return lines.filter((line) => line.includes('"spooled":false')).length;
}

async function playScenario(built: Built, agent: string, name: string): Promise<void> {
  const scenario = readScenario(agent, name);
  const panes = await openPanes(built, agent, scenario);
  for (const { ms, payload } of scenario.hooks) {
    const pane = paneOf(scenario.panes, String(payload.session_id));
    await tell(built, panes.get(pane)!, payload);
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
  const waiting = ["claude-code", "codex"].flatMap((agent) =>
    scenarioNames(agent).map((name) => ({ agent, name }))
  );
  assert.ok(waiting.length > 60);
  // Each with a server of its own: what a hook says in its log is about this scenario.
  const workers = Array.from({ length: SIDE_BY_SIDE }, () =>
    withBuilt(async (built) => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        await playScenario(built, next.agent, next.name);
      }
    }));
  await Promise.all(workers);
});

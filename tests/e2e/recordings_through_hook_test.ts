/**
 * The same recordings as tests/contract/recordings_test.ts, but through the real thing: every hook
 * is a `dist/mytty hook` process that talks to a `dist/mytty serve` process.
 */

import assert from "node:assert/strict";
import type { PlaceJson } from "../../src/core/view_json.ts";
import { type Built, withBuilt } from "../helpers/built.ts";
import {
  paneOf,
  readScenario,
  type Scenario,
  scenarioNames,
  stretchesOf,
} from "../helpers/recording.ts";

/** Scenarios played side by side; each hook is a process, and the machine may have two cores. */
const SIDE_BY_SIDE = 3;

type Env = Readonly<Record<string, string>>;

async function openPanes(built: Built, scenario: Scenario): Promise<Map<string, Env>> {
  const panes = new Map<string, Env>();
  for (const pane of Object.keys(scenario.panes)) {
    const body = { label: `${scenario.name} ${pane}` };
    const reply = await built.control.request("/v1/surfaces", { method: "POST", body });
    panes.set(pane, (reply.body as { env: Env }).env);
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
  const panes = await openPanes(built, scenario);
  for (const { ms, payload, env = {} } of scenario.hooks) {
    const pane = paneOf(scenario.panes, String(payload.session_id));
    const attended = env.CLAUDE_CODE_SESSION_ATTENDED;
    const { code, stdout, stderr } = await built.mytty(["hook", agent], {
      stdin: JSON.stringify(payload),
      env: {
        ...panes.get(pane)!,
        ...(attended === undefined ? {} : { CLAUDE_CODE_SESSION_ATTENDED: attended }),
      },
    });
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "" });
    const shown = await shownIn(built, `${scenario.name} ${pane}`);
    for (const { from, to, fits } of stretchesOf(scenario.name, scenario.panes[pane]!)) {
      if (ms < from || ms >= to) continue;
      const words = shown === "idle" ? ["idle", "ended"] : [shown];
      const isRight = fits.some((word) => words.includes(word));
      assert.ok(isRight, `${scenario.name} ${pane} at ${ms}: shown ${shown}, true ${fits}`);
    }
  }
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

/** The truth measure is a promise: every transition with evidence within a second, no false alarm. */

import assert from "node:assert/strict";
import { AGENTS, readRecording, scenarioNames } from "../../tools/truth/recordings.ts";
import { OurPlayer } from "../../tools/truth/run.ts";
import { addScores, play, type Score } from "../../tools/truth/score.ts";

for (const agent of AGENTS) {
  Deno.test(`${agent}: every transition that anything proves is shown within a second`, () => {
    const scores = scenarioNames(agent).map((name): Score => {
      const recording = readRecording(agent, name);
      const score = play(recording, new OurPlayer(recording, { hasEstimate: true }));
      return { ...score, late: score.late.map((late) => `${name} ${late}`) };
    });
    const { late, falseAlarms, missedAlarms } = scores.reduce(addScores);
    assert.deepEqual({ late, falseAlarms, missedAlarms }, {
      late: [],
      falseAlarms: 0,
      missedAlarms: 0,
    });
  });
}

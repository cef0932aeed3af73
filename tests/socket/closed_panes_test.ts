/** A pane that a person closed, in a real terminal: closed for what was in it, not for what comes. */

import assert from "node:assert/strict";
import { eventually } from "../helpers/events.ts";
import { withServer } from "../helpers/daemon.ts";
import { hasTmux, listOf, rowOf, settled, Stage, Tmux } from "../helpers/panes.ts";

function said(session_id: string, hook_event_name: string): Record<string, unknown> {
  return { session_id, hook_event_name, prompt: "go", cwd: "/work" };
}

Deno.test({
  name: "a closed pane stays closed for its agent, and is one again for the next agent",
  ignore: !hasTmux(),
}, async () => {
  await withServer(async (test) => {
    const folder = test.paths.state.replace(/\/state$/, "");
    const stage = await Stage.open(folder, test);
    const tmux = new Tmux(`${folder}/t.sock`);
    const claude = stage.program("claude");
    const pane = tmux.pane(folder);
    try {
      const closed: (string | null)[] = [];
      for (const session of ["first", "second"]) {
        const pipe = stage.pipe();
        tmux.type(pane, `${claude} -c '${stage.loop(pipe)}; true'`);
        await pipe.tell(stage.hook("claude-code", said(session, "UserPromptSubmit")));
        const row = await rowOf(test, session);
        assert.equal(row.placement?.rule, "adopted", session);
        assert.equal(closed.includes(row.surfaceID), false);
        closed.push(row.surfaceID);
        await test.control.request(`/v1/surfaces/${row.surfaceID}`, { method: "DELETE" });
        await pipe.tell(stage.hook("claude-code", said(session, "UserPromptSubmit")));
        await settled(stage, pipe);
        assert.deepEqual((await listOf(test)).surfaces, []);
        pipe.close();
        await eventually(async () => {
          const { unplaced } = await listOf(test);
          return !unplaced.some(({ state }) => state === "running");
        });
      }
    } finally {
      tmux.end();
    }
  });
});

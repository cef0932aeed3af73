/** A payload that does not end in time is sent as far as it came, and says so. */

import assert from "node:assert/strict";
import {
  PROGRAM,
  runTransport,
  SHELLS,
  spooled,
  stageLauncher,
  startHookServer,
  withPlace,
} from "../helpers/hook_runner.ts";
import { withServer } from "../helpers/daemon.ts";
import { agentEvents } from "../helpers/events.ts";
import { postHook, promptPayload } from "../helpers/hooks.ts";

const WHOLE = JSON.stringify(promptPayload("cut", { prompt: "Do it", tail: "x".repeat(300) }));
const CUT = WHOLE.slice(0, -20);
const RUN = { args: ["claude-code"], keepsStdinOpen: true };

for (const transport of [...SHELLS, PROGRAM]) {
  Deno.test(`${transport.name}: a payload cut by time is marked, sent or spooled; a whole one is not`, async () => {
    await withPlace(async (place) => {
      await stageLauncher(place);
      assert.equal((await runTransport(transport, place, { ...RUN, stdin: CUT })).code, 0);
      const kept = spooled(place);
      assert.deepEqual(kept.map(({ request }) => request.isCut), [true]);
      assert.ok(CUT.startsWith(new TextDecoder().decode(kept[0]!.payload)));
      const server = await startHookServer(place.socket, "answers");
      try {
        await runTransport(transport, place, { ...RUN, stdin: CUT });
        await runTransport(transport, place, { args: RUN.args, stdin: WHOLE });
        const marks = server.received.map(({ headers }) => headers["mytty-cut"]);
        // One that a busy machine left no time for is in the spool instead.
        if (marks.length === 2) assert.deepEqual(marks, ["1", undefined]);
      } finally {
        await server.close();
      }
    });
  });
}

for (const transport of [...SHELLS, PROGRAM]) {
  Deno.test(`${transport.name}: stdin that gave nothing is neither sent nor spooled, and logged as that`, async () => {
    await withPlace(async (place) => {
      await stageLauncher(place);
      const server = await startHookServer(place.socket, "answers");
      try {
        assert.equal((await runTransport(transport, place, { ...RUN, stdin: "" })).code, 0);
        assert.deepEqual([server.received.length, spooled(place).length], [0, 0]);
        const log = Deno.readTextFileSync(`${place.state}/hooks.log`);
        assert.match(log, /"error":"nothing came on stdin in time","spooled":false}\n$/);
        const test = { ...RUN, args: [...RUN.args, "--test"], stdin: "" };
        const { code, stderr } = await runTransport(transport, place, test);
        assert.deepEqual([code, stderr], [1, "mytty hook: nothing came on stdin in time\n"]);
      } finally {
        await server.close();
      }
    });
  });
}

Deno.test("of a marked payload what came whole counts; an unmarked one is malformed; nothing readable is said", async () => {
  await withServer(async (test) => {
    const { eventSocket } = test.paths;
    const headers = { "mytty-cut": "1" };
    assert.equal((await postHook(eventSocket, { body: CUT })).status, 400);
    const told = await postHook(eventSocket, { body: CUT, headers });
    assert.deepEqual([told.status, told.body], [200, '{"ok":true,"inserted":true}\n']);
    assert.equal((await postHook(eventSocket, { body: "", headers })).status, 400);
    assert.match(test.logged.at(-1)!, /malformed claude-code hook payload of 0 bytes, cut/);
    const rows = await agentEvents(test.control);
    assert.deepEqual(rows.map(({ sessionID, message }) => [sessionID, message]), [[
      "cut",
      "Do it",
    ]]);
  });
});

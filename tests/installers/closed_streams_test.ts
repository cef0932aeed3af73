/** An agent may start its hooks with any of the three streams closed: that is no reason to fail. */

import assert from "node:assert/strict";
import {
  CLOSED,
  PROGRAM,
  runTransport,
  SHELLS,
  spooled,
  stageLauncher,
  startHookServer,
  withPlace,
} from "../helpers/hook_runner.ts";

const PAYLOAD = '{"hook_event_name":"AfterAgent","session_id":"s"}';

for (const transport of [...SHELLS, PROGRAM]) {
  for (const redirections of [...CLOSED, ">/dev/full"]) {
    Deno.test(`${transport.name}: a hook with ${redirections}`, () =>
      withPlace(async (place) => {
        await stageLauncher(place);
        const hook = { args: ["gemini"], stdin: PAYLOAD, redirections };
        const isRead = !redirections.includes("<");
        const stdout = /(^| )>/.test(redirections) ? "" : "{}\n";
        const expected = { code: 0, stdout, stderr: "" };
        const run = async (env: Record<string, string> = {}) => {
          const { code, stdout, stderr } = await runTransport(transport, place, { ...hook, env });
          assert.deepEqual({ code, stdout, stderr }, expected);
        };
        await run();
        if (isRead) {
          assert.deepEqual(
            spooled(place).map(({ payload }) => new TextDecoder().decode(payload)),
            [PAYLOAD],
          );
        }
        const server = await startHookServer(place.socket, "answers");
        await run();
        await server.close();
        if (isRead && spooled(place).length === 1) {
          assert.deepEqual(server.received.map(({ body }) => body), [PAYLOAD]);
        }
        await run({ MYTTY_STATE_DIR: "/dev/null/state" });
        // As a bash passes its options on to those that it starts.
        await run({ SHELLOPTS: "errexit:nounset" });
      }));
  }

  Deno.test(`${transport.name}: an agent that has stopped reading the answer`, () =>
    withPlace(async (place) => {
      await stageLauncher(place);
      const [program, ...args] = [...transport.command(place), "gemini"];
      const child = new Deno.Command(program!, {
        args,
        env: { MYTTY_STATE_DIR: place.state, MYTTY_EVENT_SOCKET: place.socket },
        stdin: "piped",
        stdout: "piped",
      }).spawn();
      await child.stdout.cancel();
      await child.stdin.close();
      const { code, signal } = await child.status;
      assert.deepEqual({ code, signal }, { code: 0, signal: null });
    }));
}

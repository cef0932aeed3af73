/** A server that runs out of descriptors: it says so, does not spin, and takes connections again. */

import assert from "node:assert/strict";
import net from "node:net";
import { ControlClient } from "../../src/socket/client.ts";
import { envelope, exchange, withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { pause } from "../helpers/chance.ts";
import { limited, Victim } from "./victim.ts";

const LIMIT = 64;
const CROWD = 150;
/** What a shortage may say while it lasts: a line per thing that fails, not one per try. */
const MOST_LINES = 20;

Deno.test("out of descriptors: what is acknowledged stays, nobody is declared dead, and afterwards all is well", async () => {
  await withFolder(async (folder) => {
    const victim = await Victim.start(folder, { prefix: limited(`ulimit -n ${LIMIT}`) });
    try {
      const id = crypto.randomUUID();
      // Led by this very process, which stays alive all the time.
      const surface = await victim.openSurface({ pid: Deno.pid });
      await victim.store(envelope(surface, { id: { rawValue: id } }));
      const said = await exhaust(victim, `${folder}/run`);
      assert.match(said, /descriptors|open files/, "it is told");
      assert.ok(said.split("\n").length < MOST_LINES, said);
      const later = crypto.randomUUID();
      const line = envelope(surface, { id: { rawValue: later }, kind: "running" });
      await eventually(
        async () =>
          (await exchange(victim.eventSocket, line).catch(() => "")).includes('"ok":true'),
        40_000,
      );
      const control = new ControlClient(`${folder}/run/control.sock`);
      await eventually(() => answers(control), 40_000);
      await victim.assertHolds([id, later]);
    } finally {
      assert.equal((await victim.end()).code, 0);
    }
  });
});

/** Takes every descriptor on both sockets for some seconds; what the server said meanwhile. */
async function exhaust(victim: Victim, runtime: string): Promise<string> {
  const sockets = ["event.sock", "control.sock"].flatMap((name) =>
    Array.from({ length: CROWD }, () => net.connect(`${runtime}/${name}`))
  );
  sockets.forEach((socket) => socket.on("error", () => {}));
  // Longer than the looks at processes, spool and sockets are apart, shorter than the deadlines of
  // the silent, which are filled up again.
  for (let turn = 0; turn < 4; turn++) {
    await pause(1_000);
    sockets.forEach((socket) => !socket.destroyed && socket.write("{"));
  }
  assert.ok(!victim.hasEnded, `it lives: ${victim.said()}`);
  const said = victim.said();
  sockets.forEach((socket) => socket.destroy());
  return said;
}

async function answers(control: ControlClient): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000);
  return await control.request("/v1/status", { signal }).then(
    ({ status }) => status === 200,
    () => false,
  );
}

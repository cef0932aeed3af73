/** `kill -9` of a server that hooks and envelopes reach, at random moments. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { envelope, exchange, type SurfaceEnv, withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { promptPayload } from "../helpers/hooks.ts";
import { chanceOf, pause, rounds } from "../helpers/chance.ts";
import { installLauncher, runHook } from "./hooks.ts";
import { assertTold, Victim } from "./victim.ts";

Deno.test("a server killed at random moments loses no acknowledged event and no hook that ended", async () => {
  const chance = chanceOf("kill the server");
  await withFolder(async (folder) => {
    const launcher = await installLauncher(folder);
    const acknowledged = new Set<string>();
    const sessions: string[] = [];
    let surface: SurfaceEnv | undefined;
    for (let round = 0; round < rounds(3); round++) {
      const victim = await Victim.start(folder);
      try {
        surface ??= await victim.openSurface();
        await victim.assertHolds(acknowledged);
        const enough = acknowledged.size + 1 + chance.below(60);
        const sending = Promise.all([
          ...Array.from({ length: 4 }, () => sendUntilDead(victim, surface!, acknowledged)),
          ...Array.from(
            { length: 3 },
            (_, sender) =>
              runHooks(victim, launcher, { folder, sessions, name: `${round}-${sender}` }),
          ),
        ]);
        await eventually(() => acknowledged.size >= enough, 30_000);
        await pause(chance.below(30));
        await victim.end("SIGKILL");
        await sending;
      } finally {
        await victim.end("SIGKILL");
      }
    }
    const last = await Victim.start(folder);
    try {
      await last.assertHolds(acknowledged);
      await assertTold(last, sessions);
      assert.equal(last.said(), "", "nothing to complain about");
      assert.deepEqual(hookFiles(folder), [], "the spool is taken in");
    } finally {
      assert.equal((await last.end()).code, 0);
    }
    const database = new DatabaseSync(`${folder}/state/mytty.sqlite`);
    const check = database.prepare("PRAGMA integrity_check").get();
    database.close();
    assert.deepEqual({ ...check }, { integrity_check: "ok" });
  });
});

async function sendUntilDead(victim: Victim, surface: SurfaceEnv, acknowledged: Set<string>) {
  while (!victim.hasEnded) {
    const id = crypto.randomUUID();
    const line = envelope(surface, { id: { rawValue: id }, kind: "running" });
    const answer = await exchange(victim.eventSocket, line).catch(() => "");
    if (!answer.includes('"ok":true')) return;
    acknowledged.add(id);
  }
}

/** A hook that ended has delivered its event or spooled it, whatever became of the server. */
async function runHooks(
  victim: Victim,
  launcher: readonly string[],
  { folder, sessions, name }: { folder: string; sessions: string[]; name: string },
): Promise<void> {
  for (let turn = 0; !victim.hasEnded; turn++) {
    const session = `${name}-${turn}`;
    const stdin = JSON.stringify(promptPayload(session));
    const { code, isPrompt } = await runHook([...launcher, "claude-code"], { folder, stdin });
    assert.equal(code, 0);
    if (isPrompt) sessions.push(session);
  }
}

function hookFiles(folder: string): string[] {
  return [...Deno.readDirSync(`${folder}/state/spool`)].map(({ name }) => name)
    .filter((name) => name.endsWith(".hook"));
}

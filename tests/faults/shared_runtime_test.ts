/** Servers of two state folders in one runtime folder: the first keeps its sockets. */

import assert from "node:assert/strict";
import { envelope, withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { Victim } from "./victim.ts";

/** A server of the same runtime folder with a state folder of its own. */
function startBeside(folder: string): Promise<Victim> {
  return Victim.start(folder, { env: { MYTTY_STATE_DIR: `${folder}/other` } });
}

async function assertRefused(folder: string, { pid }: Victim): Promise<void> {
  const said =
    `another mytty \\(pid ${pid}\\) has its sockets in "${folder}/run"; set MYTTY_RUNTIME_DIR`;
  await assert.rejects(startBeside(folder), new RegExp(said));
}

function inodes(folder: string): (number | null)[] {
  return ["event", "control"].map((name) => Deno.lstatSync(`${folder}/run/${name}.sock`).ino);
}

Deno.test("a second server is refused with the first one's pid, and takes nothing from it, also when that is stopped", async () => {
  await withFolder(async (folder) => {
    const first = await Victim.start(folder);
    try {
      const surface = await first.openSurface();
      const before = inodes(folder);
      await assertRefused(folder, first);
      first.signal("SIGSTOP");
      await assertRefused(folder, first);
      assert.deepEqual(inodes(folder), before);
      first.signal("SIGCONT");
      await first.store(envelope(surface));
      assert.doesNotMatch(first.said(), /re-created|taken over/);
    } finally {
      assert.equal((await first.end()).code, 0);
    }
    const second = await startBeside(folder);
    assert.equal((await second.end()).code, 0);
  });
});

Deno.test("a killed server's runtime folder is free at once, whoever has its pid now", async () => {
  await withFolder(async (folder) => {
    await (await Victim.start(folder)).end("SIGKILL");
    Deno.writeTextFileSync(`${folder}/run/serve.lock`, `${Deno.pid}\n`);
    const second = await startBeside(folder);
    try {
      await second.store(envelope(await second.openSurface()));
    } finally {
      assert.equal((await second.end()).code, 0);
    }
  });
});

Deno.test("after its runtime folder was deleted a server has it again, and the second is refused", async () => {
  await withFolder(async (folder) => {
    const first = await Victim.start(folder);
    try {
      Deno.removeSync(`${folder}/run`, { recursive: true });
      const holder = () => Deno.readTextFileSync(`${folder}/run/serve.lock`);
      await eventually(() => {
        try {
          return holder() === `${first.pid}\n`;
        } catch {
          return false;
        }
      }, 20_000);
      await assertRefused(folder, first);
    } finally {
      assert.equal((await first.end()).code, 0);
    }
  });
});

Deno.test("a server whose runtime folder another one has taken over ends, and says so", async () => {
  await withFolder(async (folder) => {
    const first = await Victim.start(folder);
    try {
      first.signal("SIGSTOP");
      Deno.removeSync(`${folder}/run`, { recursive: true });
      const second = await startBeside(folder);
      try {
        first.signal("SIGCONT");
        await eventually(() => first.hasEnded, 20_000);
        assert.match(first.said(), /run" was taken over.*: ending/);
        await second.store(envelope(await second.openSurface()));
      } finally {
        assert.equal((await second.end()).code, 0);
      }
    } finally {
      await first.end("SIGKILL");
    }
  });
});

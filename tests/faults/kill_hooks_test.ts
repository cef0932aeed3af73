/** `kill -9` of hooks at random moments: what they leave is taken in or taken away. */

import assert from "node:assert/strict";
import { SPOOL_STALE_MS } from "../../src/core/wire/spool_file.ts";
import { BUILT } from "../helpers/built.ts";
import { withFolder } from "../helpers/daemon.ts";
import { allEvents, eventually } from "../helpers/events.ts";
import { promptPayload } from "../helpers/hooks.ts";
import { type Chance, chanceOf, rounds } from "../helpers/chance.ts";
import { installLauncher, runHook } from "./hooks.ts";
import { assertTold, Victim } from "./victim.ts";

type Kind = { readonly name: string; readonly command: string[]; readonly longestMs: number };

Deno.test("killed hooks are stored once or not at all, and leave nothing in the spool", async () => {
  const chance = chanceOf("kill hooks");
  await withFolder(async (folder) => {
    const kinds: Kind[] = [
      { name: "launcher", command: await installLauncher(folder), longestMs: 40 },
      { name: "program", command: [BUILT, "hook"], longestMs: 300 },
    ];
    const ended: string[] = [];
    for (const kind of kinds) {
      // Nobody listens: each goes to the spool, by way of files that are not finished yet.
      ended.push(...await killSome(kind, { folder, chance, when: "down" }));
    }
    const victim = await Victim.start(folder);
    try {
      for (const kind of kinds) {
        ended.push(...await killSome(kind, { folder, chance, when: "up" }));
      }
      await assertTold(victim, ended);
      const started = (await allEvents(victim.control)).filter(({ kind }) => kind === "started")
        .map(({ sessionID }) => sessionID);
      assert.equal(new Set(started).size, started.length, "none twice");
      await assertSwept(`${folder}/state/spool`);
      assert.doesNotMatch(
        victim.said(),
        /no hook/,
        "a half-written file is never taken for a hook",
      );
    } finally {
      assert.equal((await victim.end()).code, 0);
    }
  });
});

/** Runs hooks, most of them killed on the way; the sessions of those that ended by themselves. */
async function killSome(
  { name, command, longestMs }: Kind,
  { folder, chance, when }: { folder: string; chance: Chance; when: string },
): Promise<string[]> {
  const ended: string[] = [];
  for (let round = 0; round < rounds(2); round++) {
    await Promise.all(Array.from({ length: 6 }, async (_, index) => {
      const session = `${name}-${when}-${round}-${index}`;
      const prompt = "p".repeat(chance.below(200_000));
      const { code, signal, isPrompt } = await runHook([...command, "claude-code"], {
        folder,
        stdin: JSON.stringify({ ...promptPayload(session), prompt }),
        ...(index === 0 ? {} : { killAfter: chance.below(longestMs) }),
      });
      if (signal !== null) return;
      assert.equal(code, 0);
      if (isPrompt) ended.push(session);
    }));
  }
  return ended;
}

/** What is left of the killed stays while it may still be somebody's work, and no longer. */
async function assertSwept(spool: string): Promise<void> {
  // Whatever the moments were, there is one of each kind.
  for (const name of [".1-a.hook.tmp", ".1-b.tmp", ".c.part"]) {
    Deno.writeTextFileSync(`${spool}/${name}`, "half");
  }
  const long = new Date(Date.now() - SPOOL_STALE_MS - 60_000);
  for (const { name } of Deno.readDirSync(spool)) {
    if (name.startsWith(".")) Deno.utimeSync(`${spool}/${name}`, long, long);
  }
  await eventually(() => [...Deno.readDirSync(spool)].length === 0);
}

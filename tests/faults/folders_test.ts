/** Sockets, folders and locks that vanish or belong to somebody else. */

import assert from "node:assert/strict";
import { envelope, exchange, withFolder } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";
import { promptPayload } from "../helpers/hooks.ts";
import { pause } from "../helpers/chance.ts";
import { installLauncher, runHook } from "./hooks.ts";
import { assertTold, mytty, Victim } from "./victim.ts";

/** Between a removal and the notice of it nobody listens. */
function sent(victim: Victim, line: string): Promise<boolean> {
  return eventually(
    async () => (await exchange(victim.eventSocket, line).catch(() => "")).includes('"ok":true'),
    20_000,
  );
}

Deno.test("a runtime folder that is deleted comes back, it is said, and doctor is content", async () => {
  await withFolder(async (folder) => {
    const launcher = await installLauncher(folder);
    const victim = await Victim.start(folder);
    try {
      const surface = await victim.openSurface();
      Deno.removeSync(`${folder}/run`, { recursive: true });
      // A hook that comes just then is kept.
      const stdin = JSON.stringify(promptPayload("between"));
      await runHook([...launcher, "claude-code"], { folder, stdin });
      await sent(victim, envelope(surface));
      await assertTold(victim, ["between"]);
      assert.match(victim.said(), /re-created socket ".*event\.sock"/);
      const { stdout } = await mytty(folder, ["doctor", "--json"]);
      assert.doesNotMatch(stdout, /"state":\s*"fail"[^}]*socket/);
    } finally {
      assert.equal((await victim.end()).code, 0);
    }
  });
});

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

type Loss = { readonly what: string; readonly paths: readonly string[]; readonly said: RegExp };

const LOSSES: readonly Loss[] = [
  { what: "the state folder", paths: [""], said: /database ".*" was deleted/ },
  { what: "the database", paths: ["/mytty.sqlite"], said: /database ".*" was deleted/ },
  {
    what: "the write-ahead log",
    paths: ["/mytty.sqlite-wal", "/mytty.sqlite-shm"],
    said: /write-ahead log of ".*" was deleted/,
  },
];

for (const { what, paths, said } of LOSSES) {
  Deno.test(`${what} is deleted while serving: it is told, nothing acknowledged is lost, a restart needs no hand`, async () => {
    await withFolder(async (folder) => {
      const victim = await Victim.start(folder);
      const ids = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()] as const;
      const line = (id: string) => envelope(surface, { id: { rawValue: id }, kind: "running" });
      const surface = await victim.openSurface();
      try {
        // The watch has seen the write-ahead log once.
        await pause(1_500);
        await victim.store(line(ids[0]));
        for (const path of paths) Deno.removeSync(`${folder}/state${path}`, { recursive: true });
        await victim.store(line(ids[1]));
        await eventually(() => said.test(victim.said()), 20_000);
        await victim.store(line(ids[2]));
        await assert.rejects(Victim.start(folder), /another mytty serves this state folder/);
        await victim.assertHolds(ids);
      } finally {
        await victim.end("SIGKILL");
      }
      const next = await Victim.start(folder);
      try {
        await next.assertHolds(ids);
        await next.store(envelope(surface));
        assert.equal(next.said(), "");
      } finally {
        assert.equal((await next.end()).code, 0);
      }
    });
  });
}

Deno.test("a lock that is deleted while serving is taken again before another server can have it", async () => {
  await withFolder(async (folder) => {
    const victim = await Victim.start(folder);
    try {
      const path = `${folder}/state/serve.lock`;
      Deno.removeSync(path);
      await eventually(() => exists(path) && Deno.readTextFileSync(path) !== "", 20_000);
      await assert.rejects(Victim.start(folder), /another mytty serves this state folder/);
    } finally {
      assert.equal((await victim.end()).code, 0);
    }
  });
});

Deno.test("a server whose folder another one has taken over ends, and says so", async () => {
  await withFolder(async (folder) => {
    const first = await Victim.start(folder);
    try {
      first.signal("SIGSTOP");
      for (const name of ["state", "run"]) {
        Deno.removeSync(`${folder}/${name}`, { recursive: true });
      }
      const second = await Victim.start(folder);
      try {
        first.signal("SIGCONT");
        await eventually(() => first.hasEnded, 20_000);
        assert.match(first.said(), /was taken over.*: ending/);
        // Its own sockets went with the first; they are made again.
        const surface = await eventually(() => second.openSurface().catch(() => undefined), 20_000);
        await sent(second, envelope(surface));
      } finally {
        assert.equal((await second.end()).code, 0);
      }
    } finally {
      await first.end("SIGKILL");
    }
  });
});

Deno.test("the lock of a dead server counts for nothing, also where its pid is somebody else's now", async () => {
  await withFolder(async (folder) => {
    const first = await Victim.start(folder);
    const surface = await first.openSurface();
    const id = crypto.randomUUID();
    await first.store(envelope(surface, { id: { rawValue: id } }));
    await first.end("SIGKILL");
    // The number lives again, and is no server.
    Deno.writeTextFileSync(`${folder}/state/serve.lock`, `${Deno.pid}\n`);
    const down = await mytty(folder, ["list"]);
    assert.equal(down.code, 3, "no server");
    const second = await Victim.start(folder);
    try {
      await second.assertHolds([id]);
      await assert.rejects(
        Victim.start(folder),
        new RegExp(`another mytty serves this state folder \\(pid ${second.pid}\\)`),
      );
      await second.store(envelope(surface));
    } finally {
      assert.equal((await second.end()).code, 0);
    }
  });
});

Deno.test("two servers that start at once: one serves, the other says who", async () => {
  await withFolder(async (folder) => {
    const starts = await Promise.allSettled([Victim.start(folder), Victim.start(folder)]);
    const served = starts.flatMap((start) => start.status === "fulfilled" ? [start.value] : []);
    try {
      assert.equal(served.length, 1);
      const refused = starts.find((start) => start.status === "rejected") as PromiseRejectedResult;
      assert.match(String(refused.reason), /another mytty serves this state folder/);
      await served[0]!.store(envelope(await served[0]!.openSurface()));
    } finally {
      for (const victim of served) assert.equal((await victim.end()).code, 0);
    }
  });
});

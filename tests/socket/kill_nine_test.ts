import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { ControlClient } from "../../src/socket/client.ts";
import { envelope, exchange, type SurfaceEnv, withFolder } from "../helpers/daemon.ts";
import { allEvents, eventually } from "../helpers/events.ts";
import { postHook, promptPayload } from "../helpers/hooks.ts";
import { programEnv, type Serve, startServe } from "../helpers/program.ts";

const ROUNDS = 8;
const SENDERS = 16;

Deno.test("kill -9 at any moment loses no acknowledged event, stores none twice, and needs no hand", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder);
    const acknowledged = new Set<string>();
    let surface: SurfaceEnv | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      const serve = await startServe(env);
      try {
        surface ??= await openSurface(folder);
        await assertKept(folder, acknowledged);
        const enough = acknowledged.size + 1 + Math.random() * 200;
        const firing = fire(serve, surface, acknowledged);
        await eventually(() => acknowledged.size >= enough, 20_000);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
        await serve.end("SIGKILL");
        await firing;
      } finally {
        await serve.end("SIGKILL");
      }
    }
    const last = await startServe(env);
    try {
      await assertKept(folder, acknowledged);
      assert.equal(last.stderr(), "", "nothing to complain about");
    } finally {
      assert.equal((await last.end("SIGTERM")).code, 0);
    }
    assertSound(`${folder}/state/mytty.sqlite`);
  });
});

async function openSurface(folder: string): Promise<SurfaceEnv> {
  const control = new ControlClient(`${folder}/run/control.sock`);
  const { body } = await control.request("/v1/surfaces", { method: "POST", body: {} });
  const { surfaceID, env } = body as { surfaceID: string; env: Record<string, string> };
  return { surfaceID, env, capability: env.MYTTY_EVENT_CAPABILITY! };
}

/** Sends from many connections until nobody answers; notes the ids of what was acknowledged. */
async function fire({ eventSocket }: Serve, surface: SurfaceEnv, acknowledged: Set<string>) {
  await Promise.all(Array.from({ length: SENDERS }, async (_, sender) => {
    for (;;) {
      const id = crypto.randomUUID();
      const sent = sender % 4 === 0
        ? sendHook(eventSocket, id)
        : exchange(eventSocket, envelope(surface, { id: { rawValue: id }, kind: "running" }));
      const answer = await sent.catch(() => "");
      // Cut off while it was answered: not acknowledged, stored or not.
      if (!answer.includes('"ok":true')) return;
      acknowledged.add(id);
    }
  }));
}

async function sendHook(socket: string, id: string): Promise<string> {
  const headers = { "mytty-delivery": id };
  return (await postHook(socket, { headers, body: promptPayload(`hooked ${id}`) })).body;
}

async function assertKept(folder: string, acknowledged: ReadonlySet<string>): Promise<void> {
  const rows = await allEvents(new ControlClient(`${folder}/run/control.sock`));
  const ids = rows.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, "stored at most once");
  const stored = new Set(ids);
  assert.deepEqual([...acknowledged].filter((id) => !stored.has(id)), [], "nothing is lost");
}

function assertSound(path: string): void {
  const database = new DatabaseSync(path);
  const row = database.prepare("PRAGMA integrity_check").get();
  database.close();
  assert.deepEqual({ ...row }, { integrity_check: "ok" });
}

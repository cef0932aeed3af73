import assert from "node:assert/strict";
import { ControlClient } from "../../src/socket/client.ts";
import { envelope, exchange, type SurfaceEnv, withFolder } from "../helpers/daemon.ts";
import { allEvents, eventually } from "../helpers/events.ts";
import { postHook, promptPayload } from "../helpers/hooks.ts";
import { programEnv, runProgram, type Serve, startServe } from "../helpers/program.ts";
import { type SmallDisk, withSmallDisk } from "../helpers/small_disk.ts";

const REFUSED = '{"ok":false,"error":"internal-error"}\n';
const MESSAGE = "m".repeat(2_000);

Deno.test("a full disk is told to each sender, loses nothing that was acknowledged, and passes", async () => {
  await withFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/disk`);
    await withSmallDisk(`${folder}/disk`, async (disk) => {
      const env = environment(folder);
      let serve = await startServe(env, disk.prefix);
      try {
        const surface = await openSurface(folder);
        const acknowledged = await sendUntilFull(serve, surface, disk);
        await assertFullBehaviour(serve, surface, folder);
        if (!disk.giveBack()) {
          assert.equal((await serve.end("SIGTERM")).code, 0, "it ends well although full");
          serve = await startServe(env);
        }
        acknowledged.push(await send(serve, surface));
        await assertStored(folder, acknowledged);
        assert.equal((await serverStatus(folder)).storeRefusal, null, "it is over");
      } finally {
        await serve.end("SIGKILL");
      }
    });
  });
});

Deno.test("on a full disk a command is run all the same, and the doctor says what is the matter", async () => {
  await withFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/disk`);
    await withSmallDisk(`${folder}/disk`, async (disk) => {
      const env = environment(folder);
      const serve = await startServe(env, disk.prefix);
      try {
        await sendUntilFull(serve, await openSurface(folder), disk);
        const words = ["run", "--label", "l".repeat(200), "--", "sh", "-c", "exit 4"];
        const notice = await eventually(async () => {
          const { code, stderr } = await runProgram(words, { env });
          assert.equal(code, 4, "whether or not there was a surface for it");
          return stderr !== "" && stderr;
        }, 60_000);
        assert.match(
          notice,
          /^mytty: Cannot open a surface: the server could not store it \(.*(full|I\/O).*\); see .*; running without a surface\n$/,
        );
        const doctor = await runProgram(["doctor", "--json"], { env });
        const { checks } = JSON.parse(doctor.stdout);
        const database = checks.find(({ name }: { name: string }) => name === "database");
        assert.deepEqual([doctor.code, database.state], [1, "fail"]);
        assert.match(database.detail, /^took nothing .* ago: .*(full|I\/O)/);
      } finally {
        await serve.end("SIGKILL");
      }
    });
  });
});

Deno.test("a server can be stopped while the disk is full, and starts again with everything", async () => {
  await withFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/disk`);
    await withSmallDisk(`${folder}/disk`, async (disk) => {
      const env = environment(folder);
      const first = await startServe(env, disk.prefix);
      const acknowledged = await openSurface(folder)
        .then((surface) => sendUntilFull(first, surface, disk))
        .finally(() => first.end("SIGTERM"));
      assert.equal((await first.end("SIGTERM")).code, 0);
      disk.giveBack();
      const second = await startServe(env);
      try {
        await assertStored(folder, acknowledged);
      } finally {
        await second.end("SIGTERM");
      }
    });
  });
});

Deno.test("a hook that finds neither a server nor space is silent and leaves nothing half-written", async () => {
  await withFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/disk`);
    await withSmallDisk(`${folder}/disk`, async (disk) => {
      if (disk.prefix.length > 0) return; // Without a file system of its own nothing is full.
      const env = environment(folder);
      Deno.mkdirSync(`${folder}/disk/state/spool`, { recursive: true, mode: 0o700 });
      disk.fill();
      const stdin = JSON.stringify(promptPayload("full", { prompt: "p".repeat(50_000) }));
      for (let round = 0; round < 3; round++) {
        const { code, stdout, stderr } = await runProgram(["hook", "claude-code"], { env, stdin });
        assert.deepEqual([code, stdout, stderr], [0, "", ""]);
      }
      assert.deepEqual([...Deno.readDirSync(`${folder}/disk/state/spool`)], []);
    });
  });
});

function environment(folder: string): Record<string, string> {
  return programEnv(folder, { MYTTY_STATE_DIR: `${folder}/disk/state` });
}

async function openSurface(folder: string): Promise<SurfaceEnv> {
  const control = new ControlClient(`${folder}/run/control.sock`);
  const { body } = await control.request("/v1/surfaces", { method: "POST", body: {} });
  const { surfaceID, env } = body as { surfaceID: string; env: Record<string, string> };
  return { surfaceID, env, capability: env.MYTTY_EVENT_CAPABILITY! };
}

async function serverStatus(folder: string): Promise<{ storeRefusal: unknown }> {
  const { body } = await new ControlClient(`${folder}/run/control.sock`).request("/v1/status");
  return body as { storeRefusal: unknown };
}

/** Sends one event that must be taken; its id. */
async function send({ eventSocket }: Serve, surface: SurfaceEnv): Promise<string> {
  const id = crypto.randomUUID();
  const line = envelope(surface, { id: { rawValue: id }, kind: "running" });
  assert.equal(await exchange(eventSocket, line), '{"ok":true,"inserted":true}\n');
  return id;
}

/** Sends until the first refusal; the ids of what was acknowledged. */
async function sendUntilFull(
  { eventSocket }: Serve,
  surface: SurfaceEnv,
  disk: SmallDisk,
): Promise<string[]> {
  const acknowledged: string[] = [];
  const send = async () => {
    const id = crypto.randomUUID();
    const event = { id: { rawValue: id }, kind: "running", message: MESSAGE };
    const answer = await exchange(eventSocket, envelope(surface, event));
    if (answer !== REFUSED) assert.equal(answer, '{"ok":true,"inserted":true}\n');
    return answer === REFUSED ? null : id;
  };
  for (let round = 0; round < 200; round++) {
    // SQLite reuses its write-ahead log: it needs new space only now and then.
    if (round === 5) disk.fill();
    const ids = await Promise.all(Array.from({ length: 8 }, send));
    acknowledged.push(...ids.filter((id) => id !== null));
    if (ids.includes(null)) return acknowledged;
  }
  return assert.fail("the disk was never full");
}

async function assertFullBehaviour(serve: Serve, surface: SurfaceEnv, folder: string) {
  const big = { kind: "running", message: MESSAGE };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => exchange(serve.eventSocket, envelope(surface, big))),
  );
  assert.ok(answers.includes(REFUSED));
  const body = promptPayload("full", { prompt: MESSAGE });
  const hooks = await Promise.all(
    Array.from({ length: 20 }, () => postHook(serve.eventSocket, { body })),
  );
  assert.ok(hooks.some(({ status, body }) => status === 500 && body === REFUSED));
  assert.match(serve.stderr(), /cannot store an event: .*(full|I\/O)/);
  assert.ok(!serve.stderr().includes("mmm"), "no payload in the log");
  const control = new ControlClient(`${folder}/run/control.sock`);
  assert.equal((await control.request("/v1/list")).status, 200, "it goes on showing what it knows");
}

async function assertStored(folder: string, acknowledged: readonly string[]): Promise<void> {
  const rows = await allEvents(new ControlClient(`${folder}/run/control.sock`));
  const ids = rows.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const stored = new Set(ids);
  assert.deepEqual(acknowledged.filter((id) => !stored.has(id)), []);
}

import assert from "node:assert/strict";
import net from "node:net";
import { DatabaseSync } from "node:sqlite";
import { NOTHING_CAME } from "../../src/core/wire/hook_timing.ts";
import { SPOOL_MAX_BYTES, spoolName } from "../../src/core/wire/spool_file.ts";
import { writeSpool } from "../../src/socket/spool.ts";
import { startTestServer, type TestServer, withFolder, withServer } from "../helpers/daemon.ts";
import { agentEvents, eventually } from "../helpers/events.ts";
import { promptPayload } from "../helpers/hooks.ts";
import { programEnv, runProgram } from "../helpers/program.ts";

const HOUR_MS = 3_600_000;

type Spooled = {
  readonly session?: string;
  readonly at?: number;
  readonly deliveryID?: string;
  readonly payload?: string | Uint8Array;
  readonly headers?: readonly [string, string][];
};

/** As a hook does it when nobody listens. */
function spool(folder: string, spooled: Spooled = {}): string {
  const { session = "spooled", at = Date.now(), deliveryID = crypto.randomUUID() } = spooled;
  const payload = spooled.payload ?? JSON.stringify(promptPayload(session));
  writeSpool(folder, {
    provider: "claude-code",
    at,
    deliveryID,
    headers: [
      ["mytty-delivery", deliveryID],
      ["mytty-at", String(at)],
      ...spooled.headers ?? [],
    ],
    payload: typeof payload === "string" ? new TextEncoder().encode(payload) : payload,
  });
  return deliveryID;
}

function files(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

async function counts({ control }: TestServer) {
  const { body } = await control.request("/v1/status");
  return (body as { spool: { waiting: number; taken: number; dropped: number } }).spool;
}

/** Runs `task` with a server of `folder`, which is stopped afterwards. */
async function serving(folder: string, task: (test: TestServer) => Promise<void>): Promise<void> {
  const test = await startTestServer({ folder });
  try {
    await task(test);
  } finally {
    await test.server.stop();
  }
}

Deno.test("a hook that found no server is taken in by the next one, exactly once, as it happened", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder);
    const before = Date.now();
    const stdin = JSON.stringify(promptPayload("down"));
    assert.equal((await runProgram(["hook", "claude-code"], { env, stdin })).code, 0);
    const after = Date.now();
    const [name] = files(`${folder}/state/spool`);
    const copy = Deno.readFileSync(`${folder}/state/spool/${name}`);
    for (let start = 0; start < 3; start++) {
      await serving(folder, async (test) => {
        const rows = (await agentEvents(test.control)).filter(({ kind }) => kind === "started");
        assert.equal(rows.length, 1);
        assert.equal(rows[0]!.sessionID, "down");
        const at = Date.parse(rows[0]!.occurredAt!);
        assert.ok(at >= before && at <= after, "it says when it happened");
        assert.deepEqual(files(`${folder}/state/spool`), []);
      });
      // A crash between storing and removing leaves the file: it is the same delivery again.
      if (start === 0) Deno.writeFileSync(`${folder}/state/spool/${name}`, copy);
    }
  });
});

Deno.test("a spooled hook is taken in while serving, oldest first", async () => {
  await withServer(async (test) => {
    const { spool: folder } = test.paths;
    const now = Date.now();
    const order = [5, 1, 4, 2, 3];
    for (const place of order) {
      spool(folder, { session: `s${place}`, at: now - 10_000 + place });
    }
    const rows = await eventually(async () => {
      const found = await agentEvents(test.control);
      return found.length === order.length && found;
    });
    assert.deepEqual(rows.map(({ sessionID }) => sessionID), ["s1", "s2", "s3", "s4", "s5"]);
    assert.deepEqual(await counts(test), { waiting: 0, taken: 5, dropped: 0 });
  });
});

Deno.test("a spooled hook keeps its surface without its capability ever being written", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface("pane");
    spool(test.paths.spool, { headers: [["mytty-surface", surface.surfaceID]] });
    spool(test.paths.spool, { session: "b", headers: [["mytty-surface", crypto.randomUUID()]] });
    const rows = await eventually(async () => {
      const found = await agentEvents(test.control);
      return found.length === 2 && found;
    });
    const bySession = new Map(rows.map((row) => [row.sessionID, row.surfaceID]));
    assert.equal(bySession.get("spooled"), surface.surfaceID);
    assert.equal(bySession.get("b"), null);
  });
});

Deno.test("the spool keeps the newest 1,000 files and counts what gave way", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/state/spool`;
    const now = Date.now();
    Deno.mkdirSync(path, { recursive: true });
    for (let index = 0; index < 1_000; index++) {
      const head = `mytty-provider: claude-code\nmytty-at: ${now + index}\n`;
      const text = `${head}\n${JSON.stringify(promptPayload(`s${index}`))}`;
      Deno.writeTextFileSync(`${path}/${spoolName(now + index, `${index}`)}`, text);
    }
    for (let index = 1_000; index < 1_005; index++) spool(path, { at: now + index });
    const hooks = files(path).filter((name) => name.endsWith(".hook"));
    assert.equal(hooks.length, 1_000);
    assert.ok(hooks[0]!.startsWith(String(now + 5).padStart(15, "0")), "the oldest gave way");
    await serving(folder, async (test) => {
      assert.deepEqual(await counts(test), { waiting: 0, taken: 1_000, dropped: 5 });
      assert.deepEqual(files(path), ["dropped"]);
    });
  });
});

Deno.test("the spool stays below 16 MiB", async () => {
  await withFolder((folder) => {
    const path = `${folder}/spool`;
    const payload = new Uint8Array(1_048_576).fill(0x20);
    for (let index = 0; index < 20; index++) spool(path, { payload, at: 1_000 + index });
    const hooks = files(path).filter((name) => name.endsWith(".hook"));
    const bytes = hooks.reduce((sum, name) => sum + Deno.statSync(`${path}/${name}`).size, 0);
    assert.ok(bytes <= SPOOL_MAX_BYTES, `${bytes} bytes`);
    assert.ok(hooks.length >= 14);
    assert.equal(Deno.statSync(`${path}/dropped`).size, 20 - hooks.length);
    assert.ok(hooks.at(-1)!.startsWith("000000000001019"), "the newest is kept");
    return Promise.resolve();
  });
});

Deno.test("what is older than a day, or no hook at all, is dropped and said", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/state/spool`;
    spool(path, { session: "old", at: Date.now() - 25 * HOUR_MS });
    spool(path, { session: "yesterday", at: Date.now() - 23 * HOUR_MS });
    spool(path, { payload: "not json" });
    const broken = [
      "",
      "no head",
      "\n\n",
      "mytty-provider: A B\n\n{}",
      "mytty-provider: nobody\n\n{}",
    ];
    broken.forEach((text, index) =>
      Deno.writeTextFileSync(`${path}/${spoolName(index, "broken")}`, text)
    );
    await serving(folder, async (test) => {
      const sessions = (await agentEvents(test.control)).map(({ sessionID }) => sessionID);
      assert.deepEqual(sessions, ["yesterday"]);
      assert.deepEqual(files(path), []);
      const said = test.logged.filter((line) => /spool/.test(line));
      assert.equal(said.filter((line) => line.includes("no hook")).length, 4);
      assert.equal(said.filter((line) => line.includes("older than a day")).length, 2);
    });
  });
});

Deno.test("what is no regular file is left alone, said once, and holds nothing up", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/state/spool`;
    spool(path, { session: "real" });
    const name = (what: string) => `${path}/${spoolName(1, what)}`;
    for (const [program, ...args] of [["mkfifo", name("fifo")], ["mkdir", name("folder")]]) {
      assert.ok(new Deno.Command(program!, { args }).outputSync().success);
    }
    Deno.writeTextFileSync(`${folder}/elsewhere`, "mytty-provider: codex\n\n{}");
    Deno.symlinkSync(`${folder}/elsewhere`, name("link"));
    const socket = net.createServer();
    await new Promise<void>((resolve) => socket.listen(`${folder}/s`, resolve));
    Deno.renameSync(`${folder}/s`, name("socket"));
    const odd = files(path).filter((name) => name.startsWith("000000000000001"));
    await serving(folder, async (test) => {
      assert.deepEqual((await agentEvents(test.control)).map(({ sessionID }) => sessionID), [
        "real",
      ]);
      spool(path, { session: "later" });
      await eventually(async () => (await agentEvents(test.control)).length === 2);
      assert.deepEqual(await counts(test), { waiting: 0, taken: 2, dropped: 0 });
      const said = test.logged.filter((line) => line.includes("no regular file"));
      assert.equal(said.length, odd.length, said.join("\n"));
    });
    assert.deepEqual(files(path), odd);
    await new Promise((resolve) => socket.close(resolve));
  });
});

Deno.test("files of other names and half-written ones are left alone while they are young", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/state/spool`;
    spool(path);
    for (const name of ["README", ".half.hook.tmp", "x.hook.bak"]) {
      Deno.writeTextFileSync(`${path}/${name}`, "mine");
    }
    await serving(folder, async (test) => {
      assert.equal((await agentEvents(test.control)).length, 1);
      assert.deepEqual(files(path), [".half.hook.tmp", "README", "x.hook.bak"]);
    });
  });
});

Deno.test("a spooled hook that the database does not take stays for the next pass", async () => {
  await withServer(async (test) => {
    const { spool: path, database } = test.paths;
    const blocker = new DatabaseSync(database);
    blocker.exec("BEGIN IMMEDIATE");
    spool(path);
    await eventually(() => test.logged.some((line) => line.includes("cannot store a hook")));
    assert.equal(files(path).length, 1);
    blocker.exec("ROLLBACK");
    blocker.close();
    await eventually(() => files(path).length === 0);
    assert.equal((await agentEvents(test.control)).length, 1);
  });
});

Deno.test("hooks that run at once without a server are all spooled, and all taken in", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder);
    const run = async (session: string) => {
      const stdin = JSON.stringify(promptPayload(session));
      const { millis } = await runProgram(["hook", "claude-code"], { env, stdin });
      return { session, millis };
    };
    const ran: { session: string; millis: number }[] = [];
    for (let from = 0; from < 24; from += 4) {
      const sessions = Array.from({ length: 4 }, (_, index) => `s${from + index}`);
      ran.push(...await Promise.all(sessions.map(run)));
    }
    // One whose budget was over before it got to read has nothing to keep, and says so.
    const log = Deno.readTextFileSync(`${folder}/state/hooks.log`);
    const empty = log.split("\n").filter((line) => line.includes(NOTHING_CAME)).length;
    const kept = files(`${folder}/state/spool`).length;
    assert.equal(kept + empty, ran.length, "none overwrites another");
    await serving(folder, async (test) => {
      const found = (await agentEvents(test.control)).map(({ sessionID }) => sessionID);
      assert.equal(new Set(found).size, found.length);
      // One whose budget was over before it got to read is gone; only a busy machine does that.
      const lost = ran.filter(({ session, millis }) => millis < 250 && !found.includes(session));
      assert.deepEqual(lost, []);
    });
  });
});

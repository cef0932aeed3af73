import assert from "node:assert/strict";
import { VERSION } from "../../src/core/version.ts";
import { ControlClient } from "../../src/socket/client.ts";
import { socketPathIssue } from "../../src/socket/paths.ts";
import { envelope, exchange, startTestServer, withFolder } from "../helpers/daemon.ts";
import { agentEvents, eventually } from "../helpers/events.ts";
import { hookRequestText, promptPayload } from "../helpers/hooks.ts";
import { programEnv, runProgram, startServe } from "../helpers/program.ts";
import net from "node:net";

const OK = '{"ok":true,"inserted":true}\n';

async function openSurface(folder: string) {
  const control = new ControlClient(`${folder}/run/control.sock`);
  const { body } = await control.request("/v1/surfaces", { method: "POST", body: {} });
  const { surfaceID, env } = body as { surfaceID: string; env: Record<string, string> };
  return { surfaceID, capability: env.MYTTY_EVENT_CAPABILITY! };
}

Deno.test("ready is said only when it answers, and a second server is refused by the first's pid", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder);
    const first = await startServe(env);
    try {
      assert.equal(first.eventSocket, `${folder}/run/event.sock`);
      const surface = await openSurface(folder);
      assert.equal(await exchange(first.eventSocket, envelope(surface)), OK);
      const second = await runProgram(["serve"], { env });
      assert.equal(second.code, 1);
      assert.equal(second.stdout, "");
      assert.match(second.stderr, new RegExp(`^mytty: .*another mytty.*pid ${first.pid}\\b.*\n$`));
      assert.equal(await exchange(first.eventSocket, envelope(surface)), OK, "the first goes on");
    } finally {
      assert.equal((await first.end("SIGTERM")).code, 0);
    }
    const left = [...Deno.readDirSync(`${folder}/run`)].map(({ name }) => name);
    assert.deepEqual(left, ["serve.lock"], "no socket is left");
  });
});

Deno.test("after kill -9 the left-over sockets are replaced and nothing is lost", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder);
    const first = await startServe(env);
    const surface = await openSurface(folder);
    assert.equal(await exchange(first.eventSocket, envelope(surface)), OK);
    await first.end("SIGKILL");
    assert.ok(Deno.lstatSync(first.eventSocket).isSocket, "left over");
    const second = await startServe(env);
    try {
      assert.equal(await exchange(second.eventSocket, envelope(surface)), OK);
      const control = new ControlClient(`${folder}/run/control.sock`);
      assert.equal((await agentEvents(control)).length, 2);
    } finally {
      await second.end("SIGTERM");
    }
  });
});

Deno.test("sockets are 0600 and their folders 0700 although the umask is 000", async () => {
  await withFolder(async (folder) => {
    const env = programEnv(folder);
    const serve = await startServe(env, ["/bin/sh", "-c", 'umask 000; exec "$@"', "sh"]);
    try {
      await openSurface(folder);
      const mode = (path: string) =>
        (Deno.lstatSync(`${folder}/${path}`).mode! & 0o777).toString(8);
      assert.deepEqual(["run", "state"].map(mode), ["700", "700"]);
      assert.deepEqual(["run/event.sock", "run/control.sock"].map(mode), ["600", "600"]);
      for (const { name } of Deno.readDirSync(`${folder}/state`)) {
        assert.equal(mode(`state/${name}`), "600", name);
      }
    } finally {
      await serve.end("SIGTERM");
    }
  });
});

Deno.test("SIGTERM finishes what is in flight, refuses what is new, and exits 0", async () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    await withFolder(async (folder) => {
      const serve = await startServe(programEnv(folder));
      const surface = await openSurface(folder);
      const line = envelope(surface);
      const hook = hookRequestText({ body: promptPayload("in-flight") });
      const answers = [
        await halfSent(serve.eventSocket, line, 300),
        await halfSent(serve.eventSocket, hook, 300),
      ];
      const ended = serve.end(signal);
      const [first, second] = await Promise.all(answers.map(({ answer }) => answer));
      assert.equal(first, OK);
      assert.match(second!, /^HTTP\/1\.1 200 [^]*"inserted":true/);
      assert.equal((await ended).code, 0);
      await assert.rejects(exchange(serve.eventSocket, line));
      assert.equal(await walBytes(folder), 0, "checkpointed");
    });
  }
});

/** Sends half of `text`, resolves, and sends the rest after `millis`. */
async function halfSent(path: string, text: string, millis: number) {
  const socket = net.connect(path);
  let received = "";
  socket.setEncoding("utf8").on("data", (part: string) => received += part);
  await new Promise((resolve) => socket.write(text.slice(0, text.length / 2), resolve));
  setTimeout(() => socket.write(text.slice(text.length / 2)), millis);
  // Written bytes are taken up by the server before anything else happens.
  await new Promise((resolve) => setTimeout(resolve, 150));
  return { answer: new Promise<string>((resolve) => socket.on("close", () => resolve(received))) };
}

async function walBytes(folder: string): Promise<number> {
  return await Deno.stat(`${folder}/state/mytty.sqlite-wal`).then(({ size }) => size, () => 0);
}

Deno.test("a silent client does not keep a stopping server from ending", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    const silent = exchange(test.paths.eventSocket, "{", { end: false });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const began = performance.now();
    await test.server.stop();
    assert.ok(performance.now() - began < 8_000);
    assert.equal(await silent, "");
  });
});

type Obstacle = { readonly what: string; readonly put: (path: string, folder: string) => void };

const OBSTACLES: readonly Obstacle[] = [
  { what: "a file", put: (path) => Deno.writeTextFileSync(path, "precious") },
  { what: "a directory", put: (path) => Deno.mkdirSync(path) },
  {
    what: "a symlink to a file",
    put: (path, folder) => {
      Deno.writeTextFileSync(`${folder}/target`, "precious");
      Deno.symlinkSync(`${folder}/target`, path);
    },
  },
  { what: "a dangling symlink", put: (path, folder) => Deno.symlinkSync(`${folder}/no`, path) },
];

Deno.test("whatever else is at a socket's path is refused, named and left alone", async () => {
  for (const name of ["event.sock", "control.sock"]) {
    for (const { what, put } of OBSTACLES) {
      await withFolder(async (folder) => {
        Deno.mkdirSync(`${folder}/run`, { mode: 0o700 });
        const path = `${folder}/run/${name}`;
        put(path, folder);
        const before = snapshot(path);
        await assert.rejects(startTestServer({ folder }), (error: Error) => {
          assert.match(error.message, /is there and is not a socket/, what);
          assert.ok(error.message.includes(path), what);
          return true;
        });
        assert.deepEqual(snapshot(path), before, what);
        Deno.removeSync(path, { recursive: true });
        // Nothing of the refused server is left: the next one takes the lock and the sockets.
        await (await startTestServer({ folder })).server.stop();
      });
    }
  }
});

function snapshot(path: string) {
  const { ino, isFile, isDirectory, isSymlink } = Deno.lstatSync(path);
  const text = isFile ? Deno.readTextFileSync(path) : isSymlink ? Deno.readLinkSync(path) : "";
  return { ino, isFile, isDirectory, isSymlink, text };
}

Deno.test("a refused start says so in one line and ends with exit status 1", async () => {
  await withFolder(async (folder) => {
    Deno.mkdirSync(`${folder}/run`, { mode: 0o700 });
    Deno.writeTextFileSync(`${folder}/run/event.sock`, "precious");
    const { code, stdout, stderr } = await runProgram(["serve"], { env: programEnv(folder) });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^mytty: Refusing socket path: .*\n$/);
  });
});

Deno.test("a socket path that is too long is refused with its length", async () => {
  const path = (bytes: number) => "x".repeat(bytes);
  const fits = (bytes: number, os: "darwin" | "linux") =>
    socketPathIssue(path(bytes), os) === undefined;
  assert.deepEqual([103, 104].map((bytes) => fits(bytes, "darwin")), [true, false]);
  assert.deepEqual([107, 108].map((bytes) => fits(bytes, "linux")), [true, false]);
  assert.match(socketPathIssue(path(104), "darwin")!, /104 bytes.*103.*MYTTY_RUNTIME_DIR/);
  assert.match(socketPathIssue("é".repeat(54), "linux")!, /108 bytes.*107/, "bytes, not letters");
  await withFolder(async (folder) => {
    const tail = "/run/control.sock".length;
    const limit = Deno.build.os === "darwin" ? 103 : 107;
    const long = `${folder}/${"d".repeat(limit - folder.length - 1 - tail)}`;
    Deno.mkdirSync(long);
    const test = await startTestServer({ folder: long });
    assert.equal(new TextEncoder().encode(test.paths.controlSocket).length, limit);
    assert.equal((await test.control.request("/v1/status")).status, 200);
    await test.server.stop();
    Deno.mkdirSync(`${long}d`);
    await assert.rejects(startTestServer({ folder: `${long}d` }), new RegExp(`${limit + 1} bytes`));
    assert.deepEqual([...Deno.readDirSync(`${long}d`)], [], "nothing was made");
  });
});

Deno.test("a runtime or state folder that is a symlink, a file or somebody else's is refused", async () => {
  for (const name of ["run", "state"]) {
    await withFolder(async (folder) => {
      Deno.mkdirSync(`${folder}/elsewhere`);
      Deno.symlinkSync(`${folder}/elsewhere`, `${folder}/${name}`);
      await assert.rejects(startTestServer({ folder }), /symlink/);
      assert.deepEqual([...Deno.readDirSync(`${folder}/elsewhere`)], []);
      Deno.removeSync(`${folder}/${name}`);
      Deno.writeTextFileSync(`${folder}/${name}`, "precious");
      await assert.rejects(startTestServer({ folder }), /is not a folder/);
      Deno.removeSync(`${folder}/${name}`);
      if (Deno.uid() !== 0) return;
      Deno.mkdirSync(`${folder}/${name}`, { mode: 0o777 });
      Deno.chownSync(`${folder}/${name}`, 4_242, null);
      await assert.rejects(startTestServer({ folder }), /owned by user 4242/);
    });
  }
});

Deno.test("a folder of another mode is refused with the command that would change it, and left as it is", async () => {
  for (const name of ["run", "state"]) {
    for (const mode of [0o755, 0o750, 0o500]) {
      await withFolder(async (folder) => {
        const path = `${folder}/${name}`;
        Deno.mkdirSync(path);
        Deno.chmodSync(path, mode);
        const said = `"${path}" has mode 0${mode.toString(8)}, not 0700; .*: chmod 700 ${path}$`;
        await assert.rejects(startTestServer({ folder }), new RegExp(said));
        assert.equal(Deno.statSync(path).mode! & 0o777, mode);
        Deno.chmodSync(path, 0o700);
        await (await startTestServer({ folder })).server.stop();
      });
    }
  }
});

Deno.test("a socket that a cleaner removes comes back within seconds and works", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    try {
      const { eventSocket, controlSocket } = test.paths;
      const surface = await test.openSurface();
      const { answer } = await halfSent(eventSocket, envelope(surface), 1_700);
      Deno.removeSync(eventSocket);
      Deno.removeSync(controlSocket);
      await eventually(() => isSocket(eventSocket) && isSocket(controlSocket));
      assert.equal(await retried(eventSocket, envelope(surface)), OK);
      assert.equal((await test.control.request("/v1/status")).status, 200);
      assert.equal(Deno.lstatSync(eventSocket).mode! & 0o777, 0o600);
      assert.match(await answer, /^$|"ok":true/, "an old connection ends by its own rules");
      assert.equal(test.logged.filter((line) => line.includes("re-created socket")).length, 2);
      Deno.removeSync(`${folder}/run`, { recursive: true });
      await eventually(() => isSocket(eventSocket) && isSocket(controlSocket));
      assert.equal(await retried(eventSocket, envelope(surface)), OK);
      assert.equal(Deno.lstatSync(`${folder}/run`).mode! & 0o777, 0o700);
    } finally {
      await test.server.stop();
    }
    assert.equal(isSocket(test.paths.eventSocket), false);
  });
});

/** Between a removal and the notice of it nobody listens. */
function retried(path: string, line: string): Promise<string> {
  return eventually(() => exchange(path, line).catch(() => undefined));
}

function isSocket(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSocket === true;
  } catch {
    return false;
  }
}

Deno.test("something else put in a removed socket's place is left alone and complained about once", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    Deno.removeSync(test.paths.eventSocket);
    Deno.writeTextFileSync(test.paths.eventSocket, "precious");
    await eventually(() => test.logged.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    assert.equal(test.logged.length, 1);
    assert.match(test.logged[0]!, /cannot re-create socket/);
    await test.server.stop();
    assert.equal(Deno.readTextFileSync(test.paths.eventSocket), "precious");
  });
});

Deno.test("the version and the pid in the status are those of the running server", async () => {
  await withFolder(async (folder) => {
    const serve = await startServe(programEnv(folder));
    try {
      const control = new ControlClient(`${folder}/run/control.sock`);
      const { body } = await control.request("/v1/status");
      const { pid, version } = body as { pid: number; version: string };
      assert.deepEqual([pid, version], [serve.pid, VERSION]);
    } finally {
      await serve.end("SIGTERM");
    }
  });
});

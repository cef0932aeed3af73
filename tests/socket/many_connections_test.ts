import assert from "node:assert/strict";
import net from "node:net";
import { envelope, exchange, withFolder, withServer } from "../helpers/daemon.ts";
import { agentEvents } from "../helpers/events.ts";
import { programEnv, type Serve, startServe } from "../helpers/program.ts";
import { ControlClient } from "../../src/socket/client.ts";

const OK = '{"ok":true,"inserted":true}\n';
const SILENT = 3_000;

Deno.test("300 connections at once are all answered, each once", async () => {
  await withServer(async ({ paths, openSurface, control }) => {
    const surface = await openSurface();
    const sockets = await Promise.all(Array.from({ length: 300 }, () => open(paths.eventSocket)));
    const answers = sockets.map(answerOf);
    for (const socket of sockets) {
      socket.write(envelope(surface, { sessionID: crypto.randomUUID() }));
    }
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([OK]));
    const rows = await agentEvents(control);
    assert.equal(rows.length, 300);
    assert.equal(new Set(rows.map(({ id }) => id)).size, 300);
  });
});

Deno.test("3,000 connections of which most are silent: none is dropped, memory stays bounded, events get through", async () => {
  await withFolder(async (folder) => {
    const serve = await startServe(programEnv(folder));
    try {
      await crowd(serve, `${folder}/run/control.sock`);
      assert.equal((await serve.end("SIGTERM")).code, 0);
    } finally {
      await serve.end("SIGKILL");
    }
  });
});

async function crowd({ pid, eventSocket }: Serve, controlSocket: string): Promise<void> {
  const control = new ControlClient(controlSocket);
  const { body } = await control.request("/v1/surfaces", { method: "POST", body: {} });
  const { surfaceID, env } = body as { surfaceID: string; env: Record<string, string> };
  const surface = { surfaceID, capability: env.MYTTY_EVENT_CAPABILITY! };
  const before = await residentMegabytes(pid);
  // Listened to from the first moment: the first may be closed before the last is open.
  const silent = Array.from({ length: SILENT }, () => open(eventSocket));
  const closed = silent.map(async (socket) => await answerOf(await socket));
  await Promise.all(silent);
  const waiting = Array.from(
    { length: 100 },
    () => exchange(eventSocket, envelope(surface, { sessionID: crypto.randomUUID() })),
  );
  const during = await residentMegabytes(pid);
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([OK]));
  assert.deepEqual(new Set(await Promise.all(closed)), new Set([""]));
  assert.equal(await exchange(eventSocket, envelope(surface)), OK);
  assert.equal((await agentEvents(control)).filter(({ kind }) => kind === "started").length, 101);
  const after = await residentMegabytes(pid);
  for (const now of [during, after]) {
    assert.ok(now < before + 200, `resident memory went from ${before} to ${now} MB`);
  }
}

function open(path: string): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path, () => resolve(socket));
    socket.on("error", reject);
  });
}

function answerOf(socket: net.Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (part: string) => text += part);
    socket.on("close", () => resolve(text));
    socket.on("end", () => socket.end());
  });
}

async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await new Deno.Command("ps", { args: ["-o", "rss=", "-p", String(pid)] })
    .output();
  return Math.round(Number(new TextDecoder().decode(stdout)) / 1024);
}

/** Noise and damaged messages at every socket of a real server: it lives, and stores only what is valid. */

import assert from "node:assert/strict";
import net from "node:net";
import {
  envelope,
  exchange,
  type SurfaceEnv,
  type TestServer,
  withServer,
} from "../helpers/daemon.ts";
import { allEvents } from "../helpers/events.ts";
import { hookRequestText, promptPayload } from "../helpers/hooks.ts";
import { type Chance, fuzz } from "../helpers/chance.ts";
import * as schemas from "../../src/socket/control/schema.ts";
import { PROVIDERS } from "../../src/core/registry.ts";
import { mutatedBytes, mutatedJson, mutatedText, randomBytes } from "./mutate.ts";
import { hookSamples } from "./samples.ts";

const encoder = new TextEncoder();
const AT_ONCE = 20;
const MUXY_LINE = '{"v":3,"kind":"agent_event","id":"1","provider":"claude","paneID":null,' +
  '"phase":"working","title":"t","body":"b","pids":[1],"ts":1}\n';
const CONTROL = [
  "GET /v1/list?active=1 HTTP/1.1\r\nhost: m\r\nconnection: close\r\n\r\n",
  "GET /v1/events?after=0&limit=5&run=x HTTP/1.1\r\nhost: m\r\nconnection: close\r\n\r\n",
  'POST /v1/wait HTTP/1.1\r\nhost: m\r\nconnection: close\r\ncontent-length: 37\r\n\r\n{"target":"x","until":"idle","a":null}',
  'POST /v1/attention/ack HTTP/1.1\r\nhost: m\r\nconnection: close\r\ncontent-length: 12\r\n\r\n{"all":true}',
  "PUT //x/../.. HTTP/1.1\r\nhost: m\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n",
  "CONNECT a:1 HTTP/1.1\r\nhost: m\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
];

Deno.test("fuzz: noise and damage at the event, control and muxy sockets", async () => {
  await withServer(async (test) => {
    const surface = await test.openSurface();
    await fuzz(6, async (chance) => {
      await Promise.all(Array.from({ length: AT_ONCE }, () => throwOne(test, surface, chance)));
      await assertServes(test, surface);
    });
    await assertStoredValid(test);
    assert.deepEqual(test.logged.filter((line) => !EXPECTED.test(line)), []);
  }, { muxy: true });
});

/** What the operator may read about it. */
const EXPECTED = /^(malformed [\w-]+ hook payload of \d+ bytes|muxy: )/;

/** Sends one message and does not care what comes back; cut off, or left open for a moment. */
async function throwOne(
  { paths }: TestServer,
  surface: SurfaceEnv,
  chance: Chance,
): Promise<void> {
  const [path, bytes] = chance.pick<() => [string, Uint8Array]>([
    () => [paths.eventSocket, randomBytes(chance, 2_000)],
    () => [paths.eventSocket, damagedEnvelope(surface, chance)],
    () => [paths.eventSocket, damagedHook(chance)],
    () => [paths.controlSocket, randomBytes(chance, 2_000)],
    () => [paths.controlSocket, encoder.encode(mutatedText(chance.pick(CONTROL), chance))],
    () => [paths.muxySocket, randomBytes(chance, 2_000)],
    () => [paths.muxySocket, mutatedBytes(encoder.encode(MUXY_LINE.repeat(3)), chance)],
  ])();
  const socket = net.connect(path);
  socket.on("error", () => {});
  socket.on("data", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const cut = chance.below(bytes.length + 1);
  socket.write(bytes.subarray(0, cut));
  await new Promise((resolve) => setTimeout(resolve, chance.below(5)));
  if (chance.below(4) === 0) socket.destroy();
  else socket.end(bytes.subarray(cut));
  // Streams and waits that it may have begun are left, as a closed terminal leaves them.
  const timer = setTimeout(() => socket.destroy(), 300);
  await closed;
  clearTimeout(timer);
}

function damagedEnvelope(surface: SurfaceEnv, chance: Chance): Uint8Array {
  const line = envelope(surface, { kind: "running", message: "é🙂" });
  if (chance.below(2) === 0) return mutatedBytes(encoder.encode(line), chance);
  return encoder.encode(`${JSON.stringify(mutatedJson(JSON.parse(line), chance))}\n`);
}

function damagedHook(chance: Chance): Uint8Array {
  const { id } = chance.pick(PROVIDERS);
  const { payload } = chance.pick(hookSamples(id));
  const body = chance.below(2) === 0
    ? mutatedJson(payload, chance)
    : mutatedText(JSON.stringify(payload), chance);
  const headers = { "mytty-pid": "1", "mytty-at": String(Date.now()), "mytty-env": "A=b" };
  const text = hookRequestText({ provider: id, body, headers });
  return chance.below(3) === 0 ? encoder.encode(mutatedText(text, chance)) : encoder.encode(text);
}

async function assertServes({ paths, control }: TestServer, surface: SurfaceEnv): Promise<void> {
  const line = envelope(surface, { kind: "running" });
  assert.equal(await exchange(paths.eventSocket, line), '{"ok":true,"inserted":true}\n');
  const hook = hookRequestText({ body: promptPayload("correct") });
  assert.match(await exchange(paths.eventSocket, hook, { end: false }), /^HTTP\/1.1 200/);
  assert.equal((await control.request("/v1/status")).status, 200);
  assert.equal(await exchange(paths.muxySocket, MUXY_LINE), '{"kind":"ack","ok":true,"v":3}\n');
}

async function assertStoredValid({ control, server }: TestServer): Promise<void> {
  const rows = await allEvents(control);
  assert.equal(rows.length, server.daemon.eventLog.count(), "every row can be read again");
  for (const row of rows) schemas.eventRow.parse(row);
  const { body } = await control.request("/v1/list");
  schemas.list.parse(body);
}

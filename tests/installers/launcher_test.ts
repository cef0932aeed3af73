/** One suite for both transports: the shell launcher, under three shells, and `mytty hook`. */

import assert from "node:assert/strict";
import net from "node:net";
import { MAX_PAYLOAD_BYTES } from "../../src/core/wire/hook_request.ts";
import { HOOK_BUDGET_MS } from "../../src/core/wire/hook_timing.ts";
import {
  leftOvers,
  type Place,
  PROGRAM,
  type Ran,
  runTransport,
  SHELLS,
  spooled,
  stageLauncher,
  startHookServer,
  type Transport,
  withPlace,
} from "../helpers/hook_runner.ts";
import { writeExecutable } from "../helpers/executable.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SURFACE = "0f0e0d0c-0b0a-4908-8706-050403020100";
const PAYLOAD = '{"hook_event_name":"Stop","session_id":"s","text":"a\\nb \\\\ é 😀 $HOME `x` %s"}';
/** A busy machine starts processes slowly, and a runtime slower than a shell. */
const START_MS = 3_000;

function silent({ code, stdout, stderr }: Ran, expected = ""): void {
  assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: expected, stderr: "" });
}

function each(name: string, task: (transport: Transport, place: Place) => Promise<void>): void {
  for (const transport of [...SHELLS, PROGRAM]) {
    Deno.test(`${transport.name}: ${name}`, () =>
      withPlace(async (place) => {
        await stageLauncher(place);
        await task(transport, place);
      }));
  }
}

each("the payload arrives untouched, with its context", async (transport, place) => {
  const server = await startHookServer(place.socket, "answers");
  const ran = await runTransport(transport, place, {
    args: ["claude", "--event", "Stop"],
    stdin: PAYLOAD,
    env: {
      MYTTY_SURFACE_ID: SURFACE,
      MYTTY_EVENT_CAPABILITY: 'cap"\\a$b',
      TMUX: '/tmp/t x"y\\z,1,0',
      TMUX_PANE: "%1",
      KITTY_WINDOW_ID: "1\n2",
      ZELLIJ: "z".repeat(3_000),
      CLAUDE_PID: "42",
    },
  });
  await server.close();
  silent(ran);
  assert.equal(server.received.length, 1);
  const { url, headers, body, env } = server.received[0]!;
  assert.equal(url, "/v1/hooks/claude-code");
  assert.equal(body.trimEnd(), PAYLOAD);
  assert.match(String(headers["mytty-delivery"]), UUID);
  assert.equal(headers["mytty-pid"], String(Deno.pid));
  assert.ok(Math.abs(Number(headers["mytty-at"]) - Date.now()) < 60_000);
  assert.equal(headers["mytty-event"], "Stop");
  assert.equal(headers["mytty-surface"], SURFACE);
  assert.equal(headers["mytty-capability"], 'cap"\\a$b');
  // A bash gives itself the host's name.
  const given = [...env].filter((line) => !line.startsWith("HOSTNAME=")).sort();
  assert.deepEqual(given, ["CLAUDE_PID=42", 'TMUX=/tmp/t x"y\\z,1,0', "TMUX_PANE=%1"]);
  assert.deepEqual(spooled(place), []);
});

each("prints exactly what the agent expects", async (transport, place) => {
  const server = await startHookServer(place.socket, "answers");
  const stdin = '{"hook_event_name":"AfterAgent"}';
  silent(await runTransport(transport, place, { args: ["gemini"], stdin }), "{}\n");
  await server.close();
  silent(await runTransport(transport, place, { args: ["gemini"], stdin }), "{}\n");
});

each("without a server the spool keeps the event, and no secret", async (transport, place) => {
  const env = { MYTTY_SURFACE_ID: SURFACE, MYTTY_EVENT_CAPABILITY: "secret", TMUX_PANE: "%1" };
  const options = { args: ["claude-code", "--event", "Stop"], stdin: PAYLOAD, env };
  silent(await runTransport(transport, place, options));
  // Left behind by a server that was killed.
  const listener = net.createServer().listen(place.socket);
  await new Promise((resolve) => listener.once("listening", resolve));
  Deno.linkSync(place.socket, `${place.socket}2`);
  await new Promise((resolve) => listener.close(resolve));
  const stale = { ...env, MYTTY_EVENT_SOCKET: `${place.socket}2` };
  silent(await runTransport(transport, place, { ...options, env: stale }));
  const kept = spooled(place);
  assert.equal(kept.length, 2);
  for (const { request, payload } of kept) {
    assert.equal(new TextDecoder().decode(payload).trimEnd(), PAYLOAD);
    assert.equal(request.provider, "claude-code");
    assert.deepEqual(request.claim, { surfaceID: SURFACE, capability: null });
    assert.match(request.deliveryID ?? "", UUID);
    assert.equal(request.event, "Stop");
    assert.equal(request.pid, Deno.pid);
    const { HOSTNAME: _own, ...given } = request.env;
    assert.deepEqual(given, { TMUX_PANE: "%1" });
    assert.ok(Math.abs((request.at ?? 0) - Date.now()) < 60_000);
  }
  assert.deepEqual(await leftOvers(place), []);
  const log = Deno.readTextFileSync(`${place.state}/hooks.log`);
  const lines = log.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ spooled }) => spooled), [true, true]);
  assert.match(lines[0].error, /^no server/);
  assert.doesNotMatch(log, /secret|session_id/);
  for (const { name } of Deno.readDirSync(`${place.state}/spool`)) {
    const path = `${place.state}/spool/${name}`;
    assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
    assert.doesNotMatch(Deno.readTextFileSync(path), /secret/);
  }
});

each("a server that never answers costs the budget, not the event", async (transport, place) => {
  const server = await startHookServer(place.socket, "hangs");
  const ran = await runTransport(transport, place, { args: ["codex"], stdin: PAYLOAD });
  await server.close();
  silent(ran);
  assert.ok(ran.millis < HOOK_BUDGET_MS + START_MS, `${ran.millis} ms`);
  assert.equal(spooled(place).length, 1);
  const { deliveryID } = spooled(place)[0]!.request;
  assert.equal(server.received[0]!.headers["mytty-delivery"], deliveryID);
});

each("a dropped connection is tried again with the same delivery", async (transport, place) => {
  const server = await startHookServer(place.socket, "fails-once");
  silent(await runTransport(transport, place, { args: ["codex"], stdin: PAYLOAD }));
  await server.close();
  const ids = server.received.map(({ headers }) => headers["mytty-delivery"]);
  assert.equal(ids.length, 2);
  assert.equal(ids[0], ids[1]);
  assert.deepEqual(spooled(place), []);
});

each("what the server refuses is not kept", async (transport, place) => {
  const server = await startHookServer(place.socket, "refuses");
  silent(await runTransport(transport, place, { args: ["codex"], stdin: "no json" }));
  await server.close();
  // A busy machine may take the answer too late to be heard.
  const log = Deno.readTextFileSync(`${place.state}/hooks.log`);
  const isLate = /did not answer in time|no time left/.test(log);
  if (!isLate) assert.equal(server.received.length, 1);
  assert.equal(spooled(place).length, isLate ? 1 : 0);
});

each("stdin that never ends is not waited for", async (transport, place) => {
  const server = await startHookServer(place.socket, "answers");
  for (const stdin of [PAYLOAD, "", '{"cut":']) {
    const ran = await runTransport(transport, place, {
      args: ["codex"],
      stdin,
      keepsStdinOpen: true,
    });
    silent(ran);
    assert.ok(ran.millis < HOOK_BUDGET_MS + START_MS, `${ran.millis} ms`);
  }
  await server.close();
  assert.deepEqual(server.received.map(({ body }) => body), [PAYLOAD, '{"cut":']);
});

each("a huge payload is cut at the cap and told to be", async (transport, place) => {
  const stdin = new TextEncoder().encode(`{"text":"${"x".repeat(20_000_000)}"}`);
  silent(await runTransport(transport, place, { args: ["codex"], stdin }));
  const size = spooled(place)[0]!.payload.length;
  assert.ok(size >= MAX_PAYLOAD_BYTES && size <= MAX_PAYLOAD_BYTES + 512, String(size));
});

each("a state folder that cannot be written hurts nobody", async (transport, place) => {
  const env = { MYTTY_STATE_DIR: `${place.folder}/file` };
  Deno.writeTextFileSync(env.MYTTY_STATE_DIR, "");
  silent(await runTransport(transport, place, { args: ["codex"], stdin: PAYLOAD, env }));
});

each("words that are no provider of ours are silent", async (transport, place) => {
  for (const args of [[], ["--event"], ["../x"], ["new-agent"], ["$(touch x)"]]) {
    silent(await runTransport(transport, place, { args, stdin: PAYLOAD }));
  }
  assert.deepEqual(spooled(place), []);
});

each("a test says which link failed, and keeps nothing", async (transport, place) => {
  const options = { args: ["codex", "--event", "Stop", "--test"], stdin: PAYLOAD };
  const failed = await runTransport(transport, place, options);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /^mytty hook: no server: the socket is not there\n$/);
  const server = await startHookServer(place.socket, "answers");
  silent(await runTransport(transport, place, options));
  await server.close();
  assert.equal(server.received[0]!.headers["mytty-test"], "1");
  assert.deepEqual(spooled(place), []);
});

each("a full spool drops its oldest and counts them", async (transport, place) => {
  Deno.mkdirSync(`${place.state}/spool`, { recursive: true });
  for (let at = 0; at < 1_001; at++) {
    Deno.writeTextFileSync(`${place.state}/spool/${String(at).padStart(15, "0")}-x.hook`, "x");
  }
  silent(await runTransport(transport, place, { args: ["codex"], stdin: PAYLOAD }));
  const names = [...Deno.readDirSync(`${place.state}/spool`)].map(({ name }) => name).sort();
  const files = names.filter((name) => name.endsWith(".hook"));
  assert.equal(files.length, 1_000);
  assert.equal(files[0], "000000000000002-x.hook");
  assert.equal(Deno.statSync(`${place.state}/spool/dropped`).size, 2);
});

for (const transport of SHELLS) {
  Deno.test(`${transport.name}: where the time is up before it can send, it says that, and spools`, () =>
    withPlace(async (place) => {
      // The spool's folder is made first, here for longer than the whole budget.
      const slow = `${place.folder}/mkdir`;
      writeExecutable(slow, `#!/bin/sh\n/bin/sleep 1\nexec /bin/mkdir "$@"\n`);
      await stageLauncher(place, { tools: { mkdir: slow } });
      const server = await startHookServer(place.socket, "answers");
      silent(await runTransport(transport, place, { args: ["codex"], stdin: PAYLOAD }));
      await server.close();
      assert.deepEqual([server.received.length, spooled(place).length], [0, 1]);
      const { error } = JSON.parse(Deno.readTextFileSync(`${place.state}/hooks.log`));
      assert.equal(error, "no time left to send");
    }));

  Deno.test(`${transport.name}: a missing tool hurts nobody`, () =>
    withPlace(async (place) => {
      await stageLauncher(place);
      const text = Deno.readTextFileSync(place.launcher);
      for (const tool of ["cat", "mv", "rm", "date", "sleep", "mkdir", "du"]) {
        const broken = text.replace(new RegExp(`^${tool}=.*$`, "m"), `${tool}=/nowhere`);
        Deno.writeTextFileSync(place.launcher, broken);
        silent(await runTransport(transport, place, { args: ["codex"], stdin: PAYLOAD }));
      }
    }));
}

/** Protocol v3 over a real socket: every rule of it, by what is answered and what is stored. */

import assert from "node:assert/strict";
import net from "node:net";
import type { EventJson } from "../../src/core/log/event_json.ts";
import type { PlaceJson } from "../../src/core/view/view_json.ts";
import { muxyProvider } from "../../src/core/wire/muxy.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import type { NoticeRecord } from "../../src/core/notify/notice_record.ts";
import { exchange, startTestServer, type TestServer, withFolder } from "../helpers/daemon.ts";
import { allEvents, eventually } from "../helpers/events.ts";
import { notifyConfig } from "../helpers/notify.ts";

const ACK = '{"kind":"ack","ok":true,"v":3}\n';

type Fields = Record<string, unknown>;

function line(fields: Fields = {}, without: readonly string[] = []): string {
  const event: Fields = {
    v: 3,
    kind: "agent_event",
    provider: "claude_hook",
    phase: "working",
    title: "",
    body: "",
    pids: [],
    ts: 1_790_000_000,
    ...fields,
  };
  for (const key of without) delete event[key];
  return `${JSON.stringify(event)}\n`;
}

type Scene = TestServer & {
  readonly paneID: string;
  readonly send: (bytes: string) => Promise<string>;
  readonly state: () => Promise<string>;
  readonly notices: () => Promise<NoticeRecord[]>;
};

async function withMuxy(task: (scene: Scene) => Promise<void>, pid?: number): Promise<void> {
  await withFolder(async (folder) => {
    const config = notifyConfig({ hold: 0, channels: { desktop: { enabled: false } } });
    const log = () => {};
    const notifier = createNotifier({ config: () => config, historyPath: null, log });
    const test = await startTestServer({ folder, muxy: true, notifier });
    try {
      const { surfaceID, env } = await test.openSurface("pane", pid);
      assert.equal(env.MUXY_SOCKET_PATH, test.paths.muxySocket);
      await task({
        ...test,
        paneID: env.MUXY_PANE_ID!,
        send: (bytes) => exchange(test.paths.muxySocket, bytes),
        state: async () => {
          const { body } = await test.control.request("/v1/list");
          const { surfaces } = body as { surfaces: PlaceJson[] };
          return surfaces.find((row) => row.surfaceID === surfaceID)!.state;
        },
        notices: async () => {
          const { body } = await test.control.request("/v1/notifications");
          return (body as { notifications: NoticeRecord[] }).notifications;
        },
      });
    } finally {
      await test.server.stop();
      await notifier.stop();
    }
  });
}

Deno.test("the acknowledgement is these very bytes; the socket is private", async () => {
  await withMuxy(async ({ send, paneID, paths }) => {
    assert.equal(await send(line({ paneID })), ACK);
    assert.equal(await send(line({ paneID }).trimEnd()), ACK, "a line without its LF");
    assert.equal(Deno.statSync(paths.muxySocket).mode! & 0o777, 0o600);
  });
});

Deno.test("without --muxy there is neither socket nor variables", async () => {
  await withFolder(async (folder) => {
    const test = await startTestServer({ folder });
    try {
      const { env } = await test.openSurface();
      assert.ok(!Object.keys(env).some((name) => name.startsWith("MUXY_")));
      assert.throws(() => Deno.statSync(test.paths.muxySocket));
    } finally {
      await test.server.stop();
    }
  });
});

Deno.test("what is not right gets no answer and leaves no row", async () => {
  await withMuxy(async ({ send, paneID, control }) => {
    const wrong: Record<string, string> = {
      "no JSON": "hello\n",
      "no object": "[3]\n",
      "another version": line({ paneID, v: 2 }),
      "a version as text": line({ paneID, v: "3" }),
      "another kind": line({ paneID, kind: "event" }),
      "an unknown phase": line({ paneID, phase: "idle" }),
      "an empty provider": line({ paneID, provider: "" }),
      "a numeric id": line({ paneID, id: 7 }),
      "a numeric title": line({ paneID, title: 1 }),
      "a body of null": line({ paneID, body: null }),
      "pids as text": line({ paneID, pids: "1" }),
      "a pid of text": line({ paneID, pids: ["1"] }),
      "a pid that is too large": line({ paneID, pids: [2 ** 31] }),
      "a fractional pid": line({ paneID, pids: [1.5] }),
      "a time as text": line({ paneID, ts: "now" }),
      "a test of 1": line({ paneID, test: 1 }),
      "a pane in braces": line({ paneID: `{${paneID}}` }),
      "a pane without hyphens": line({ paneID: paneID.replaceAll("-", "") }),
      "an empty pane": line({ paneID: "" }),
    };
    for (const key of ["v", "kind", "provider", "phase", "title", "body", "pids", "ts"]) {
      wrong[`no ${key}`] = line({ paneID }, [key]);
    }
    for (const [what, bytes] of Object.entries(wrong)) assert.equal(await send(bytes), "", what);
    assert.deepEqual(await agentEvents(control), []);
  });
});

Deno.test("what is allowed: unknown keys, nulls, negative pids, any case of the pane, any time", async () => {
  await withMuxy(async ({ send, paneID }) => {
    const right = [
      { extra: { nested: true } },
      { id: null },
      { test: null },
      { test: false },
      { pids: [-1, 0, 2 ** 31 - 1] },
      { paneID: paneID.toLowerCase() },
      { ts: 1_790_000_000_123 },
      { ts: -1 },
      { provider: "somebody-else" },
    ];
    for (const fields of right) {
      assert.equal(await send(line({ paneID, ...fields })), ACK, JSON.stringify(fields));
    }
  });
});

Deno.test("phases move the pane: working, waiting, finished is idle", async () => {
  await withMuxy(async ({ send, paneID, state, control }) => {
    const told: [string, string][] = [
      ["working", "running"],
      ["waiting", "waiting-input"],
      ["working", "running"],
      ["finished", "idle"],
      ["finished", "idle"],
      ["waiting", "waiting-input"],
      ["finished", "idle"],
    ];
    for (const [phase, expected] of told) {
      assert.equal(await send(line({ paneID, phase })), ACK);
      assert.equal(await state(), expected, phase);
    }
    const events = await agentEvents(control);
    assert.deepEqual(events.map(({ kind }) => kind), [
      "started",
      "input-requested",
      "running",
      "idle",
      "input-requested",
      "idle",
    ]);
    assert.ok(
      events.every(({ source, provider }) => source === "muxy" && provider === "claude-code"),
    );
    assert.equal(
      new Set(events.map(({ runID }) => runID)).size,
      2,
      "a run lasts until it is finished",
    );
  });
});

Deno.test("the last 256 ids: a repeat is acknowledged and dropped, and does not refresh its place", async () => {
  await withMuxy(async ({ paneID, control, paths }) => {
    const ids = Array.from({ length: 257 }, () => crypto.randomUUID());
    const all = async () => (await agentEvents(control)).length;
    const chat = await openChat(paths.muxySocket);
    try {
      for (const id of ids.slice(0, 256)) await chat.ask(line({ paneID, id }));
      assert.equal(await all(), 256);
      await chat.ask(line({ paneID, id: ids[0], phase: "finished" }));
      assert.equal(await all(), 256, "a repeat, whatever else it says");
      await chat.ask(line({ paneID, id: ids[256] }));
      assert.equal(await all(), 257);
      await chat.ask(line({ paneID, id: ids[1] }));
      assert.equal(await all(), 257, "the second is still remembered");
      await chat.ask(line({ paneID, id: ids[0] }));
      assert.equal(await all(), 258, "the first has left the queue although it was repeated");
    } finally {
      chat.end();
    }
  });
});

Deno.test("a missing or empty id is never a repeat", async () => {
  await withMuxy(async ({ send, paneID, control }) => {
    for (const id of [undefined, null, ""]) {
      for (let at = 0; at < 3; at++) assert.equal(await send(line({ paneID, id })), ACK);
    }
    assert.equal((await agentEvents(control)).length, 9);
  });
});

Deno.test("a retry that overtakes its first attempt is one event", async () => {
  await withMuxy(async ({ send, paneID, control }) => {
    const once = line({ paneID, id: crypto.randomUUID() });
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(once)));
    assert.deepEqual(new Set(answers), new Set([ACK]));
    assert.equal((await agentEvents(control)).length, 1);
  });
});

Deno.test("a test is shown and changes no state", async () => {
  await withMuxy(async ({ send, paneID, state, notices, control }) => {
    const test = {
      paneID,
      phase: "finished",
      title: "Claude Code test",
      body: "It works",
      test: true,
    };
    assert.equal(await send(line(test)), ACK);
    assert.equal(await state(), "unknown");
    assert.deepEqual(await agentEvents(control), []);
    assert.deepEqual((await notices()).map(({ title, body }) => [title, body]), [
      ["Claude Code test", "It works"],
    ]);
  });
});

Deno.test("words are announced, a status alone is not; a request is announced once", async () => {
  await withMuxy(async ({ send, paneID, notices }) => {
    await send(line({ paneID, phase: "working" }));
    assert.deepEqual(await notices(), []);
    await send(line({ paneID, phase: "waiting", title: "Claude Code", body: "Needs attention" }));
    await send(
      line({ paneID, phase: "finished", title: "Claude Code", body: "Session \x1b[31mcompleted" }),
    );
    assert.deepEqual((await notices()).map(({ kind, body }) => [kind, body]), [
      ["message", "Session [31mcompleted"],
      ["input-request", "Claude Code: Needs attention"],
    ]);
  });
});

Deno.test("without a pane the nearest of pids that is a pane's own process decides", async () => {
  const child = new Deno.Command("sleep", { args: ["60"], stdin: "null" }).spawn();
  try {
    await withMuxy(async ({ send, state, control }) => {
      assert.equal(await send(line({ pids: [2 ** 31 - 1, 1] })), ACK, "nobody's");
      assert.deepEqual(await agentEvents(control), []);
      assert.equal(await send(line({ pids: [2 ** 31 - 1, child.pid, 1] })), ACK);
      assert.equal(await state(), "running");
    }, child.pid);
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
});

Deno.test("a pane that is not open is acknowledged and moves nothing", async () => {
  await withMuxy(async ({ send, control }) => {
    assert.equal(await send(line({ paneID: crypto.randomUUID() })), ACK);
    assert.deepEqual(await agentEvents(control), []);
  });
});

Deno.test("several lines of one connection are answered in order; a bad one between is skipped", async () => {
  await withMuxy(async ({ send, paneID, control }) => {
    const bytes = line({ paneID }) + "garbage\n\n" + line({ paneID, phase: "finished" });
    assert.equal(await send(bytes), ACK + ACK);
    assert.deepEqual((await agentEvents(control)).map(({ kind }) => kind), ["started", "idle"]);
  });
});

Deno.test("a line of several megabytes, and a peer that goes away, hurt nobody", async () => {
  await withMuxy(async ({ send, paneID, paths }) => {
    assert.equal(await send(line({ paneID, body: "x".repeat(3_000_000) })), "");
    net.connect(paths.muxySocket).on("error", () => {}).destroy();
    assert.equal(await send(line({ paneID })), ACK);
  });
});

Deno.test("the extension surface: the list, and a stream of statuses and notifications", async () => {
  await withMuxy(async ({ send, paneID, control }) => {
    const ended = new AbortController();
    const seen: { event: string; payload: Record<string, string> }[] = [];
    const reading = (async () => {
      for await (const text of control.lines("/v1/agents/events", { signal: ended.signal })) {
        if (text !== "") seen.push(JSON.parse(text));
      }
    })().catch(() => {});
    await send(line({ paneID, phase: "working", provider: "codex_hook" }));
    await eventually(() => seen.length > 0);
    await send(
      line({ paneID, phase: "finished", provider: "codex_hook", title: "Codex", body: "Done" }),
    );
    await eventually(() => seen.some(({ event }) => event === "notification.posted"));
    const statuses = seen.filter(({ event }) => event === "agent.status");
    assert.deepEqual(statuses.map(({ payload }) => payload.status), ["working", "idle"]);
    assert.deepEqual(
      [statuses[0]!.payload.paneID, statuses[0]!.payload.providerID],
      [paneID, "codex"],
    );
    const posted = seen.find(({ event }) => event === "notification.posted")!.payload;
    assert.deepEqual([posted.title, posted.body, posted.source, posted.paneID], [
      "Codex",
      "Done",
      "codex",
      paneID,
    ]);
    assert.ok(Object.values(posted).every((value) => typeof value === "string"));
    const { body } = await control.request("/v1/agents");
    assert.equal((body as { agents: EventJson[] }).agents.length, 1);
    // A pane that ends with its command, in one commit, is told to be over and listed no more.
    await send(line({ paneID, phase: "working", provider: "codex_hook" }));
    const over = { method: "POST", body: { exitCode: 0, close: true } };
    await control.request(`/v1/surfaces/${paneID.toLowerCase()}/finished`, over);
    const told = () =>
      seen.flatMap(({ event, payload }) => event === "agent.status" ? [payload] : []);
    await eventually(() => told().length >= 4);
    assert.deepEqual(told().slice(2).map(({ status }) => status), ["working", "idle"]);
    assert.deepEqual((await control.request("/v1/agents")).body, { agents: [] });
    ended.abort();
    await reading;
  });
});

Deno.test("Muxy's keys are our providers; a stranger becomes a word", () => {
  const keys = {
    claude_hook: "claude-code",
    opencode: "opencode",
    codex_hook: "codex",
    cursor_hook: "cursor",
    copilot_hook: "copilot",
    droid_hook: "droid",
    pi: "pi",
    grok_hook: "grok",
    kiro_hook: "kiro",
    antigravity_hook: "antigravity",
    xal: "xal",
    "My Agent!": "my-agent",
    "***": "socket",
  };
  for (const [key, provider] of Object.entries(keys)) assert.equal(muxyProvider(key), provider);
});

async function agentEvents(control: TestServer["control"]): Promise<EventJson[]> {
  return (await allEvents(control)).filter(({ type }) => type === "agent-event");
}

/** One connection on which a line is sent and its answer awaited. */
async function openChat(path: string) {
  const socket = net.connect(path);
  await new Promise((resolve) => socket.once("connect", resolve));
  return {
    ask: (text: string) =>
      new Promise<string>((resolve) => {
        socket.once("data", (part: Uint8Array) => resolve(new TextDecoder().decode(part)));
        socket.write(text);
      }),
    end: () => socket.destroy(),
  };
}

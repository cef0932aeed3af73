import assert from "node:assert/strict";
import { HOOK_TABLE } from "../../src/socket/hook_table.ts";
import { exchange, type TestServer, withServer } from "../helpers/daemon.ts";
import { agentEvents, allEvents, assertNoTrace, eventually } from "../helpers/events.ts";
import { hookRequestText, postHook, promptPayload, replyOf } from "../helpers/hooks.ts";

const INSERTED = { status: 200, body: '{"ok":true,"inserted":true}\n' };
const NOTHING = { status: 200, body: '{"ok":true,"inserted":false}\n' };
const INVALID = { status: 400, body: '{"ok":false,"error":"invalid-request"}\n' };

type Count = { received: number; inserted: number; malformed: number; foreign: number };

async function countOf({ control }: TestServer, provider: string): Promise<Count> {
  const { body } = await control.request("/v1/providers");
  const { providers } = body as { providers: (Count & { id: string })[] };
  return providers.find(({ id }) => id === provider)!;
}

Deno.test("a hook's payload is taken with a length and in chunks, cut anywhere", async () => {
  await withServer(async ({ paths, control }) => {
    const { eventSocket } = paths;
    assert.deepEqual(await postHook(eventSocket, { body: promptPayload("length") }), INSERTED);
    const text = JSON.stringify(promptPayload("chunked", { prompt: "größer 🙂" }));
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 7, 1_000]) {
      const answer = await exchange(eventSocket, chunked(bytes, size), { end: false });
      assert.equal(replyOf(answer).status, 200);
    }
    const messages = (await agentEvents(control)).map(({ message }) => message);
    assert.deepEqual(messages, ["Do it", "größer 🙂", "größer 🙂", "größer 🙂"]);
  });
});

function chunked(bytes: Uint8Array, size: number): Uint8Array {
  const head =
    "POST /v1/hooks/claude-code HTTP/1.1\r\nhost: m\r\ntransfer-encoding: chunked\r\n\r\n";
  const parts: Uint8Array[] = [new TextEncoder().encode(head)];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(new TextEncoder().encode(`${part.length.toString(16)}\r\n`), part);
    parts.push(new TextEncoder().encode("\r\n"));
  }
  parts.push(new TextEncoder().encode("0\r\n\r\n"));
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

Deno.test("a sender that expects 100-continue is told to go on", async () => {
  await withServer(async ({ paths }) => {
    const request = hookRequestText({
      headers: { expect: "100-continue" },
      body: promptPayload("expects"),
    });
    const answer = await exchange(paths.eventSocket, request, { end: false });
    assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });
});

Deno.test("a complete JSON is answered although the sender's stream never ends", async () => {
  await withServer(async ({ paths }) => {
    const head = "POST /v1/hooks/claude-code HTTP/1.1\r\nhost: m\r\n";
    const json = JSON.stringify(promptPayload("endless", { prompt: 'a } " \\" ] brace' }));
    const chunk = `${json.length.toString(16)}\r\n${json}\r\n`;
    // One that is not answered before its deadline is closed without an answer.
    const texts = await Promise.all([
      exchange(paths.eventSocket, `${head}transfer-encoding: chunked\r\n\r\n${chunk}`, {
        end: false,
      }),
      exchange(paths.eventSocket, `${head}content-length: 100000\r\n\r\n${json}`, { end: false }),
    ]);
    for (const text of texts) assert.equal(replyOf(text).status, 200);
  });
});

Deno.test("a payload over 1 MiB is cut: its ids and kind survive, wherever the long text stands", async () => {
  await withServer(async ({ paths, control }) => {
    const long = '🙂é\\"'.repeat(300_000);
    const bodies = [
      promptPayload("long-prompt", { prompt: long }),
      promptPayload("long-nested", { extra: { deep: [long, long] } }),
    ];
    for (const body of bodies) {
      assert.deepEqual(await postHook(paths.eventSocket, { body }), INSERTED);
    }
    const rows = await agentEvents(control);
    assert.deepEqual(rows.map(({ sessionID, kind }) => [sessionID, kind]), [
      ["long-prompt", "started"],
      ["long-nested", "started"],
    ]);
    assert.ok(rows[0]!.message!.length <= 2_000 && rows[0]!.message!.isWellFormed());
  });
});

Deno.test("a payload of exactly 1 MiB that was cut by its sender keeps its ids and kind", async () => {
  await withServer(async ({ paths, control }) => {
    const text = JSON.stringify(promptPayload("cut", { prompt: "p".repeat(2_000_000) }));
    const body = text.slice(0, 1_048_576);
    assert.deepEqual(await postHook(paths.eventSocket, { body }), INSERTED);
    const [row] = await agentEvents(control);
    assert.deepEqual([row!.sessionID, row!.kind], ["cut", "started"]);
  });
});

Deno.test("malformed JSON is an invalid request, counted per provider and logged without its text", async () => {
  await withServer(async (test) => {
    const bodies = ["", "{", "not json SECRET", "[1]", '"SECRET"', "42", "null", '{"a":1}}', "\0"];
    for (const body of bodies) {
      assert.deepEqual(await postHook(test.paths.eventSocket, { body }), INVALID, body);
    }
    await postHook(test.paths.eventSocket, { provider: "gemini", body: "{SECRET" });
    assert.equal((await countOf(test, "claude-code")).malformed, bodies.length);
    assert.equal((await countOf(test, "gemini")).malformed, 1);
    assert.equal((await countOf(test, "codex")).malformed, 0);
    assert.equal(test.logged.filter((line) => line.includes("malformed")).length, 10);
    assert.deepEqual(await allEvents(test.control), []);
    await assertNoTrace(test, ["SECRET"]);
  });
});

Deno.test("well-formed payloads that mean nothing are acknowledged and not inserted", async () => {
  await withServer(async ({ paths, control }) => {
    const bodies = [{}, { hook_event_name: "NoSuchEvent" }, { hook_event_name: 7 }, {
      hook_event_name: "constructor",
      session_id: "s",
    }, '{"__proto__":{"hook_event_name":"Stop"},"session_id":[]}'];
    for (const provider of Object.keys(HOOK_TABLE)) {
      for (const body of bodies) {
        assert.deepEqual(await postHook(paths.eventSocket, { provider, body }), NOTHING, provider);
      }
    }
    assert.deepEqual(await allEvents(control), []);
  });
});

Deno.test("an unknown provider, a wrong method and a wrong path are invalid requests", async () => {
  await withServer(async ({ paths, control }) => {
    const body = promptPayload("nowhere");
    const long = { body: promptPayload("long", { prompt: "p".repeat(3_000_000) }) };
    const posts = [
      { ...long, provider: "nobody" },
      { ...long, path: "/v1/nowhere" },
      { provider: "nobody" },
      { provider: "constructor" },
      { provider: "Claude-Code" },
      { path: "/v1/hooks/" },
      { path: "/v1/hooks" },
      { path: "/" },
      { path: "/v1/status" },
      { path: "/v1/hooks/claude-code/x" },
      { path: "/v1/hooks/claude-code?x=1" },
      { path: "/v1/hooks/../hooks/claude-code" },
      { path: `/v1/hooks/${"a".repeat(2_000)}` },
      { method: "GET" },
      { method: "PUT" },
      { method: "DELETE" },
      { method: "OPTIONS" },
    ];
    for (const post of posts) {
      const reply = await postHook(paths.eventSocket, { body, ...post });
      assert.deepEqual(reply, INVALID, JSON.stringify(post).slice(0, 80));
    }
    assert.deepEqual(await allEvents(control), []);
  });
});

Deno.test("a delivery that is tried again is stored once, whatever it carries", async () => {
  await withServer(async ({ paths, control }) => {
    const headers = { "mytty-delivery": crypto.randomUUID() };
    const first = { headers, body: promptPayload("retried") };
    assert.deepEqual(await postHook(paths.eventSocket, first), INSERTED);
    assert.deepEqual(await postHook(paths.eventSocket, first), NOTHING);
    const other = { headers, body: promptPayload("other", { hook_event_name: "Stop" }) };
    assert.deepEqual(await postHook(paths.eventSocket, other), NOTHING);
    const rows = await allEvents(control);
    assert.deepEqual(rows.map(({ id }) => id), [headers["mytty-delivery"]]);
    const again = { headers: { "mytty-delivery": crypto.randomUUID() }, body: first.body };
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => postHook(paths.eventSocket, again)),
    );
    assert.equal(replies.filter(({ body }) => body.includes("true}")).length, 1);
  });
});

Deno.test("a hook says when it happened; one that does not cannot revive an ended run", async () => {
  await withServer(async ({ paths, control }) => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const turn = { prompt_id: "turn-1" };
    const post = (body: unknown, headers = {}) => postHook(paths.eventSocket, { body, headers });
    await post(promptPayload("dated", turn), { "mytty-at": String(at) });
    await post(promptPayload("dated", { ...turn, hook_event_name: "Stop" }), {
      "mytty-at": String(at + 1_000),
    });
    const tool = { ...turn, hook_event_name: "PostToolUse", tool_name: "Bash", tool_use_id: "t" };
    await post(promptPayload("dated", tool));
    for (const bad of ["", "now", "-5", "1e400", "9000000000000000", "1.5"]) {
      await post(promptPayload("bad-time"), { "mytty-at": bad });
    }
    const rows = await agentEvents(control);
    assert.equal(rows[0]!.occurredAt, new Date(at).toISOString());
    assert.equal(rows[2]!.applied, false);
    const { body } = await control.request("/v1/list");
    const { unplaced } = body as { unplaced: { sessionID: string; state: string }[] };
    assert.equal(unplaced.find(({ sessionID }) => sessionID === "dated")!.state, "succeeded");
    for (const row of rows.slice(3)) {
      assert.ok(Math.abs(Date.parse(row.occurredAt!) - Date.now()) < 60_000, row.occurredAt!);
    }
  });
});

Deno.test("variables with odd characters and UTF-8 arrive as they were", async () => {
  await withServer(async ({ paths, control }) => {
    const values = ["CURSOR_VERSION", "A=b=c", "größe=🙂", "=x", "", "BAD NAME=1", "__proto__=x"];
    for (const value of values) {
      const body = promptPayload(`env ${value}`);
      const reply = await postHook(paths.eventSocket, { headers: { "mytty-env": value }, body });
      assert.deepEqual(reply, INSERTED, value);
    }
    assert.equal((await agentEvents(control)).length, values.length);
    const headers = { "mytty-env": "CURSOR_VERSION=größer 🙂" };
    const dropped = await postHook(paths.eventSocket, { headers, body: promptPayload("cursor") });
    assert.deepEqual(dropped, NOTHING);
    const named = { headers: { "mytty-event": "UserPromptSubmit" }, body: { session_id: "é" } };
    assert.deepEqual(await postHook(paths.eventSocket, named), INSERTED);
  }, { isInstalled: () => true });
});

Deno.test("headers of any size and kind are answered or closed, and the server lives", async () => {
  await withServer(async ({ paths, control }) => {
    const post = (headers: Record<string, string>) =>
      // A connection that is closed while it is written to is an answer of a kind.
      postHook(paths.eventSocket, { headers, body: promptPayload("headers") })
        .catch(() => ({ status: 0, body: "" }));
    assert.deepEqual(await post({ "mytty-env": `TMUX=${"t".repeat(30_000)}` }), INSERTED);
    const before = (await allEvents(control)).length;
    for (const size of [100_000, 2_000_000]) {
      const { status } = await post({ "mytty-env": `TMUX=${"t".repeat(size)}` });
      assert.ok(status === 0 || status >= 400, `${size}: ${status}`);
    }
    for (const value of ["a\u0001b", "a\u0000b"]) {
      const { status } = await post({ "mytty-env": value });
      assert.ok(status === 0 || status === 400);
    }
    assert.equal((await allEvents(control)).length, before);
    assert.deepEqual(await post({}), INSERTED);
  });
});

Deno.test("an agent that runs Claude's hook and has none of its own is heard as itself", async () => {
  await withServer(async (test) => {
    const cursor = { conversation_id: "cur", generation_id: "g", cursor_version: "3.1" };
    const grok = { hookEventName: "user_prompt_submit", sessionId: "gro", promptId: "p" };
    const headers = { "mytty-env": "GROK_HOOK_EVENT=user_prompt_submit" };
    const bodies = [
      [promptPayload("cur", cursor), {}],
      [grok, headers],
      [promptPayload("cur", { ...cursor, hook_event_name: "Stop", status: "completed" }), {}],
    ] as const;
    for (const [body, more] of bodies) {
      const reply = await postHook(test.paths.eventSocket, { body, headers: more });
      assert.deepEqual(reply, INSERTED);
    }
    const told = (await agentEvents(test.control)).map((row) => [
      row.provider,
      row.sessionID,
      row.kind,
    ]);
    assert.deepEqual(told, [
      ["cursor", "cur", "started"],
      ["grok", "gro", "started"],
      ["cursor", "cur", "succeeded"],
    ]);
    const count = await countOf(test, "claude-code");
    assert.deepEqual([count.foreign, count.inserted], [3, 0]);
  });
});

Deno.test("another agent's payload in Claude's hook is dropped and counted", async () => {
  await withServer(async (test) => {
    const body = promptPayload("cursor", { cursor_version: "2.1", conversation_id: "c" });
    assert.deepEqual(await postHook(test.paths.eventSocket, { body }), NOTHING);
    const count = await countOf(test, "claude-code");
    assert.deepEqual([count.received, count.foreign, count.inserted], [1, 1, 0]);
    assert.deepEqual(await allEvents(test.control), []);
  }, { isInstalled: (provider) => provider === "cursor" });
});

Deno.test("a test delivery is answered and changes nothing", async () => {
  await withServer(async (test) => {
    const post = { headers: { "mytty-test": "1" }, body: promptPayload("test") };
    assert.deepEqual(await postHook(test.paths.eventSocket, post), NOTHING);
    assert.deepEqual(await allEvents(test.control), []);
    assert.equal((await countOf(test, "claude-code")).inserted, 0);
  });
});

Deno.test("surface and capability place a hook; a wrong or revoked claim leaves it without a pane", async () => {
  await withServer(async (test) => {
    const mine = await test.openSurface("mine");
    const other = await test.openSurface("other");
    const gone = await test.openSurface("gone");
    await test.control.request(`/v1/surfaces/${gone.surfaceID}`, { method: "DELETE" });
    const claims = [
      ["mine", mine.surfaceID, mine.capability, mine.surfaceID],
      ["swapped", mine.surfaceID, other.capability, null],
      ["guessed", mine.surfaceID, "guess", null],
      ["revoked", gone.surfaceID, gone.capability, null],
      ["nonsense", "no-uuid", mine.capability, null],
    ] as const;
    for (const [session, surfaceID, capability] of claims) {
      const headers = { "mytty-surface": surfaceID, "mytty-capability": capability };
      const reply = await postHook(test.paths.eventSocket, {
        headers,
        body: promptPayload(session),
      });
      assert.deepEqual(reply, INSERTED);
    }
    const withoutCapability = { headers: { "mytty-surface": mine.surfaceID } };
    await postHook(test.paths.eventSocket, { ...withoutCapability, body: promptPayload("bare") });
    const rows = (await agentEvents(test.control)).filter(({ kind }) => kind === "started");
    assert.deepEqual(
      rows.map(({ sessionID, surfaceID }) => [sessionID, surfaceID]),
      [...claims.map(([session, , , placed]) => [session, placed]), ["bare", null]],
    );
    await assertNoTrace(test, [mine.capability, other.capability, gone.capability]);
  });
});

Deno.test("the connection is closed after the answer, also where the sender would keep it", async () => {
  await withServer(async ({ paths }) => {
    const request = hookRequestText({
      headers: { connection: "keep-alive" },
      body: promptPayload("kept"),
    });
    const text = await exchange(paths.eventSocket, request + request, { end: false });
    assert.match(text, /\r\nconnection: close\r\n/i);
    assert.equal(text.match(/HTTP\/1\.1 200/g)!.length, 1);
  });
});

Deno.test("200 hooks of many sessions at once all arrive, in order within each session", async () => {
  await withServer(async ({ paths, control }) => {
    const sessions = Array.from({ length: 20 }, (_, index) => `session-${index}`);
    await Promise.all(sessions.map(async (session) => {
      for (let turn = 0; turn < 10; turn++) {
        const body = promptPayload(session, { prompt: String(turn), prompt_id: `p${turn}` });
        assert.deepEqual(await postHook(paths.eventSocket, { body }), INSERTED);
      }
    }));
    const rows = await agentEvents(control);
    for (const session of sessions) {
      const turns = rows.filter(({ sessionID }) => sessionID === session);
      assert.deepEqual(turns.map(({ message }) => message), [..."0123456789"]);
    }
  });
});

Deno.test("curl posts a payload of any size from its standard input", async () => {
  if (!await hasCurl()) return console.log("curl is not here: nothing to test with");
  await withServer(async ({ paths, control }) => {
    for (const size of [10, 100_000, 5_000_000]) {
      const body = JSON.stringify(promptPayload(`curl-${size}`, { prompt: "p".repeat(size) }));
      for (const extra of [["--data-binary", "@-"], ["-T", "-", "-X", "POST", "-H", "Expect:"]]) {
        assert.deepEqual(await curl(paths.eventSocket, extra, body), INSERTED);
      }
    }
    assert.deepEqual(await curl(paths.eventSocket, ["--data-binary", "@-"], "{"), INVALID);
    await eventually(async () => (await agentEvents(control)).length === 6);
  });
});

async function hasCurl(): Promise<boolean> {
  try {
    return (await new Deno.Command("curl", { args: ["--version"] }).output()).success;
  } catch {
    return false;
  }
}

async function curl(socket: string, extra: string[], body: string) {
  const url = "http://mytty/v1/hooks/claude-code";
  const args = ["-sS", "-i", "--max-time", "5", "--unix-socket", socket, ...extra, url];
  const child = new Deno.Command("curl", { args, stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(body)).then(() => writer.close()).catch(() => {});
  const { stdout } = await child.output();
  const text = new TextDecoder().decode(stdout);
  return replyOf(text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ""));
}

/** Webhook and ntfy against a receiver on the loopback interface. */

import assert from "node:assert/strict";
import { NtfyChannel, WebhookChannel } from "../../src/notify/webhook.ts";
import { delivery, notice, notifyConfig } from "../helpers/notify.ts";

type Got = { readonly path: string; readonly headers: Headers; readonly body: unknown };

async function withReceiver(
  answer: (request: Request) => Response | Promise<Response>,
  task: (url: string, got: Got[]) => Promise<void>,
): Promise<void> {
  const got: Got[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body = await request.json().catch(() => null);
      got.push({ path: new URL(request.url).pathname, headers: request.headers, body });
      return await answer(request);
    },
  );
  try {
    await task(`http://127.0.0.1:${server.addr.port}`, got);
  } finally {
    await server.shutdown();
  }
}

function config(channels: Record<string, unknown>) {
  return notifyConfig({ channels });
}

Deno.test("a webhook gets the notice as JSON, with the headers that are configured", async () => {
  await withReceiver(() => new Response("ok"), async (url, got) => {
    const webhook = { url: `${url}/hook`, headers: { "x-key": "secret" } };
    assert.equal(
      await new WebhookChannel().deliver(delivery({ config: config({ webhook }) })),
      null,
    );
    assert.equal(got[0]!.path, "/hook");
    assert.equal(got[0]!.headers.get("x-key"), "secret");
    assert.equal(got[0]!.headers.get("content-type"), "application/json");
    const body = got[0]!.body as Record<string, unknown>;
    assert.deepEqual([body.kind, body.provider, body.place], [
      "approval-request",
      "claude-code",
      "api",
    ]);
  });
});

Deno.test("ntfy gets its own form: topic, title, message, priority, and the token", async () => {
  await withReceiver(() => new Response("{}"), async (url, got) => {
    const ntfy = { url, topic: "agents", token: "tk_1" };
    const one = notice({ title: "Codex — ждёт", body: "" });
    assert.equal(
      await new NtfyChannel().deliver(delivery({ notice: one, config: config({ ntfy }) })),
      null,
    );
    assert.equal(got[0]!.headers.get("authorization"), "Bearer tk_1");
    assert.deepEqual(got[0]!.body, {
      topic: "agents",
      title: "Codex — ждёт",
      message: "Codex — ждёт",
      priority: 4,
      tags: ["approval-request"],
    });
  });
});

Deno.test("a refusing, a redirecting and an absent receiver are errors that name no address", async () => {
  const channel = new WebhookChannel();
  const to = (url: string) => channel.deliver(delivery({ config: config({ webhook: { url } }) }));
  await withReceiver(() => new Response("", { status: 503 }), async (url) => {
    await assert.rejects(to(url), /status 503/);
  });
  const elsewhere = () => new Response("", { status: 302, headers: { location: "/other" } });
  await withReceiver(elsewhere, async (url, got) => {
    await assert.rejects(to(url), /status 302/);
    assert.equal(got.length, 1);
  });
  await assert.rejects(to("http://127.0.0.1:1/secret"), (error: Error) => {
    assert.match(error.message, /cannot be reached/);
    assert.doesNotMatch(`${error.message} ${error.stack}`, /secret/);
    return true;
  });
});

Deno.test("a receiver that never answers is given up in time", async () => {
  const held = Promise.withResolvers<Response>();
  await withReceiver(() => held.promise, async (url) => {
    const webhook = { url, timeout: "300ms" };
    await assert.rejects(
      new WebhookChannel().deliver(delivery({ config: config({ webhook }) })),
      { name: "TimeoutError" },
    );
    held.resolve(new Response());
  });
});

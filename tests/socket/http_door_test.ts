/** `serve --http`: who is answered over TCP, what is told there, and that nothing is changed. */

import assert from "node:assert/strict";
import http from "node:http";
import { OPERATIONS } from "../../src/socket/control/openapi.ts";
import { parseHttpAddress } from "../../src/socket/http_address.ts";
import { startTestServer, type TestServer, withFolder, withServer } from "../helpers/daemon.ts";
import { folderTexts } from "../helpers/events.ts";
import { Built } from "../helpers/built.ts";

const HTTP = { http: { host: "127.0.0.1", port: 0 } };

type Ask = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly until?: RegExp;
};

type Told = { readonly status: number; readonly text: string };

function urlOf({ server }: TestServer): URL {
  return new URL(server.daemon.httpUrl!);
}

function tokenOf({ paths }: TestServer): string {
  return Deno.readTextFileSync(paths.httpToken).trim();
}

/** As a program on this machine asks; `headers` come on top of the right ones. */
function ask(test: TestServer, path: string, { headers, until, body, ...options }: Ask = {}) {
  const { hostname, port } = urlOf(test);
  const own = { authorization: `Bearer ${tokenOf(test)}`, ...headers };
  return new Promise<Told>((resolve, reject) => {
    const request = http.request({ hostname, port, path, headers: own, ...options }, (response) => {
      let text = "";
      const done = () => resolve({ status: response.statusCode!, text });
      response.setEncoding("utf8").on("end", done).on("error", done);
      response.on("data", (part) => {
        text += part;
        if (until?.test(text)) response.destroy(), done();
      });
    });
    request.on("error", reject).end(body);
  });
}

Deno.test("with the token everything that is told on the control socket is told here, streams too", async () => {
  await withServer(async (test) => {
    await test.openSurface("api");
    const list = await ask(test, "/v1/list");
    assert.equal(list.status, 200);
    assert.match(list.text, /"label":"api"/);
    const watch = await ask(test, "/v1/watch", { until: /snapshot.*\n/ });
    assert.equal(watch.status, 200);
    const headers = { accept: "text/event-stream" };
    assert.match(
      (await ask(test, "/v1/events?follow=1", { headers, until: /data:.*\n/ })).text,
      /^id: 1\n/,
    );
    const body = JSON.stringify({ target: "api", until: "finished", timeoutMs: 1 });
    assert.match((await ask(test, "/v1/wait", { method: "POST", body })).text, /"timedOut":true/);
    const status = await test.control.request("/v1/status");
    assert.equal((status.body as { http: string }).http, test.server.daemon.httpUrl);
  }, HTTP);
});

Deno.test("without the token, with another, or with half of it, nothing is told", async () => {
  await withServer(async (test) => {
    await test.openSurface("secret");
    const token = tokenOf(test);
    const values = [
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${token.slice(0, 32)}`,
      `Basic ${token}`,
      token,
    ];
    for (const authorization of [...values, `Bearer ${"0".repeat(64)}`]) {
      for (const path of ["/v1/list", "/v1/openapi.json", "/nowhere"]) {
        const { status, text } = await ask(test, path, { headers: { authorization } });
        assert.equal(status, 401, authorization);
        assert.doesNotMatch(text, /secret/);
      }
    }
  }, HTTP);
});

Deno.test("a page of another site is refused, also one whose name leads here, also with the token", async () => {
  await withServer(async (test) => {
    const { host, port } = urlOf(test);
    const foreign: Record<string, string>[] = [
      { host: `evil.example:${port}` },
      { host: "127.0.0.1" },
      { origin: "http://evil.example" },
      { origin: "null" },
      { origin: `http://localhost:${Number(port) + 1}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const headers of foreign) {
      const { status, text } = await ask(test, "/v1/list", { headers });
      assert.equal(status, 403, JSON.stringify(headers));
      assert.doesNotMatch(text, /surfaces/);
    }
    for (const own of [{ origin: `http://${host}` }, { host: `localhost:${port}` }]) {
      assert.equal((await ask(test, "/v1/list", { headers: own })).status, 200);
    }
  }, HTTP);
});

Deno.test("nothing can be changed, and no capability is told", async () => {
  await withServer(async (test) => {
    const { surfaceID, capability } = await test.openSurface("api");
    const before = test.server.daemon.state.position;
    const changing = OPERATIONS.filter(({ method, path }) =>
      method !== "get" && path !== "/v1/wait"
    );
    assert.ok(changing.length >= 5);
    for (const { method, path } of changing) {
      const body = method === "post" ? '{"all":true}' : "";
      const options = { method: method.toUpperCase(), body };
      const { status, text } = await ask(test, path.replace("{id}", surfaceID), options);
      assert.deepEqual([status, JSON.parse(text).error], [403, "read-only"], path);
    }
    for (const { method, path } of OPERATIONS.filter(({ line }) => line === undefined)) {
      if (method !== "get") continue;
      const { text } = await ask(test, path.replace("{id}", surfaceID));
      assert.ok(!text.includes(capability), path);
    }
    assert.equal(test.server.daemon.state.position, before);
  }, HTTP);
});

Deno.test("the token is private, the same after a restart, and in no log", async () => {
  await withFolder(async (folder) => {
    const first = await startTestServer({ folder, ...HTTP });
    const token = tokenOf(first);
    assert.equal(Deno.statSync(first.paths.httpToken).mode! & 0o777, 0o600);
    assert.ok(!first.logged.join("\n").includes(token));
    await first.server.stop();
    const second = await startTestServer({ folder, ...HTTP });
    assert.equal(tokenOf(second), token);
    assert.equal(folderTexts(second.paths.state).filter((text) => text.includes(token)).length, 1);
    await second.server.stop();
    Deno.chmodSync(second.paths.httpToken, 0o644);
    await assert.rejects(startTestServer({ folder, ...HTTP }), /no private file with a token/);
  });
});

Deno.test("only this machine's own addresses are served; a port that is taken is said", async () => {
  const served = ["7717", "localhost:7717", "127.0.0.1:7717", "[::1]:7717", ":7717"];
  for (const text of served) assert.ok(!("issue" in parseHttpAddress(text)), text);
  const refused = ["0.0.0.0:7717", "[::]:7717", "192.168.1.2:80", "box.local:80", "a", "", "70000"];
  await withFolder(async (folder) => {
    const built = new Built(folder);
    for (const text of refused) assert.ok("issue" in parseHttpAddress(text), text);
    const { code, stderr } = await built.mytty(["serve", "--http", "0.0.0.0:7717"]);
    assert.equal(code, 2);
    assert.match(stderr, /^mytty: Refusing --http 0\.0\.0\.0:7717: only 127\.0\.0\.1 .*ssh -L`\n$/);
  });
  await withServer(async (test) => {
    const port = Number(urlOf(test).port);
    await withFolder(async (folder) => {
      const again = startTestServer({ folder, http: { host: "127.0.0.1", port } });
      await assert.rejects(again, /Cannot serve http:.*: another program listens there/);
    });
  }, HTTP);
});

Deno.test("without --http no port is opened and no token is made", async () => {
  await withServer(({ server, paths }) => {
    assert.equal(server.daemon.httpUrl, null);
    assert.throws(() => Deno.statSync(paths.httpToken), Deno.errors.NotFound);
    return Promise.resolve();
  });
});

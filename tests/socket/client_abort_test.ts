/** The client's signal ends what it waits for, at any moment, and the server learns of it. */

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { type TestServer, withServer } from "../helpers/daemon.ts";
import { eventually } from "../helpers/events.ts";

const PATIENCE_MS = 10_000;

/** Rejects with the signal's own reason, long before the server would answer. */
async function assertAborted(task: (signal: AbortSignal) => Promise<unknown>, afterMs: number) {
  const reason = new Error("Enough");
  const abort = new AbortController();
  const began = performance.now();
  const timer = setTimeout(() => abort.abort(reason), afterMs);
  if (afterMs === 0) abort.abort(reason);
  await assert.rejects(task(abort.signal), (error) => error === reason);
  clearTimeout(timer);
  assert.ok(performance.now() - began < PATIENCE_MS);
}

function held({ control }: TestServer, signal: AbortSignal): Promise<unknown> {
  const body = { sessionID: "not there yet", until: "change", timeoutMs: 60_000 };
  return control.request("/v1/wait", { method: "POST", body, signal });
}

Deno.test("a held request ends with its signal, before it is sent and while it is held", async () => {
  await withServer(async (test) => {
    for (const afterMs of [0, 1, 150]) {
      await assertAborted((signal) => held(test, signal), afterMs);
    }
    assert.equal((await test.control.request("/v1/status")).status, 200);
  });
});

Deno.test("a stream ends with its signal, also between two lines", async () => {
  await withServer(async ({ control }) => {
    for (const path of ["/v1/watch", "/v1/events?follow=1&after=0"]) {
      await assertAborted(async (signal) => {
        for await (const _line of control.lines(path, { signal })) { /* until it is aborted */ }
      }, 150);
    }
  });
});

Deno.test("a signal that comes too late changes nothing, and nothing is left listening to it", async () => {
  await withServer(async ({ control }) => {
    const abort = new AbortController();
    const { signal } = abort;
    for (let turn = 0; turn < 3; turn++) {
      assert.equal((await control.request("/v1/status", { signal })).status, 200);
    }
    await eventually(() => getEventListeners(signal, "abort").length === 0);
    abort.abort();
    assert.equal((await control.request("/v1/status")).status, 200);
  });
});

/** No JSON makes a decoder, or anything behind it, throw. */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { HookInput } from "../../src/core/hook/hook_fact.ts";
import { entriesOf } from "../../src/core/hook/ingest.ts";
import { uuidOrNull } from "../../src/core/ids.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { ProviderRecord } from "../../src/core/provider.ts";
import { PROVIDERS } from "../../src/core/registry.ts";
import { surfaceViews, unplacedViews } from "../../src/core/view/view.ts";
import { placeJson } from "../../src/core/view/view_json.ts";
import { decodeEnvelope } from "../../src/core/wire/envelope.ts";
import { hookRequest } from "../../src/core/wire/hook_request.ts";
import { parseSpoolFile, SPOOL_PROVIDER } from "../../src/core/wire/spool_file.ts";
import * as schemas from "../../src/socket/control/schema.ts";
import { Log, PANE, uuid } from "../core/log.ts";

const FIXTURES = new URL("../fixtures/providers/", import.meta.url);

type Case = { payload: JsonObject; event?: string; env?: Record<string, string> };

function casesOf(id: string): Case[] {
  return Deno.readTextFileSync(new URL(`${id}/hooks.jsonl`, FIXTURES)).trim().split("\n")
    .map((line) => JSON.parse(line));
}

const oddValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom("", "\ud83d", "a\u0000b", "x".repeat(5_000), [], {}, [[]], { a: null }),
);

/** Known payloads of a provider with up to three members replaced by anything. */
function inputs(record: ProviderRecord): fc.Arbitrary<HookInput> {
  const cases = casesOf(record.id);
  const keys = [...new Set(cases.flatMap(({ payload }) => Object.keys(payload)))];
  const odd = fc.dictionary(fc.constantFrom(...keys), oddValue, { maxKeys: 3 });
  return fc.tuple(fc.constantFrom(...cases), odd, fc.option(fc.string())).map(
    ([{ payload, event, env }, changed, name]) => ({
      payload: { ...payload, ...changed } as JsonObject,
      event: name ?? event ?? null,
      env: env ?? {},
    }),
  );
}

for (const record of PROVIDERS) {
  Deno.test(`${record.id}: any payload, from the decoder to the list, in any order`, () => {
    fc.assert(
      fc.property(fc.array(inputs(record), { maxLength: 12 }), fc.boolean(), (all, placed) => {
        const log = new Log(PANE);
        all.forEach((input, index) => {
          assert.doesNotThrow(() => record.hook.speaker?.(input));
          const facts = record.hook.decode(input);
          const entries = entriesOf(log.state, facts, {
            deliveryID: uuid(`delivery ${index}`),
            provider: record.id,
            source: "hook",
            occurredAt: index,
            undated: false,
            late: false,
            surfaceID: placed ? PANE : null,
            parentRunID: null,
            process: null,
            cwd: null,
          });
          for (const entry of entries) {
            assert.equal(uuidOrNull(entry.id), entry.id);
            assert.equal(JSON.stringify(JSON.parse(JSON.stringify(entry))), JSON.stringify(entry));
            log.tell(entry, index);
          }
        });
        const now = all.length;
        const views = [...surfaceViews(log.state, { now }), ...unplacedViews(log.state, { now })];
        for (const view of views) schemas.place.parse(placeJson(view, now));
      }),
      { numRuns: 150 },
    );
  });
}

Deno.test("input nested too deep for recursion is no danger to any decoder", () => {
  const deep = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
  for (const record of PROVIDERS) {
    for (const { payload, event, env } of casesOf(record.id)) {
      for (const key of Object.keys(payload)) {
        if (typeof payload[key] !== "object") continue;
        const odd = { ...payload, [key]: { deep } };
        record.hook.decode({ payload: odd, event: event ?? null, env: env ?? {} });
      }
    }
  }
});

const goodEnvelope = {
  schemaVersion: 1,
  capability: "c",
  event: {
    schemaVersion: 1,
    id: { rawValue: uuid("id") },
    runID: { rawValue: uuid("run") },
    surfaceID: { rawValue: PANE },
    sessionID: "S",
    provider: "claude-code",
    kind: "started",
    occurredAt: "2026-11-30T12:00:00Z",
    message: "m",
    hookName: "h",
    toolUseID: "t",
    toolName: "n",
  },
};

Deno.test("any line is an envelope or has an error code", () => {
  const member = fc.constantFrom(...Object.keys(goodEnvelope.event));
  const mutated = fc.tuple(fc.dictionary(member, oddValue, { maxKeys: 2 }), fc.jsonValue()).map(
    ([changed, extra]) =>
      JSON.stringify({
        ...goodEnvelope,
        extra,
        event: { ...goodEnvelope.event, ...changed },
      }),
  );
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(mutated, fc.json(), fc.string()), (line) => {
      const decoded = decodeEnvelope(line);
      if (!decoded.ok) {
        assert.ok(decoded.error === "invalid-request" || decoded.error === "unauthorized");
        return;
      }
      taken++;
      const { event } = decoded.envelope;
      assert.ok(event.message === null || event.message.length <= 2_000);
      assert.ok(event.message === null || event.message.isWellFormed());
      assert.ok(event.hookName === null || !event.hookName.startsWith("mytty."));
      assert.ok(Number.isSafeInteger(event.occurredAt));
      const log = new Log(PANE);
      log.tell(event, 0);
      schemas.place.parse(placeJson(log.view(5), 5));
    }),
    { numRuns: 1_000 },
  );
  assert.ok(taken > 20, "the good ones are taken");
});

Deno.test("any header and any spool file is read or refused", () => {
  const header = fc.tuple(
    fc.constantFrom(
      "mytty-surface",
      "mytty-capability",
      "mytty-pid",
      "mytty-delivery",
      "mytty-at",
      "mytty-event",
      "mytty-env",
      "x",
    ),
    fc.oneof(fc.string(), fc.constantFrom("A=b", "=b", "A", "-1", "1e99", "NaN", "7", PANE)),
  );
  fc.assert(
    fc.property(fc.array(header), fc.uint8Array({ maxLength: 200 }), (pairs, noise) => {
      const request = hookRequest("codex", pairs as [string, string][]);
      assert.ok(request.pid === null || Number.isSafeInteger(request.pid) && request.pid > 0);
      assert.ok(request.at === null || Number.isSafeInteger(request.at) && request.at > 0);
      assert.ok(Object.keys(request.env).every((name) => /^[A-Za-z_]\w*$/.test(name)));
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      parseSpoolFile(noise, decode);
      const head = pairs.map(([name, value]) => `${name}: ${value.replaceAll("\n", " ")}\n`);
      const file = new TextEncoder().encode(`${SPOOL_PROVIDER}: codex\n${head.join("")}\n{"a":1}`);
      const spooled = parseSpoolFile(file, decode)!;
      assert.equal(decode(spooled.payload), '{"a":1}');
      assert.equal(spooled.request.claim?.capability ?? null, null, "never from a file");
    }),
    { numRuns: 500 },
  );
});

Deno.test("any request to the control API is valid or refused, never an exception", () => {
  const requests = [
    schemas.openRequest,
    schemas.finishedRequest,
    schemas.waitRequest,
    schemas.ackRequest,
  ];
  const member = fc.constantFrom("label", "pid", "target", "until", "after", "timeoutMs", "ids");
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(member, oddValue)), (value) => {
      for (const schema of requests) {
        assert.equal(typeof schema.safeParse(value).success, "boolean");
      }
    }),
    { numRuns: 500 },
  );
});

/**
 * Walks the registry: what every provider record must fulfil. A provider without fixtures fails.
 *
 * Fixtures: tests/fixtures/providers/<id>/hooks.jsonl, one line per case:
 * `{name, payload, event?, env?, facts}` with the facts that the decoder must give.
 */

import assert from "node:assert/strict";
import fc from "fast-check";
import type { HookFact, HookInput } from "../../src/core/hook/hook_fact.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { findProvider, PROVIDERS } from "../../src/core/registry.ts";
import { PROVIDER_WORDS } from "../../tools/provider_words.ts";

type Case = {
  readonly name: string;
  readonly payload: JsonObject;
  readonly event?: string;
  readonly env?: Record<string, string>;
  readonly facts: HookFact[];
};

const FIXTURES = new URL("../fixtures/providers/", import.meta.url);

function readCases(id: string): Case[] {
  const text = Deno.readTextFileSync(new URL(`${id}/hooks.jsonl`, FIXTURES));
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Case);
}

function inputOf(entry: Pick<Case, "payload" | "event" | "env">): HookInput {
  return { payload: entry.payload, event: entry.event ?? null, env: entry.env ?? {} };
}

Deno.test("provider ids and aliases are unique, well-formed and known to the lint rule", () => {
  const words = PROVIDERS.flatMap((record) => [record.id, ...record.aliases]);
  assert.equal(new Set(words).size, words.length);
  for (const word of words) {
    assert.match(word, /^[a-z0-9-]{1,64}$/);
    assert.ok(PROVIDER_WORDS.has(word), `the lint rule does not know ${word}`);
    assert.notEqual(findProvider(word), undefined);
  }
});

for (const record of PROVIDERS) {
  Deno.test(`${record.id}: every fixture payload decodes as written down`, () => {
    const cases = readCases(record.id);
    assert.ok(cases.length > 0, "no fixtures");
    for (const entry of cases) {
      assert.deepEqual(record.hook.decode(inputOf(entry)), entry.facts, entry.name);
    }
  });

  Deno.test(`${record.id}: fixtures cover every event that is subscribed to`, () => {
    const seen = new Set(
      readCases(record.id).map((entry) =>
        entry.event ?? entry.payload.hook_event_name ?? entry.payload.hookName ??
          entry.payload.event ?? entry.payload.type
      ),
    );
    for (const target of record.install.targets) {
      // A fixed element names a file of ours; what that sends is in the fixtures.
      if (target.kind !== "json-hooks" || target.fixed !== undefined) continue;
      for (const { event } of target.subscriptions) assert.ok(seen.has(event), event);
    }
  });

  Deno.test(`${record.id}: the decoder never throws, whatever the JSON`, () => {
    const cases = readCases(record.id);
    const anyValue = fc.jsonValue({ maxDepth: 3 });
    const mutated = fc.record({
      base: fc.constantFrom(...cases),
      key: fc.integer({ min: 0, max: 30 }),
      value: anyValue,
      event: fc.option(fc.string(), { nil: undefined }),
    }).map(({ base, key, value, event }) => {
      const keys = Object.keys(base.payload);
      const name = keys[key % Math.max(1, keys.length)] ?? "x";
      return {
        payload: { ...base.payload, [name]: value } as JsonObject,
        ...(event ? { event } : {}),
      };
    });
    fc.assert(
      fc.property(mutated, (entry) => {
        const facts = record.hook.decode(inputOf(entry));
        record.hook.speaker?.(inputOf(entry));
        assert.ok(Array.isArray(facts));
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anyValue), (payload) => {
        assert.ok(Array.isArray(record.hook.decode(inputOf({ payload: payload as JsonObject }))));
      }),
    );
  });

  Deno.test(`${record.id}: the entry written into a config is recognised again`, () => {
    const command = `'/tmp/a b/it'\\''s/mytty-hook' ${record.id}`;
    for (const target of record.install.targets) {
      if (target.kind !== "json-hooks") continue;
      for (const subscription of target.subscriptions) {
        if (target.fixed !== undefined) {
          assert.deepEqual(target.entry({ command, subscription }), target.fixed);
          continue;
        }
        assert.deepEqual(target.commandsOf(target.entry({ command, subscription })), [command]);
      }
      for (const odd of [null, 1, "x", [], {}, { hooks: 1 }, { hooks: [1, null, {}] }]) {
        assert.deepEqual(target.commandsOf(odd), []);
      }
    }
  });
}

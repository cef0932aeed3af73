/** Damaged payloads through every decoder, the reducer and the views; damaged lines through readers. */

import assert from "node:assert/strict";
import type { HookFact, HookInput } from "../../src/core/hook/hook_fact.ts";
import { entriesOf } from "../../src/core/hook/ingest.ts";
import { uuidOrNull } from "../../src/core/ids.ts";
import { isObject, type JsonObject } from "../../src/core/json.ts";
import { parseObjectPrefix } from "../../src/core/json_prefix.ts";
import type { ProviderRecord } from "../../src/core/provider.ts";
import { PROVIDERS } from "../../src/core/registry.ts";
import { surfaceViews, unplacedViews } from "../../src/core/view/view.ts";
import { placeJson } from "../../src/core/view/view_json.ts";
import * as schemas from "../../src/socket/control/schema.ts";
import { isLogEntry } from "../../src/socket/stored_entry.ts";
import { Log, PANE, uuid } from "../core/log.ts";
import { type Chance, fuzz } from "../helpers/chance.ts";
import { mutatedJson, mutatedText } from "./mutate.ts";
import { fileSamples, hookSamples } from "./samples.ts";

for (const record of PROVIDERS) {
  Deno.test(`fuzz: damaged payloads of ${record.id}, from the decoder to the list`, async () => {
    const samples = hookSamples(record.id);
    await fuzz(150, (chance) => {
      const log = new Log(PANE);
      const length = 1 + chance.below(6);
      for (let index = 0; index < length; index++) {
        const { payload, event, env } = chance.pick(samples);
        const body = damaged(payload, chance);
        if (body === undefined) continue;
        const input: HookInput = {
          payload: body,
          event: chance.pick([event ?? null, null, "Stop", "é\u0000"]),
          env: chance.below(4) === 0 ? {} : env ?? {},
        };
        record.hook.speaker?.(input);
        tell(log, record, { facts: record.hook.decode(input), index, chance });
      }
      assertShown(log);
    });
  });

  const { transcript, liveStatus } = record;
  if (transcript === undefined && liveStatus === undefined) continue;
  Deno.test(`fuzz: damaged lines of ${record.id}'s own files, from the reader to the list`, async () => {
    // Lines of another agent's files are as good as any where there are none of its own.
    const own = fileSamples(record.id);
    const samples = own.length > 0 ? own : fileSamples(PROVIDERS[0]!.id);
    await fuzz(100, (chance) => {
      const log = new Log(PANE);
      const read = transcript?.reader("a session");
      const length = 1 + chance.below(12);
      for (let index = 0; index < length; index++) {
        const line = mutatedJson(chance.pick(samples), chance, chance.below(3));
        if (!isObject(line)) continue;
        transcript?.idOfHead?.(line);
        const status = liveStatus?.read(line, { pid: 1, startTime: "1" }) ?? null;
        assert.ok(status === null || typeof status.sessionID === "string");
        const readings = read?.(line) ?? [];
        for (const { at, mark, fact } of readings) {
          assert.ok(at === null || Number.isFinite(at), String(at));
          assert.equal(typeof mark, "string");
          assert.match(fact.hookName, /^mytty\.native\./);
        }
        tell(log, record, { facts: readings.map(({ fact }) => fact), index, chance });
      }
      assertShown(log);
    });
  });
}

/** Other members, or a text that was cut and is read as far as it goes. */
function damaged(payload: JsonObject, chance: Chance): JsonObject | undefined {
  if (chance.below(3) > 0) {
    const value = mutatedJson(payload, chance);
    return isObject(value) ? value : undefined;
  }
  const text = mutatedText(JSON.stringify(payload), chance);
  return parseObjectPrefix(text.slice(0, 1 + chance.below(text.length + 1)));
}

function tell(
  log: Log,
  record: ProviderRecord,
  { facts, index, chance }: { facts: readonly HookFact[]; index: number; chance: Chance },
): void {
  const entries = entriesOf(log.state, facts, {
    deliveryID: uuid(`delivery ${index}`),
    provider: record.id,
    source: "hook",
    occurredAt: index,
    undated: false,
    late: chance.below(4) === 0,
    surfaceID: chance.below(2) === 0 ? PANE : null,
    parentRunID: null,
    process: null,
    cwd: null,
  });
  for (const entry of entries) {
    assert.equal(uuidOrNull(entry.id), entry.id);
    const text = JSON.stringify(entry);
    assert.ok(isLogEntry(JSON.parse(text)), `a row that would not be read again: ${text}`);
    assertBounded(entry);
    log.tell(entry, index);
  }
}

const LONGEST = 4_096;

function assertBounded(value: unknown): void {
  if (typeof value === "string") {
    assert.ok(value.isWellFormed() && value.length <= LONGEST, value.slice(0, 200));
  } else if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(assertBounded);
  }
}

function assertShown(log: Log): void {
  const now = log.state.at + 1;
  const views = [...surfaceViews(log.state, { now }), ...unplacedViews(log.state, { now })];
  for (const view of views) schemas.place.parse(placeJson(view, now));
}

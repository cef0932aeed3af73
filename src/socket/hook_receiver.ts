/** From one delivered hook to the log: parse, decode by the provider's record, place, append. */

import { entriesOf } from "../core/ingest.ts";
import { isObject, type JsonObject, parseJson, stringAt } from "../core/json.ts";
import { parseObjectPrefix } from "../core/json_prefix.ts";
import type { HookFact } from "../core/hook_fact.ts";
import { placeHook } from "../core/placement.ts";
import { type Processes, processID } from "../core/process.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { findProvider } from "../core/registry.ts";
import { type Answer, failure } from "../core/wire/answer.ts";
import { type HookRequest, MAX_PAYLOAD_BYTES } from "../core/wire/hook_request.ts";
import { type Evidence, readEvidence } from "./hook_evidence.ts";
import type { Mailbox } from "./mailbox.ts";
import type { ProviderCounters } from "./provider_counters.ts";
import { Sequencer } from "./sequencer.ts";

/** A spooled event younger than this was only waiting for a restart; it is still news. */
const LATE_AFTER_MS = 5_000;

const NOTHING: Answer = { ok: true, inserted: false };

export type ReceiverOptions = {
  readonly mailbox: Mailbox;
  readonly processes: Processes;
  readonly counters: ProviderCounters;
  readonly log: (text: string) => void;
};

export class HookReceiver {
  readonly #options: ReceiverOptions;
  readonly #sequencer = new Sequencer();

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** Well-formed but meaningless is `inserted: false`; only malformed JSON is an error. */
  async receive(request: HookRequest, payload: Uint8Array): Promise<Answer> {
    const record = findProvider(request.provider);
    if (record === undefined) return failure("invalid-request");
    const body = parsePayload(payload);
    if (body === undefined) {
      this.#count(record, "malformed");
      this.#options.log(`malformed ${record.id} hook payload of ${payload.length} bytes`);
      return failure("invalid-request");
    }
    const facts = this.#decode(record, request, body);
    if (facts.length === 0 || request.isTest) return NOTHING;
    const key = `${record.id} ${facts[0]!.sessionID ?? request.claim?.surfaceID ?? ""}`;
    return await this.#sequencer.run(key, () => this.#store({ record, request, body, facts }));
  }

  #decode(record: ProviderRecord, request: HookRequest, payload: JsonObject): HookFact[] {
    const input = { payload, event: request.event, env: request.env };
    const speaker = record.hook.speaker?.(input) ?? null;
    if (speaker !== null && speaker !== record.id) {
      this.#count(record, "foreign");
      return [];
    }
    const facts = record.hook.decode(input);
    if (facts.length === 0) this.#count(record, "ignored");
    return facts;
  }

  async #store(
    { record, request, body, facts }: {
      record: ProviderRecord;
      request: HookRequest;
      body: JsonObject;
      facts: HookFact[];
    },
  ): Promise<Answer> {
    const evidence = await readEvidence(request, record, this.#options.processes);
    const occurredAt = request.at ?? Date.now();
    const deliveryID = request.deliveryID ?? crypto.randomUUID();
    const submitted = await this.#options.mailbox.submit((state) => {
      const sessionID = facts[0]!.sessionID;
      const placement = placeHook(state, { ...evidence, provider: record.id, sessionID });
      const entries = entriesOf(state, facts, {
        deliveryID,
        provider: record.id,
        source: "hook",
        occurredAt,
        undated: request.at === null,
        late: request.isSpooled && Date.now() - occurredAt > LATE_AFTER_MS,
        surfaceID: placement.surfaceID,
        parentRunID: placement.parentRunID,
        process: sessionProcess(evidence),
        cwd: stringAt(body, "cwd") ?? evidence.agent?.cwd ?? null,
      });
      return { entries: placement.opens === null ? entries : [placement.opens, ...entries] };
    });
    const inserted = "inserted" in submitted &&
      submitted.applied.some(({ row }) => row.entry.id === deliveryID);
    this.#count(record, inserted ? "inserted" : "ignored");
    return { ok: true, inserted };
  }

  #count(record: ProviderRecord, key: Parameters<ProviderCounters["count"]>[1]): void {
    this.#options.counters.count(record.id, key);
  }
}

/** A shared background process outlives its sessions, so its life says nothing about theirs. */
function sessionProcess({ agent, shared }: Evidence) {
  return agent === null || shared ? null : processID(agent);
}

/** A payload that fills the cap was cut: what arrived whole of it counts. */
function parsePayload(payload: Uint8Array): JsonObject | undefined {
  const text = new TextDecoder().decode(payload);
  if (payload.length >= MAX_PAYLOAD_BYTES) return parseObjectPrefix(text);
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

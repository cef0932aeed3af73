/** From one delivered hook to the log: parse, decode by the provider's record, place, append. */

import { entriesOf } from "../core/hook/ingest.ts";
import { isObject, type JsonObject, parseJson, stringAt } from "../core/json.ts";
import { parseObjectPrefix } from "../core/json_prefix.ts";
import type { HookFact } from "../core/hook/hook_fact.ts";
import type { PlacementNote } from "../core/placement/placement_note.ts";
import { placeHook, type Placement } from "../core/placement/placement.ts";
import { type Processes, type ProcessID, processID } from "../core/process/process.ts";
import type { ProviderRecord } from "../core/provider.ts";
import { findProvider } from "../core/registry.ts";
import { type Answer, failure } from "../core/wire/answer.ts";
import { type HookRequest, MAX_PAYLOAD_BYTES } from "../core/wire/hook_request.ts";
import type { RouteEvidence } from "../core/placement/session_routing.ts";
import { sessionKey } from "../core/log/state.ts";
import { type Evidence, readEvidence } from "./hook_evidence.ts";
import type { Mailbox } from "./mailbox.ts";
import type { ProviderCounters } from "./provider_counters.ts";
import type { RouteReader } from "./route_reader.ts";
import { Sequencer } from "./sequencer.ts";

/** A spooled event younger than this was only waiting for a restart; it is still news. */
const LATE_AFTER_MS = 5_000;

const NOTHING: Answer = { ok: true, inserted: false };

export type ReceiverOptions = {
  readonly mailbox: Mailbox;
  readonly processes: Processes;
  readonly routes: RouteReader;
  readonly counters: ProviderCounters;
  /** Whether a provider has hooks of its own, and so tells everything itself. */
  readonly isInstalled: (provider: string) => boolean;
  readonly log: (text: string) => void;
};

type Delivered = {
  readonly record: ProviderRecord;
  readonly request: HookRequest;
  readonly body: JsonObject;
  readonly facts: readonly HookFact[];
};

export class HookReceiver {
  readonly #options: ReceiverOptions;
  readonly #sequencer = new Sequencer();

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** Well-formed but meaningless is `inserted: false`; only malformed JSON is an error. */
  async receive(request: HookRequest, payload: Uint8Array): Promise<Answer> {
    const owner = findProvider(request.provider);
    if (owner === undefined) return failure("invalid-request");
    const body = parsePayload(payload, request.isCut);
    if (body === undefined) {
      this.#count(owner, "malformed");
      const cut = request.isCut ? ", cut since it did not end in time" : "";
      this.#options.log(`malformed ${owner.id} hook payload of ${payload.length} bytes${cut}`);
      return failure("invalid-request");
    }
    if (request.isTest) {
      // A person's `mytty test` proves the way, not that the agent goes it.
      this.#options.counters.tested(owner.id);
      return NOTHING;
    }
    const record = this.#speaker(owner, request, body);
    const facts = record === null ? [] : this.#decode(record, request, body);
    if (record === null || facts.length === 0) return NOTHING;
    const key = `${record.id} ${facts[0]!.sessionID ?? request.claim?.surfaceID ?? ""}`;
    return await this.#sequencer.run(key, () => this.#store({ record, request, body, facts }));
  }

  /** Another agent may run this one's hooks. Null: it has its own, which tell the same. */
  #speaker(
    owner: ProviderRecord,
    { event, env }: HookRequest,
    payload: JsonObject,
  ): ProviderRecord | null {
    const speaker = owner.hook.speaker?.({ payload, event, env }) ?? null;
    if (speaker === null || speaker === owner.id) return owner;
    this.#count(owner, "foreign");
    return this.#options.isInstalled(speaker) ? null : findProvider(speaker) ?? null;
  }

  #decode(record: ProviderRecord, request: HookRequest, payload: JsonObject): HookFact[] {
    const facts = record.hook.decode({ payload, event: request.event, env: request.env });
    if (facts.length === 0) this.#count(record, "ignored");
    return facts;
  }

  async #store(delivered: Delivered): Promise<Answer> {
    const { record, request, body, facts } = delivered;
    const evidence = await readEvidence(request, record, this.#options.processes);
    const routing = evidence.shared ? await this.#route(delivered) : null;
    const occurredAt = request.at ?? Date.now();
    const deliveryID = request.deliveryID ?? crypto.randomUUID();
    const submitted = await this.#options.mailbox.submit((state) => {
      const sessionID = facts[0]!.sessionID;
      const placement = placeHook(state, { ...evidence, provider: record.id, sessionID, routing });
      const entries = entriesOf(state, facts, {
        deliveryID,
        provider: record.id,
        source: "hook",
        occurredAt,
        undated: request.at === null,
        late: request.isSpooled && Date.now() - occurredAt > LATE_AFTER_MS,
        surfaceID: placement.surfaceID,
        parentRunID: placement.parentRunID,
        process: sessionProcess(evidence, placement),
        cwd: stringAt(body, "cwd") ?? evidence.agent?.cwd ?? null,
        placement: noteOf(placement),
        ...(evidence.host === null ? {} : { host: evidence.host }),
      });
      return { entries: placement.opens === null ? entries : [placement.opens, ...entries] };
    });
    const inserted = "inserted" in submitted &&
      submitted.applied.some(({ row }) => row.entry.id === deliveryID);
    this.#count(record, inserted ? "inserted" : "ignored");
    return { ok: true, inserted };
  }

  /** What tells the session's pane; the mailbox's turn decides on it. */
  async #route({ record, request, body, facts }: Delivered): Promise<RouteEvidence | null> {
    const { sessionID, hookName } = facts[0]!;
    if (sessionID === null) return null;
    const known = this.#options.mailbox.state.sessions.get(sessionKey(record.id, sessionID));
    const bound = known?.endedAt === null ? known.process : null;
    const { env } = request;
    return await this.#options.routes
      .read({ record, sessionID, hookName, payload: body, env, bound });
  }

  #count(record: ProviderRecord, key: Parameters<ProviderCounters["count"]>[1]): void {
    this.#options.counters.count(record.id, key);
  }
}

/** A shared background process outlives its sessions, so its life says nothing about theirs. */
function sessionProcess({ agent, shared }: Evidence, placement: Placement): ProcessID | null {
  if (placement.process !== undefined) return placement.process;
  return agent === null || shared ? null : processID(agent);
}

function noteOf({ rule, why }: Placement): PlacementNote {
  return { rule, ...(why === undefined ? {} : { why }) };
}

/** A payload that fills the cap, or did not end in time, was cut: what arrived whole of it counts. */
function parsePayload(payload: Uint8Array, isCut: boolean): JsonObject | undefined {
  const text = new TextDecoder().decode(payload);
  if (isCut || payload.length >= MAX_PAYLOAD_BYTES) return parseObjectPrefix(text);
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

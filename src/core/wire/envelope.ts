/**
 * The event envelope, version 1 (protocol 3.1). Decoding is total: bad input is an answer code, not
 * an exception, and nothing of a bad envelope survives.
 */

import { z } from "zod";
import { type AgentEvent, WIRE_KINDS } from "../log/event.ts";
import { uuidOrNull } from "../ids.ts";
import { parseJson } from "../json.ts";
import { boundedName, boundedText, sessionIDOrNull, stripControl } from "../text.ts";
import { isoMillis } from "./date.ts";
import type { ErrorCode } from "./answer.ts";

export const SCHEMA_VERSION = 1;
export const MAX_LINE_BYTES = 65_536;
export const MAX_MESSAGE_CHARACTERS = 2_000;

/** Hook names of this prefix mark what the daemon itself concluded; nobody else may claim it. */
export const OWN_HOOK_PREFIX = "mytty.";

const uuid = z.object({
  rawValue: z.string().transform((text, context) => {
    const id = uuidOrNull(text);
    if (id === null) context.addIssue({ code: "custom", message: "not a UUID" });
    return id ?? "";
  }),
});

const date = z.string().transform((text, context) => {
  const millis = isoMillis(text);
  if (millis === null) context.addIssue({ code: "custom", message: "not an ISO 8601 date-time" });
  return millis ?? 0;
});

/** Looked at as it would be stored: control characters must not hide the prefix. */
function isOwnHookName(name: string | null): boolean {
  return name !== null && stripControl(name).startsWith(OWN_HOOK_PREFIX);
}

const optionalText = z.string().nullish().transform((text) => text ?? null);

export const envelopeSchema = z.object({
  schemaVersion: z.int(),
  capability: z.string(),
  event: z.object({
    schemaVersion: z.int(),
    id: uuid,
    runID: uuid,
    sessionID: optionalText,
    surfaceID: uuid,
    provider: z.string().regex(/^[a-z0-9-]{1,64}$/),
    kind: z.enum(WIRE_KINDS),
    occurredAt: date,
    message: optionalText,
    hookName: optionalText.refine((name) => !isOwnHookName(name)),
    toolUseID: optionalText,
    toolName: optionalText,
  }),
});

export type Envelope = {
  readonly capability: string;
  /** As decoded; the provider is still the word the sender used. */
  readonly event: AgentEvent & { readonly surfaceID: string };
};

export type Decoded =
  | { readonly ok: true; readonly envelope: Envelope }
  | { readonly ok: false; readonly error: ErrorCode };

/** Checks in the protocol's order: decode, then versions. Size and authorization are the caller's. */
export function decodeEnvelope(line: string): Decoded {
  const parsed = envelopeSchema.safeParse(parseJson(line));
  if (!parsed.success) return { ok: false, error: "invalid-request" };
  const { schemaVersion, capability, event } = parsed.data;
  if (schemaVersion !== SCHEMA_VERSION || event.schemaVersion !== SCHEMA_VERSION) {
    return { ok: false, error: "unauthorized" };
  }
  return { ok: true, envelope: { capability, event: agentEvent(event) } };
}

function agentEvent(event: z.output<typeof envelopeSchema>["event"]): Envelope["event"] {
  const text = (value: string | null, limit: number) =>
    value === null || value === "" ? null : boundedText(value, limit);
  return {
    type: "agent-event",
    id: event.id.rawValue,
    runID: event.runID.rawValue,
    provider: event.provider,
    kind: event.kind,
    occurredAt: event.occurredAt,
    source: "envelope",
    sessionID: sessionIDOrNull(event.sessionID),
    surfaceID: event.surfaceID.rawValue,
    message: text(event.message, MAX_MESSAGE_CHARACTERS),
    hookName: event.hookName === null ? null : boundedName(event.hookName, 128),
    toolUseID: event.toolUseID === null ? null : boundedName(event.toolUseID, 256),
    toolName: event.toolName === null ? null : boundedName(event.toolName, 128),
  };
}

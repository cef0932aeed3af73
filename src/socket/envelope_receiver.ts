/** From one envelope to the log: decode, authorize (or route by session), append. */

import { authorizedSurface } from "../core/placement/authorize.ts";
import type { LogEntry } from "../core/log/event.ts";
import { placeRoute, type Routed } from "../core/placement/pane_place.ts";
import { findProvider, providerID } from "../core/registry.ts";
import type { RouteEvidence } from "../core/placement/session_routing.ts";
import { sessionKey, type State } from "../core/log/state.ts";
import { type Answer, failure } from "../core/wire/answer.ts";
import { decodeEnvelope, type Envelope } from "../core/wire/envelope.ts";
import type { Mailbox } from "./mailbox.ts";
import type { RouteReader } from "./route_reader.ts";

export class EnvelopeReceiver {
  readonly #mailbox: Mailbox;
  readonly #routes: RouteReader;

  constructor(mailbox: Mailbox, routes: RouteReader) {
    this.#mailbox = mailbox;
    this.#routes = routes;
  }

  /** Rejects when the event could not be stored. */
  async receive(line: string): Promise<Answer> {
    const decoded = decodeEnvelope(line);
    if (!decoded.ok) return failure(decoded.error);
    const { envelope } = decoded;
    const evidence = await this.#route(envelope);
    const submitted = await this.#mailbox.submit<"unauthorized">((state) => {
      const entries = entriesFor(state, envelope, evidence);
      return entries === null ? { refuse: "unauthorized" } : { entries };
    });
    if ("refused" in submitted) return failure(submitted.refused);
    return { ok: true, inserted: submitted.inserted };
  }

  async #route({ event }: Envelope): Promise<RouteEvidence | null> {
    const record = findProvider(event.provider);
    const { sessionID, hookName } = event;
    if (record?.routing !== "session" || sessionID === null) return null;
    const known = this.#mailbox.state.sessions.get(sessionKey(record.id, sessionID));
    const bound = known?.endedAt === null ? known.process : null;
    return await this.#routes.read({ record, sessionID, hookName, payload: null, env: {}, bound });
  }
}

/** Null for `unauthorized`. */
function entriesFor(
  state: State,
  envelope: Envelope,
  evidence: RouteEvidence | null,
): LogEntry[] | null {
  const provider = providerID(envelope.event.provider);
  const { sessionID } = envelope.event;
  if (evidence !== null && sessionID !== null) {
    const routed = placeRoute({ state, provider, sessionID, evidence });
    if (routed.surfaceID !== null) return routedEntries(envelope, provider, routed);
    if (state.sessions.get(sessionKey(provider, sessionID))?.process) return null;
  }
  const surfaceID = authorizedSurface(state, envelope);
  return surfaceID === null ? null : [{ ...envelope.event, provider, surfaceID }];
}

function routedEntries(
  { event }: Envelope,
  provider: string,
  { surfaceID, rule, process, opens }: Routed,
): LogEntry[] {
  const entry: LogEntry = {
    ...event,
    provider,
    surfaceID,
    placement: { rule },
    ...(process === undefined ? {} : { process }),
  };
  return opens === null ? [entry] : [opens, entry];
}

/** Which surface an envelope may speak for (protocol 3.1; the seed's rule, exactly). */

import { sha256Hex } from "../ids.ts";
import { findProvider } from "../registry.ts";
import { sessionKey, type State } from "../log/state.ts";
import type { Envelope } from "../wire/envelope.ts";

/**
 * The surface, or null for `unauthorized`. Capability and surface must match; a provider that is
 * routed by session needs an open pane bound to that session, and its capability is ignored.
 */
export function authorizedSurface(state: State, { capability, event }: Envelope): string | null {
  const record = findProvider(event.provider);
  if (record?.routing === "session") return boundSurface(state, record.id, event.sessionID);
  const owner = state.capabilities.get(sha256Hex(capability));
  return owner !== undefined && owner === event.surfaceID ? owner : null;
}

/** The open surface that a session was last seen on. */
export function boundSurface(
  state: State,
  provider: string,
  sessionID: string | null,
): string | null {
  if (sessionID === null) return null;
  const surfaceID = state.sessions.get(sessionKey(provider, sessionID))?.surfaceID ?? null;
  if (surfaceID === null) return null;
  return state.surfaces.get(surfaceID)?.closedAt === null ? surfaceID : null;
}

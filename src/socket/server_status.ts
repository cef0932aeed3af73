/** What `status` says of the server itself. */

import { isOpenItem } from "../core/log/attention.ts";
import { isLive } from "../core/log/event.ts";
import type { State } from "../core/log/state.ts";
import { PROTOCOL, VERSION } from "../core/version.ts";
import { isoTime } from "../core/view/view_json.ts";
import type { StoreRefusal } from "./mailbox.ts";
import type { Paths } from "./paths.ts";

type Facts = {
  readonly state: State;
  readonly paths: Paths;
  readonly startedAt: number;
  readonly httpUrl: string | null;
  readonly refusal: StoreRefusal | null;
  readonly spool: { readonly waiting: number; readonly taken: number; readonly dropped: number };
};

export function serverStatus({ state, paths, startedAt, spool, refusal, httpUrl }: Facts) {
  return {
    version: VERSION,
    protocol: PROTOCOL,
    pid: Deno.pid,
    startedAt: isoTime(startedAt),
    position: state.position,
    eventSocket: paths.eventSocket,
    stateFolder: paths.state,
    http: httpUrl,
    surfaces: count(state.surfaces.values(), (surface) => surface.closedAt === null),
    sessions: count(state.sessions.values(), (session) => session.endedAt === null),
    runs: count(state.runs.values(), (run) => isLive(run.state)),
    openAttention: count(state.items.values(), isOpenItem),
    spool,
    storeRefusal: refusal === null ? null : { ...refusal, at: isoTime(refusal.at) },
  };
}

function count<T>(values: Iterable<T>, test: (value: T) => boolean): number {
  let found = 0;
  for (const value of values) if (test(value)) found++;
  return found;
}

/**
 * What the log adds up to. Entries are immutable values; the maps that hold them are changed only
 * by `reduce` (and by `prune`), inside the daemon's journal.
 */

import type { EventSource, ProcessID, RunState, SurfaceClosed, SurfaceOpened } from "./event.ts";
import { IndexedMap } from "./indexed_map.ts";
import { Journal, JournaledMap } from "./journal.ts";
import type { PlacementNote } from "../placement/placement_note.ts";
import { processKey } from "../process/process.ts";

/** An open question to the person: kept one by one, so that one answer settles one request. */
export type Request = {
  readonly key: string;
  readonly kind: "input" | "approval";
  readonly toolUseID: string | null;
  readonly weak: boolean;
  readonly message: string | null;
  readonly toolName: string | null;
};

export type Run = {
  readonly runID: string;
  readonly provider: string;
  readonly sessionID: string | null;
  readonly surfaceID: string | null;
  readonly parentRunID: string | null;
  readonly nested?: true;
  readonly state: RunState;
  readonly requests: readonly Request[];
  readonly message: string | null;
  readonly toolName: string | null;
  /** When the work began, as the sender said; null while no start was seen. */
  readonly startedAt: number | null;
  /** Steady time at which the work began; a resumed turn keeps that of the work it continues. */
  readonly workSince: number | null;
  readonly startSeen: boolean;
  readonly updatedAt: number;
  /** `occurredAt` of the end; later events must have occurred after it to count. */
  readonly endedAt: number | null;
  /** The end was guessed from a reminder: a firm end of nearly the same time corrects it. */
  readonly endGuessed: boolean;
  /** Unfinished background work keeps the run going after its turn. */
  readonly background: boolean;
  readonly source: EventSource;
  readonly hookName: string | null;
  readonly process: ProcessID | null;
  /** Why its last event was placed where it was. */
  readonly placement?: PlacementNote;
  readonly late: boolean;
  readonly itemIDs: readonly string[];
  /** Position and steady time of the last change of `state`. */
  readonly statePosition: number;
  readonly stateAt: number;
  /** Position of the last applied event. */
  readonly position: number;
};

/** One conversation of one provider in one place. */
export type Session = {
  readonly key: string;
  readonly provider: string;
  readonly sessionID: string;
  readonly surfaceID: string | null;
  readonly currentRunID: string | null;
  /** Of a nested agent: what it works for, also before it has a run itself. */
  readonly parentRunID: string | null;
  readonly process: ProcessID | null;
  readonly cwd: string | null;
  readonly transcript: string | null;
  /** Why it is where it is; null where nobody decided (an envelope of its own pane). */
  readonly placement: PlacementNote | null;
  /** The other machine or container that it runs on; null here. */
  readonly host: string | null;
  /** Its start was told, so that the log knows of it without its runs. */
  readonly announced: boolean;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Steady time and position of the last event of this session. */
  readonly at: number;
  readonly position: number;
};

/** An open or closed pane: what its opening said, and what became of it. */
export type Surface = Omit<SurfaceOpened, "type" | "id"> & {
  readonly openedAt: number;
  readonly closedAt: number | null;
  /** Why it was closed; null while it is open. */
  readonly closeReason: SurfaceClosed["reason"] | null;
  readonly position: number;
};

export const ITEM_KINDS = [
  "approval-request",
  "input-request",
  "failure",
  "disconnect",
  "completion",
] as const;

export type ItemKind = typeof ITEM_KINDS[number];

export type AttentionItem = {
  /** The id of the event that made it. */
  readonly id: string;
  readonly kind: ItemKind;
  readonly key: string;
  readonly surfaceID: string | null;
  readonly runID: string;
  readonly sessionID: string | null;
  readonly provider: string;
  readonly message: string | null;
  readonly toolName: string | null;
  readonly child: boolean;
  readonly createdAt: number;
  readonly resolvedAt: number | null;
  readonly acknowledgedAt: number | null;
};

export type PlaceSince = {
  readonly state: RunState;
  readonly position: number;
  readonly at: number;
};

export type State = {
  readonly journal: Journal;
  readonly runs: JournaledMap<string, Run>;
  readonly sessions: IndexedMap<Session>;
  readonly surfaces: IndexedMap<Surface>;
  readonly items: JournaledMap<string, AttentionItem>;
  /** Capability hash to the open surface it belongs to. */
  readonly capabilities: JournaledMap<string, string>;
  /** Process key of a root to the open surfaces it leads. */
  readonly roots: JournaledMap<string, readonly string[]>;
  /** Process key of an agent to the keys of its open sessions. */
  readonly agents: JournaledMap<string, readonly string[]>;
  /** Surface to the keys of the open sessions in it. */
  readonly residents: JournaledMap<string, readonly string[]>;
  /** Place key to its live runs, children included, in order of arrival. */
  readonly live: JournaledMap<string, readonly string[]>;
  /** Place key to the main run that spoke last. */
  readonly latest: JournaledMap<string, string>;
  /** Place key to the session that spoke last. */
  readonly lastSession: JournaledMap<string, string>;
  /** Place key to its state and since when it is so. */
  readonly places: JournaledMap<string, PlaceSince>;
  /** Position and steady time of the last folded row. */
  position: number;
  at: number;
};

export function initialState(): State {
  const journal = new Journal();
  const map = <K, V>() => new JournaledMap<K, V>(journal);
  const [roots, agents, residents] = [
    map<string, readonly string[]>(),
    map<string, readonly string[]>(),
    map<string, readonly string[]>(),
  ];
  return {
    journal,
    runs: map(),
    sessions: new IndexedMap<Session>(journal, [
      {
        map: agents,
        keyOf: (session) => openKey(session.endedAt, session.process),
        isSame: (a, b) => a.endedAt === b.endedAt && sameProcess(a.process, b.process),
      },
      {
        map: residents,
        keyOf: ({ endedAt, surfaceID }) => endedAt === null ? surfaceID : null,
        isSame: (a, b) => a.endedAt === b.endedAt && a.surfaceID === b.surfaceID,
      },
    ]),
    surfaces: new IndexedMap<Surface>(journal, [
      {
        map: roots,
        keyOf: (surface) => openKey(surface.closedAt, surface.root),
        isSame: (a, b) => a.closedAt === b.closedAt && sameProcess(a.root, b.root),
      },
    ]),
    roots,
    agents,
    residents,
    items: map(),
    capabilities: map(),
    live: map(),
    latest: map(),
    lastSession: map(),
    places: map(),
    position: 0,
    at: 0,
  };
}

function sameProcess(a: ProcessID | null, b: ProcessID | null): boolean {
  return a === b || (a?.pid === b?.pid && a?.startTime === b?.startTime);
}

function openKey(endedAt: number | null, process: ProcessID | null): string | null {
  return endedAt !== null || process === null ? null : processKey(process);
}

/** Provider ids have no spaces, so the first one separates. */
export function sessionKey(provider: string, sessionID: string): string {
  return `${provider} ${sessionID}`;
}

/**
 * Where a run is listed: its surface, else its session, else itself. One active run is allowed per
 * session and surface; runs without a session share their surface's.
 */
export function placeKey(
  at: {
    surfaceID: string | null;
    provider: string;
    sessionID: string | null;
    runID?: string;
  },
): string {
  if (at.surfaceID !== null) return at.surfaceID;
  if (at.sessionID !== null) return sessionKey(at.provider, at.sessionID);
  return `run ${at.runID ?? ""}`;
}

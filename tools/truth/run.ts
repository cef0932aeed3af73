/** Plays a recording through the real code on a simulated clock. */

import type { LogEntry, ProcessID } from "../../src/core/log/event.ts";
import { Estimate } from "../../src/core/estimate/estimate.ts";
import { ProcessEstimate } from "../../src/core/estimate/estimate_processes.ts";
import type { SessionRef } from "../../src/core/estimate/estimate_session.ts";
import { derivedID } from "../../src/core/ids.ts";
import { entriesOf } from "../../src/core/hook/ingest.ts";
import type { TranscriptReader } from "../../src/core/estimate/reading.ts";
import { reduce } from "../../src/core/log/reduce.ts";
import { initialState, type State } from "../../src/core/log/state.ts";
import { isActive, type PlaceView, placeView } from "../../src/core/view/view.ts";
import type { Happening, Recording } from "./recordings.ts";

/** The estimator's own rhythm: files are watched, processes seen at the next reading. */
export const FILE_TICK_MS = 200;
export const TABLE_TICK_MS = 1_000;

export interface Player {
  /** Brings everything up to `ms`. */
  readonly advance: (ms: number, happenings: readonly Happening[]) => void;
  /** What is shown for a pane, in the truth files' words: all that fit. */
  readonly shown: (pane: string) => readonly string[];
}

/** Ours; without `estimate` what hooks alone can tell. */
export class OurPlayer implements Player {
  readonly #recording: Recording;
  readonly #hasEstimate: boolean;
  readonly #hasHooks: boolean;
  readonly #state: State = initialState();
  readonly #estimate = new Estimate({ isHeard: () => this.#hasHooks });
  readonly #statuses = new Map<string, SessionRef>();
  readonly #processes = new ProcessEstimate({
    isHooked: () => this.#hasHooks,
    hasStatus: () => this.#statuses.size > 0,
  });
  readonly #readers = new Map<string, { read: TranscriptReader; ref: SessionRef }>();
  readonly #alive = new Map<string, { isHeadless: boolean; since: number }>();
  #held: Happening[] = [];
  #now = 0;
  #hasVanished = false;
  #ticked = -1;
  #scanned = -1;

  constructor(
    recording: Recording,
    options: { readonly hasEstimate: boolean; readonly hasHooks?: boolean },
  ) {
    this.#recording = recording;
    this.#hasEstimate = options.hasEstimate;
    this.#hasHooks = options.hasHooks ?? true;
    for (const pane of Object.keys(recording.panes)) {
      const nothing = { capabilityHash: null, label: null, cwd: null, tty: null, root: null };
      const surfaceID = derivedID("pane", pane);
      const open = { surfaceID, multiplexer: null, adopted: true, ...nothing };
      this.#append({ type: "surface-opened", id: derivedID("open", pane), ...open });
    }
  }

  advance(ms: number, happenings: readonly Happening[]): void {
    this.#now = this.#recording.epoch + ms;
    for (const happening of happenings) {
      if (happening.what === "hook") this.#hook(happening);
      else if (this.#hasEstimate) this.#held.push(happening);
    }
    if (!this.#hasEstimate) return;
    const tick = Math.floor(ms / FILE_TICK_MS);
    if (tick !== this.#ticked) this.#files();
    this.#decide();
    const scan = Math.floor(ms / TABLE_TICK_MS);
    // A status file that is gone makes the edge look for its process at once.
    const isGone = this.#held.some(({ what, ms: at }) => what === "process" && at <= ms) &&
      this.#hasVanished;
    if (scan !== this.#scanned || isGone) this.#table();
    this.#hasVanished = false;
    [this.#ticked, this.#scanned] = [tick, scan];
    this.#decide();
  }

  shown(pane: string): readonly string[] {
    return truthWords(placeView(this.#state, derivedID("pane", pane), { now: this.#now }));
  }

  readonly #ids = new Set<string>();

  /** As the log: an id that was stored is not stored again. */
  #append(entry: LogEntry): void {
    if (this.#ids.has(entry.id)) return;
    this.#ids.add(entry.id);
    const row = { position: this.#state.position + 1, at: this.#now, entry };
    this.#estimate.heard(entry);
    for (const followUp of reduce(this.#state, row).followUps) this.#append(followUp);
  }

  #hook(happening: Happening & { what: "hook" }): void {
    if (!happening.isOurs || !this.#hasHooks) return;
    const { record } = this.#recording;
    const { event, payload, env, pane, ms } = happening;
    const facts = record.hook.decode({ payload, event, env });
    const entries = entriesOf(this.#state, facts, {
      deliveryID: derivedID("delivery", String(this.#state.position), String(ms)),
      provider: record.id,
      source: "hook",
      occurredAt: this.#recording.epoch + ms,
      undated: false,
      late: false,
      surfaceID: derivedID("pane", pane),
      parentRunID: null,
      process: this.#hasEstimate ? processOf(pane) : null,
      cwd: null,
    });
    for (const entry of entries) this.#append(entry);
  }

  #files(): void {
    const { record } = this.#recording;
    const held = this.#held.filter(({ what }) => what !== "process");
    this.#held = this.#held.filter(({ what }) => what === "process");
    for (const happening of held) {
      if (happening.what === "line" && record.transcript !== undefined) {
        const sessionID = record.transcript.sessionOf(happening.file);
        if (sessionID === null) continue;
        const known = this.#readers.get(happening.file) ?? {
          read: record.transcript.reader(sessionID),
          ref: this.#ref(sessionID, happening.pane, happening.file),
        };
        this.#readers.set(happening.file, known);
        this.#estimate.read(known.ref, known.read(happening.line), this.#now);
      }
      if (happening.what === "status") this.#status(happening);
    }
  }

  #status({ pane, value }: Happening & { what: "status" }): void {
    const { record } = this.#recording;
    const { pid, startTime } = processOf(pane);
    const status = value === null
      ? null
      : record.liveStatus?.read({ ...value, pid }, { pid, startTime }) ?? null;
    if (value === null) this.#hasVanished = true;
    const before = this.#statuses.get(pane);
    if (before !== undefined && before.sessionID !== status?.sessionID) {
      this.#estimate.status(before, null, this.#now);
      this.#statuses.delete(pane);
    }
    if (status === null) return;
    const ref = this.#ref(status.sessionID, pane, null);
    this.#statuses.set(pane, ref);
    this.#estimate.status(ref, status, this.#now);
  }

  #table(): void {
    for (const happening of this.#held) {
      if (happening.what !== "process") continue;
      const { pane, isAlive, isHeadless } = happening;
      if (isAlive) this.#alive.set(pane, { isHeadless, since: this.#now });
      else this.#alive.delete(pane);
    }
    this.#held = this.#held.filter(({ what }) => what !== "process");
    const { record } = this.#recording;
    const agents = [...this.#alive].map(([pane, { isHeadless, since }]) => ({
      provider: record.id,
      process: processOf(pane),
      surfaceID: derivedID("pane", pane),
      cwd: null,
      isHeadless,
      isForeground: true,
      startedAt: since,
      children: [],
      opens: null,
      parentRunID: null,
    }));
    for (const decision of this.#processes.scan(this.#state, agents, this.#now)) {
      for (const entry of decision(this.#state)) this.#append(entry);
    }
    for (const session of [...this.#state.sessions.values()]) {
      if (session.endedAt !== null || session.process === null) continue;
      const isAlive = agents.some(({ process }) => process.pid === session.process!.pid);
      if (isAlive) continue;
      this.#estimate.lastWord(session.key, this.#now);
      this.#decide();
      this.#append(this.#processes.exited(session, this.#now));
    }
  }

  #decide(): void {
    for (const decision of this.#estimate.decisions(this.#state, this.#now)) {
      for (const entry of decision(this.#state)) this.#append(entry);
    }
  }

  #ref(sessionID: string, pane: string, transcript: string | null): SessionRef {
    const provider = this.#recording.record.id;
    const surfaceID = derivedID("pane", pane);
    const isHeadless = pane === "exec";
    const process = processOf(pane);
    const place = { provider, sessionID, surfaceID, opens: null, parentRunID: null, process };
    return { ...place, cwd: null, transcript, isHeadless };
  }
}

function processOf(pane: string): ProcessID {
  return { pid: 1_000 + pane.charCodeAt(pane.length - 1), startTime: "1" };
}

/** What a view says, in the truth files' words. */
export function truthWords(view: PlaceView): string[] {
  if (view.state === "unknown") return ["absent"];
  if (isActive(view)) return [view.state];
  return view.state === "idle" ? ["idle", "ended", "absent"] : [view.state];
}

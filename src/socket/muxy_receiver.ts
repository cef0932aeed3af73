/** From one v3 line to the log and to the person; whether it is to be acknowledged. */

import { muxyEntry } from "../core/wire/muxy_entries.ts";
import type { Notifier } from "../core/ports.ts";
import type { Processes, ProcessRow } from "../core/process/process.ts";
import type { State, Surface } from "../core/log/state.ts";
import { decodeMuxy, type MuxyEvent, MuxyIDs } from "../core/wire/muxy.ts";
import type { Mailbox } from "./mailbox.ts";
import { Sequencer } from "./sequencer.ts";

export type MuxyOptions = {
  readonly mailbox: Mailbox;
  readonly processes: Processes;
  readonly notifier: Notifier | null;
  readonly log: (text: string) => void;
};

/** So many ancestors are looked at; a longer chain is damage. */
const MAX_PIDS = 64;

export class MuxyReceiver {
  readonly #options: MuxyOptions;
  readonly #ids = new MuxyIDs();
  readonly #sequencer = new Sequencer();
  /** Under way: a retry that overtakes its first attempt waits for that one's end. */
  readonly #pending = new Map<string, Promise<boolean>>();

  constructor(options: MuxyOptions) {
    this.#options = options;
  }

  /** True: acknowledge, the event is durable or a repeat. False: say nothing. */
  async receive(line: string): Promise<boolean> {
    const event = decodeMuxy(line);
    if (event === null) return false;
    const { id } = event;
    if (id === null) return await this.#inOrder(event);
    if (this.#ids.has(id)) return true;
    const pending = this.#pending.get(id);
    if (pending !== undefined) return await pending;
    const applied = this.#inOrder(event).then((done) => {
      // Not remembered unless applied: the sender's next attempt is a first one.
      if (done) this.#ids.add(id);
      return done;
    }).finally(() => this.#pending.delete(id));
    this.#pending.set(id, applied);
    return await applied;
  }

  /** Looking for the pane takes time, in which a later event must not overtake. */
  #inOrder(event: MuxyEvent): Promise<boolean> {
    return this.#sequencer.run(event.paneID ?? "", () => this.#apply(event));
  }

  async #apply(event: MuxyEvent): Promise<boolean> {
    try {
      const surfaceID = await this.#surfaceOf(event);
      if (!event.test && surfaceID !== null) await this.#store(event, surfaceID);
      this.#tell(event, surfaceID);
      return true;
    } catch (error) {
      this.#options.log(`cannot store a v3 event: ${String(error)}`);
      return false;
    }
  }

  async #store(event: MuxyEvent, surfaceID: string): Promise<void> {
    // An id of our own: a repeat that is no longer remembered counts as a first delivery.
    const id = crypto.randomUUID();
    await this.#options.mailbox.submit((state) => {
      const entry = muxyEntry(state, event, { surfaceID, id, now: Date.now() });
      return { entries: entry === null ? [] : [entry] };
    });
  }

  /** A request is announced as an attention item; other words are announced as they are. */
  #tell({ test, phase, title, body, provider }: MuxyEvent, surfaceID: string | null): void {
    const isItem = phase === "waiting" && surfaceID !== null && !test;
    if (isItem || (title === "" && body === "")) return;
    this.#options.notifier?.tell({
      id: crypto.randomUUID(),
      origin: "muxy",
      kind: "message",
      provider,
      surfaceID,
      title,
      body,
    }, this.#options.mailbox.state);
  }

  /** The named pane; else the one whose foreground process is the nearest of `pids`. */
  async #surfaceOf({ paneID, pids }: MuxyEvent): Promise<string | null> {
    const open = openSurfaces(this.#options.mailbox.state);
    if (paneID !== null) {
      return open.find((surface) => surface.surfaceID === paneID)?.surfaceID ?? null;
    }
    for (const pid of pids.filter((one) => one > 1).slice(0, MAX_PIDS)) {
      const row = await this.#options.processes.readProcess(pid);
      const matches = row === null ? [] : open.filter((surface) => isForeground(surface, row));
      // Two panes that claim one process: never guess.
      if (matches.length > 0) return matches.length === 1 ? matches[0]!.surfaceID : null;
    }
    return null;
  }
}

function openSurfaces(state: State): Surface[] {
  return [...state.surfaces.values()].filter(({ closedAt }) => closedAt === null);
}

function isForeground({ root, tty }: Surface, row: ProcessRow): boolean {
  if (root !== null && root.pid === row.pid && root.startTime === row.startTime) return true;
  return tty !== null && tty === row.tty && row.pgid === row.foregroundPgid;
}

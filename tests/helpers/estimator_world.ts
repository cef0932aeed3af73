/** The estimator over a made-up process table, real files and a simulated clock. */

import type { LogEntry, LogRow, SurfaceOpened } from "../../src/core/log/event.ts";
import { derivedID } from "../../src/core/ids.ts";
import { entriesOf } from "../../src/core/hook/ingest.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { type Processes, type ProcessRow } from "../../src/core/process/process.ts";
import { findProvider } from "../../src/core/registry.ts";
import { reduce } from "../../src/core/log/reduce.ts";
import { initialState, type State } from "../../src/core/log/state.ts";
import { placeView } from "../../src/core/view/view.ts";
import { Estimator } from "../../src/estimator/estimator.ts";

/** A Monday noon; only differences matter. */
const START = Date.UTC(2026, 10, 30, 12);

export type FakeProcess = {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly tty?: string | null;
  readonly ppid?: number;
  readonly startTime?: string;
  readonly pgid?: number;
  readonly cwd?: string;
  readonly openFiles?: readonly string[];
};

export class World {
  readonly state: State = initialState();
  readonly rows: LogRow[] = [];
  readonly logged: string[] = [];
  readonly home: string;
  readonly estimator: Estimator;
  /** Whether hooks of any provider have been heard before. */
  isHeard = false;
  /** When a command of a pane last ended with status 0. */
  readonly endedWell = new Map<string, number>();
  now = START;
  tableReads = 0;
  isTableBroken = false;
  readonly #table = new Map<
    number,
    { row: ProcessRow; at: number; openFiles: readonly string[] }
  >();
  readonly #foreground = new Map<string, number>();
  readonly #ids = new Set<string>();
  #tell: (rows: readonly LogRow[]) => void = () => {};

  constructor(home: string) {
    this.home = home;
    this.estimator = new Estimator({
      host: {
        state: this.state,
        submit: (decide) => {
          decide(this.state).forEach((entry) => this.append(entry));
          return Promise.resolve();
        },
        onRows: (listener) => {
          this.#tell = listener;
          return () => {};
        },
        place: (_provider, pid) => Promise.resolve(this.#place(pid)),
        isHeard: () => this.isHeard,
        endedWellAt: (surfaceID) => this.endedWell.get(surfaceID) ?? null,
      },
      processes: this.#processes(),
      env: { home, get: () => undefined },
      log: (text) => this.logged.push(text),
      now: () => this.now,
    });
    // Listens to the log; its timers are not wanted here.
    this.estimator.listen();
  }

  run(fake: FakeProcess): void {
    const { pid, argv, tty = `/dev/pts/${pid}`, ppid = 1, startTime = `${pid}`, openFiles = [] } =
      fake;
    const pgid = fake.pgid ?? pid;
    if (tty !== null && !this.#foreground.has(tty)) this.#foreground.set(tty, pgid);
    const row: ProcessRow = {
      pid,
      ppid,
      pgid,
      sid: pgid,
      tty,
      foregroundPgid: -1,
      startTime,
      comm: argv[0]!.split("/").at(-1)!.slice(0, 15),
      argv,
      exe: argv[0]!,
      cwd: fake.cwd ?? "/proj",
    };
    this.#table.set(pid, { row, at: this.now, openFiles });
  }

  kill(pid: number): void {
    const tty = this.#table.get(pid)?.row.tty;
    this.#table.delete(pid);
    if (tty) this.#foreground.delete(tty);
  }

  /** Brings another group to the front of a terminal. */
  front(tty: string, pgid: number): void {
    this.#foreground.set(tty, pgid);
  }

  /** Time passes, with a table and files read at the end of it. */
  async pass(ms = 0): Promise<void> {
    this.now += ms;
    await this.estimator.scan();
    await this.estimator.poll();
    this.#exits();
  }

  /** Several passes, as the estimator makes them. */
  async passes(ms: number, step = 500): Promise<void> {
    for (let done = 0; done < ms; done += step) await this.pass(step);
  }

  async files(ms = 0): Promise<void> {
    this.now += ms;
    await this.estimator.poll();
  }

  hook(provider: string, payload: JsonObject, pid: number, at = this.now): void {
    const record = findProvider(provider)!;
    const event = typeof payload.event === "string" ? payload.event : null;
    const { surfaceID, opens } = this.#place(pid);
    if (!this.state.surfaces.has(surfaceID)) this.append(opens);
    const { startTime } = this.#table.get(pid)!.row;
    const entries = entriesOf(this.state, record.hook.decode({ payload, event, env: {} }), {
      deliveryID: derivedID("delivery", String(this.rows.length)),
      provider,
      source: "hook",
      occurredAt: at,
      undated: false,
      late: false,
      surfaceID,
      parentRunID: null,
      process: { pid, startTime },
      cwd: null,
    });
    entries.forEach((entry) => this.append(entry));
  }

  append(entry: LogEntry): void {
    if (this.#ids.has(entry.id)) return;
    this.#ids.add(entry.id);
    const row = { position: this.state.position + 1, at: this.now, entry };
    const { followUps } = reduce(this.state, row);
    this.rows.push(row);
    this.#tell([row]);
    followUps.forEach((followUp) => this.append(followUp));
  }

  shown(pid: number): string {
    return placeView(this.state, surfaceOf(pid), { now: this.now }).state;
  }

  view(pid: number) {
    return placeView(this.state, surfaceOf(pid), { now: this.now });
  }

  /** Hook names of what was appended, without sessions' and panes' beginnings. */
  names(): string[] {
    return this.rows.flatMap(({ entry }) =>
      entry.type === "agent-event" ? [`${entry.kind} ${entry.hookName?.split(".").at(-1)}`] : []
    );
  }

  write(path: string, ...lines: readonly JsonObject[]): string {
    const whole = `${this.home}/${path}`;
    Deno.mkdirSync(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    Deno.writeTextFileSync(whole, text, { append: path.endsWith(".jsonl") });
    return whole;
  }

  iso(offset = 0): string {
    return new Date(this.now + offset).toISOString();
  }

  #place(pid: number) {
    const surfaceID = surfaceOf(pid);
    const opens: SurfaceOpened = {
      type: "surface-opened",
      id: derivedID("open", surfaceID),
      surfaceID,
      capabilityHash: null,
      label: null,
      cwd: null,
      tty: null,
      root: null,
      multiplexer: null,
      adopted: true,
    };
    return { surfaceID, opens, parentRunID: null };
  }

  /** What the exit watch does. */
  #exits(): void {
    for (const session of [...this.state.sessions.values()]) {
      const { process } = session;
      if (session.endedAt !== null || process === null) continue;
      if (this.#table.get(process.pid)?.row.startTime === process.startTime) continue;
      this.append({
        type: "session-ended",
        id: derivedID("exit", session.key, process.startTime),
        provider: session.provider,
        sessionID: session.sessionID,
        occurredAt: this.now,
        source: "server",
        hookName: "mytty.native.processExited",
        reason: "lost",
      });
    }
  }

  #processes(): Processes {
    const rowOf = (pid: number) => {
      const row = this.#table.get(pid)?.row;
      if (row === undefined || row.tty === null) return row;
      return { ...row, foregroundPgid: this.#foreground.get(row.tty) ?? -1 };
    };
    return {
      readTable: () => {
        this.tableReads++;
        if (this.isTableBroken) return Promise.reject(new Error("Read the process table: broken"));
        return Promise.resolve(new Map([...this.#table.keys()].map((pid) => [pid, rowOf(pid)!])));
      },
      readProcess: (pid) => Promise.resolve(rowOf(pid) ?? null),
      readChain: (pid) => Promise.resolve(new Map([[pid, rowOf(pid)!]])),
      readEnv: () => Promise.resolve({ HOME: this.home }),
      openFiles: (pid) => Promise.resolve(this.#table.get(pid)?.openFiles ?? null),
      isAlive: ({ pid, startTime }) => Promise.resolve(rowOf(pid)?.startTime === startTime),
      startedAt: ({ pid }) => this.#table.get(pid)?.at ?? null,
    };
  }
}

/** Each pid has a pane of its own. */
export function surfaceOf(pid: number): string {
  return derivedID("surface", String(pid));
}

/** A user's line, an answer's line and the like, as Claude Code writes them. */
export const CLAUDE = {
  prompt: (at: string, promptId: string, text = "go") => ({
    type: "user",
    promptId,
    uuid: `user ${promptId} ${at}`,
    timestamp: at,
    message: { role: "user", content: text },
  }),
  call: (at: string, id: string) => ({
    type: "assistant",
    uuid: `call ${id}`,
    timestamp: at,
    message: { role: "assistant", stop_reason: "tool_use", content: [{ type: "tool_use", id }] },
  }),
  result: (at: string, promptId: string, id: string) => ({
    type: "user",
    promptId,
    uuid: `result ${id}`,
    timestamp: at,
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
  }),
  answer: (at: string, text = "Done") => ({
    type: "assistant",
    uuid: `answer ${at}`,
    timestamp: at,
    message: { role: "assistant", stop_reason: "end_turn", content: [{ type: "text", text }] },
  }),
  interrupt: (at: string, promptId: string) => ({
    type: "user",
    promptId,
    uuid: `interrupt ${at}`,
    timestamp: at,
    interruptedMessageId: "m1",
    message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
  }),
};

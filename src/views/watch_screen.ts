/**
 * The live view's terminal: reads keys and the server's lines, draws what changed, and leaves the
 * terminal as it was. What is drawn and what keys mean is decided elsewhere.
 */

import { KeyDecoder } from "./keys.ts";
import { drawWatch, type WatchScreen } from "./watch_draw.ts";
import { pressKey } from "./watch_keys.ts";
import { emptyModel, takeText, type WatchAction, type WatchModel } from "./watch_model.ts";

export type WatchPorts = {
  /** The stream's lines, blank ones as signs of life; throws when there is no server any more. */
  readonly lines: (signal: AbortSignal) => AsyncIterable<string>;
  readonly acknowledge: (ids: readonly string[]) => Promise<void>;
  /** What to tell the person, or null. */
  readonly jump: (surfaceID: string) => Promise<string | null>;
};

const ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE = "\x1b[?25h\x1b[?1049l";

const DRAW_MS = 16;
const TICK_MS = 1_000;
const RETRY_MS = 1_000;
/** A sequence's pieces come within this time, also over a slow line. */
const ESCAPE_MS = 60;

export async function runWatchScreen(ports: WatchPorts, colour: boolean): Promise<void> {
  const view = new WatchTerminal(ports, colour);
  try {
    await view.run();
  } finally {
    view.leave();
  }
}

class WatchTerminal {
  readonly #ports: WatchPorts;
  readonly #colour: boolean;
  readonly #ended = new AbortController();
  readonly #keys = new KeyDecoder();
  readonly #onResize = () => this.#redraw();
  readonly #onSignal = () => this.#ended.abort();
  #model: WatchModel = emptyModel();
  #shown: string[] = [];
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #escape: ReturnType<typeof setTimeout> | undefined;

  constructor(ports: WatchPorts, colour: boolean) {
    this.#ports = ports;
    this.#colour = colour;
  }

  async run(): Promise<void> {
    Deno.stdin.setRaw(true);
    write(ENTER);
    Deno.addSignalListener("SIGWINCH", this.#onResize);
    for (const signal of SIGNALS) Deno.addSignalListener(signal, this.#onSignal);
    const tick = setInterval(() => this.#drawSoon(), TICK_MS);
    this.#draw();
    void this.#readKeys();
    await this.#follow();
    clearInterval(tick);
  }

  leave(): void {
    this.#ended.abort();
    clearTimeout(this.#drawing);
    Deno.removeSignalListener("SIGWINCH", this.#onResize);
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, this.#onSignal);
    write(LEAVE);
    try {
      Deno.stdin.setRaw(false);
    } catch {
      // The terminal is gone.
    }
  }

  /** The stream, and again when it breaks: a server that is restarted comes back by itself. */
  async #follow(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        for await (const line of this.#ports.lines(signal)) {
          this.#model = takeText(this.#model, line, Date.now());
          this.#drawSoon();
        }
      } catch (error) {
        this.#offline(error instanceof Error ? error.message : String(error));
      }
      await pause(RETRY_MS, signal);
    }
  }

  #offline(reason: string): void {
    this.#model = { ...this.#model, offline: reason, heardAt: null };
    this.#drawSoon();
  }

  async #readKeys(): Promise<void> {
    const buffer = new Uint8Array(1024);
    while (!this.#ended.signal.aborted) {
      const length = await Deno.stdin.read(buffer).catch(() => null);
      if (length === null) return this.#ended.abort();
      clearTimeout(this.#escape);
      this.#press(this.#keys.push(buffer.subarray(0, length)));
      if (this.#keys.isPending) {
        this.#escape = setTimeout(() => this.#press(this.#keys.flush()), ESCAPE_MS);
      }
    }
  }

  #press(keys: readonly string[]): void {
    for (const key of keys) {
      const { model, action } = pressKey(this.#model, key);
      this.#model = model;
      if (action !== null) void this.#act(action).catch((error) => this.#say(String(error)));
    }
    this.#drawSoon();
  }

  async #act(action: WatchAction): Promise<void> {
    switch (action.do) {
      case "quit":
        return this.#ended.abort();
      case "acknowledge":
        return await this.#ports.acknowledge(action.ids);
      case "jump": {
        const message = await this.#ports.jump(action.surfaceID);
        if (message !== null) this.#say(message);
      }
    }
  }

  #say(message: string): void {
    this.#model = { ...this.#model, message };
    this.#drawSoon();
  }

  #drawSoon(): void {
    this.#drawing ??= setTimeout(() => this.#draw(), DRAW_MS);
  }

  #redraw(): void {
    this.#shown = [];
    write("\x1b[2J");
    this.#drawSoon();
  }

  /** Only lines that changed: little to send over a slow line, and nothing flickers. */
  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    if (this.#ended.signal.aborted) return;
    const lines = drawWatch(this.#model, this.#screen(), Date.now());
    const changed = lines.map((line, at) =>
      line === this.#shown[at] ? "" : `\x1b[${at + 1};1H${line}\x1b[K`
    );
    this.#shown = lines;
    write(changed.join(""));
  }

  #screen(): WatchScreen {
    const { columns, rows } = consoleSize();
    return { width: Math.max(10, columns), height: Math.max(1, rows), colour: this.#colour };
  }
}

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

function consoleSize(): { columns: number; rows: number } {
  try {
    return Deno.consoleSize();
  } catch {
    return { columns: 80, rows: 24 };
  }
}

function write(text: string): void {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  } catch {
    // The terminal is gone; the signal that says so ends the loop.
  }
}

function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, millis);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

/** How often the estimator looks, by what goes on, and the timers that make it look. */

/** What the pauses depend on. */
export type Pace = {
  readonly agents: number;
  readonly sessions: number;
  /** A launch that is not told yet. */
  readonly isNew: boolean;
  /** It may be gone in a moment, and how long it lived is to be known. */
  readonly isYoung: boolean;
  readonly isHeadless: boolean;
  /** Something works, waits, or is about to be told. */
  readonly isBusy: boolean;
};

/** A process younger than this is looked at often. */
export const NEW_MS = 10_000;
/** A reading is a program's run on macOS. */
const YOUNG_PAUSE_MS = Deno.build.os === "darwin" ? 500 : 250;
/** Open files cost a directory of links here, a program's run on macOS. */
export const OPEN_FILES_EVERY_MS = Deno.build.os === "darwin" ? 15_000 : 3_000;

export function tablePause({ isYoung, isNew, isBusy }: Pace): number {
  if (isYoung) return YOUNG_PAUSE_MS;
  return isNew || isBusy ? 1_000 : 2_000;
}

export function filePause({ agents, sessions, isHeadless, isBusy }: Pace): number {
  if (agents === 0 && sessions === 0) return 1_000;
  // A print run ends at once after its last word.
  if (isHeadless) return 100;
  return isBusy ? 200 : 500;
}

export class Rhythm {
  readonly #log: (text: string) => void;
  readonly #timers = new Map<string, number>();
  readonly #failing = new Set<string>();
  #isStopped = false;

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  /** Runs `task` now and again after each pause; it never overlaps itself. */
  loop(name: string, task: () => Promise<void>, pause: () => number): void {
    const run = async () => {
      await task().then(() => this.#failing.delete(name), (error) => this.#failed(name, error));
      if (this.#isStopped) return;
      this.#timers.set(name, setTimeout(run, pause()) as unknown as number);
    };
    void run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timers.forEach((timer) => clearTimeout(timer));
  }

  /** Once per spell of trouble: a log that repeats itself helps nobody. */
  #failed(name: string, error: unknown): void {
    if (!this.#failing.has(name)) this.#log(`estimate (${name}): ${String(error)}`);
    this.#failing.add(name);
  }
}

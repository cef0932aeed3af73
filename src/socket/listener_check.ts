/**
 * Whether a listener still takes connections. One whose process was out of descriptors for a moment
 * takes none any more, and no error says so (the runtime's doing): only a call of our own tells.
 */

import net from "node:net";
import type { Bound } from "./listener.ts";

/** In so many looks a listener that accepted nothing is called. */
const LOOKS_PER_CALL = 5;
const CALL_MS = 2_000;

export class ListenerCheck {
  readonly #path: string;
  #looks = 0;
  #accepted = 0;
  #missed = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** One unanswered call is enough now. */
  suspect(): void {
    this.#missed = 1;
    this.#accepted = -1;
  }

  /** Two calls in a row went unanswered: one may have come while this process was too busy. */
  async isLost(bound: Bound): Promise<boolean> {
    const isQuiet = this.#accepted === -1 || bound.accepted() === this.#accepted;
    this.#accepted = bound.accepted();
    if (!isQuiet) this.#looks = this.#missed = 0;
    else if (this.#missed > 0 || ++this.#looks % LOOKS_PER_CALL === 0) {
      this.#missed = await this.#isAnswered(bound) ? 0 : this.#missed + 1;
    }
    if (this.#missed < 2) return false;
    this.#looks = this.#missed = 0;
    return true;
  }

  async #isAnswered(bound: Bound): Promise<boolean> {
    const before = bound.accepted();
    const socket = net.connect(this.#path);
    socket.on("error", () => {});
    try {
      for (const end = performance.now() + CALL_MS; performance.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (bound.accepted() > before) return true;
        if (socket.destroyed) return isExcused(socket.errored);
      }
      return false;
    } finally {
      socket.destroy();
      this.#accepted = bound.accepted();
    }
  }
}

/** Without a descriptor for the call nothing is known; it is called again when there are some. */
function isExcused(error: Error | null): boolean {
  const { code } = (error ?? {}) as { code?: string };
  return error === null || code === "EMFILE" || code === "ENFILE";
}

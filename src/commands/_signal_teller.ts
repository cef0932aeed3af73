/**
 * Hands a terminal's signals over to the server: notices, and how commands ended. In order, and
 * without ever holding the stream up: what waits is bounded, and trouble is said once.
 */

import type { TerminalSignal } from "../core/estimate/terminal_signal.ts";
import { EXIT } from "../core/exit_code.ts";
import type { ControlClient, Reply } from "../socket/client.ts";
import { UnreachableError } from "../socket/unreachable.ts";
import { exitCodeOf } from "./_command.ts";

const MAX_WAITING = 100;

type Message = { readonly path: string; readonly body: unknown };

export class SignalTeller {
  readonly #surface: string;
  readonly #client: ControlClient;
  readonly #log: (text: string) => void;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #said = "";
  #status: number = EXIT.done;
  #isEnding = false;
  #isUnreachable = false;

  constructor(surface: string, client: ControlClient, log: (text: string) => void) {
    this.#surface = surface;
    this.#client = client;
    this.#log = log;
  }

  tell(signal: TerminalSignal): void {
    const message = this.#messageOf(signal);
    if (message === null || this.#waiting >= MAX_WAITING) return;
    this.#waiting++;
    this.#last = this.#last.then(() => this.#send(message)).finally(() => this.#waiting--);
  }

  /**
   * Once everything that was told has arrived, or failed. A server that does not answer is waited
   * for once, not once for each that waits.
   */
  end(): Promise<void> {
    this.#isEnding = true;
    return this.#last;
  }

  /** Done, or why the last thing that was not told was not. */
  get status(): number {
    return this.#status;
  }

  #messageOf(signal: TerminalSignal): Message | null {
    switch (signal.signal) {
      case "notice": {
        const { title, body } = signal;
        return { path: "/v1/notices", body: { surface: this.#surface, title, body } };
      }
      case "command-ended": {
        const path = `/v1/surfaces/${encodeURIComponent(this.#surface)}/finished`;
        // Without a status nobody can say how it ended.
        return signal.exitCode === null ? null : { path, body: { exitCode: signal.exitCode } };
      }
      default:
        return null;
    }
  }

  async #send({ path, body }: Message): Promise<void> {
    if (this.#isEnding && this.#isUnreachable) return;
    try {
      const reply = await this.#client.request(path, { method: "POST", body });
      if (reply.status !== 200) this.#status = EXIT.failed;
      this.#isUnreachable = false;
      this.#say(reply.status === 200 ? "" : messageOf(reply));
    } catch (error) {
      this.#status = exitCodeOf(error);
      this.#isUnreachable = error instanceof UnreachableError;
      this.#say(error instanceof Error ? error.message : String(error));
    }
  }

  #say(trouble: string): void {
    if (trouble !== "" && trouble !== this.#said) this.#log(trouble);
    this.#said = trouble;
  }
}

function messageOf({ status, body }: Reply): string {
  const { message } = body as { message?: unknown };
  return typeof message === "string" ? message : `The server answered ${status}`;
}

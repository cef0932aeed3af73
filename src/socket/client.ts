/** The control API's client: one request, or a stream of lines, over the control socket. */

import http from "node:http";
import { linesOf, refusalOf, textOf } from "./response_lines.ts";
import { checkSocketPath, explainConnect, silentError, stoppedError } from "./unreachable.ts";

export type Reply = { readonly status: number; readonly body: unknown };

/** Until the head of an answer; the server gives that of a held one at once. */
const ANSWER_MS = 30_000;

/** A process that was too busy for so long has not looked yet at what there is. */
const LAST_LOOK_MS = 50;

export type RequestOptions = {
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

export type ClientOptions = {
  readonly answerMs?: number;
  /** Who serves there, for the message of a server that does not answer. */
  readonly holder?: () => number | null;
};

export class ControlClient {
  readonly #socket: string;
  readonly #answerMs: number;
  readonly #holder: () => number | null;

  constructor(socket: string, { answerMs = ANSWER_MS, holder = () => null }: ClientOptions = {}) {
    this.#socket = socket;
    this.#answerMs = answerMs;
    this.#holder = holder;
  }

  async request(path: string, options: RequestOptions = {}): Promise<Reply> {
    const response = await this.#open(path, options);
    try {
      const body = JSON.parse(await textOf(response));
      return { status: response.statusCode ?? 0, body };
    } catch (error) {
      throw explainConnect(error as NodeJS.ErrnoException, this.#socket);
    }
  }

  /** Lines of a streamed answer, as they come; blank ones say that the server is there. */
  async *lines(path: string, options: RequestOptions = {}): AsyncGenerator<string> {
    const response = await this.#open(path, options);
    let reason;
    try {
      if (response.statusCode !== 200) throw new Error(refusalOf(await textOf(response)));
      reason = yield* linesOf(response);
    } catch (error) {
      throw explainConnect(error as NodeJS.ErrnoException, this.#socket);
    }
    if (reason === "stopping") throw stoppedError(this.#socket);
    throw new Error(`The server ended the stream: ${reason}`);
  }

  #open(path: string, { method = "GET", body, signal }: RequestOptions) {
    return new Promise<http.IncomingMessage>((resolve, reject) => {
      signal?.throwIfAborted();
      const unusable = checkSocketPath(this.#socket);
      if (unusable !== null) throw unusable;
      const { text, headers } = sendable(body);
      const request = http.request({ socketPath: this.#socket, path, method, headers });
      let response: http.IncomingMessage | undefined;
      // The runtime's own `signal` option leaves alone what the server holds.
      const abort = () => {
        reject(signal?.reason);
        response?.destroy(signal?.reason);
        request.destroy();
      };
      const forget = () => signal?.removeEventListener("abort", abort);
      signal?.addEventListener("abort", abort);
      const inTime = this.#awaitHead(() => {
        reject(silentError(this.#holder()));
        request.destroy();
      });
      request.on("response", (answer) => {
        inTime();
        response = answer;
        // Nobody may be reading it when it is aborted.
        answer.on("error", () => {});
        answer.on("close", forget);
        resolve(answer);
      });
      request.on("close", inTime);
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (response === undefined) forget();
        reject(explainConnect(error, this.#socket));
      });
      request.end(text);
    });
  }

  /** Calls `late` unless the result is called in time. */
  #awaitHead(late: () => void): () => void {
    let timer = setTimeout(() => timer = setTimeout(late, LAST_LOOK_MS), this.#answerMs);
    return () => clearTimeout(timer);
  }
}

function sendable(body: unknown): { text?: string; headers: http.OutgoingHttpHeaders } {
  if (body === undefined) return { headers: {} };
  const text = JSON.stringify(body);
  const length = new TextEncoder().encode(text).length;
  return { text, headers: { "content-type": "application/json", "content-length": length } };
}

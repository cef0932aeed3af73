/** The control API's client: one request, or a stream of lines, over the control socket. */

import http from "node:http";
import { linesOf, refusalOf, textOf } from "./response_lines.ts";

export type Reply = { readonly status: number; readonly body: unknown };

/** `blocked` is not `down`: a sandbox forbids the connection. `stopped`: it ended while it was asked. */
export type Unreachable = "down" | "blocked" | "stopped";

/** Why no server answered. */
export class UnreachableError extends Error {
  readonly why: Unreachable;

  constructor(why: Unreachable, socket: string, cause: unknown) {
    super(MESSAGES[why](socket), { cause });
    this.name = "UnreachableError";
    this.why = why;
  }
}

const MESSAGES: Readonly<Record<Unreachable, (socket: string) => string>> = {
  down: (socket) => `No mytty serves "${socket}"; start one with \`mytty serve\``,
  blocked: (socket) => `Connecting to "${socket}" is not permitted here; a sandbox blocks it`,
  stopped: (socket) => `The mytty at "${socket}" stopped; start one with \`mytty serve\``,
};

export type RequestOptions = {
  readonly method?: string;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

export class ControlClient {
  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
  }

  async request(path: string, options: RequestOptions = {}): Promise<Reply> {
    const response = await this.#open(path, options);
    const status = response.statusCode ?? 0;
    try {
      const body = JSON.parse(await textOf(response));
      if (status !== 503) return { status, body };
    } catch (error) {
      throw this.#explain(error as NodeJS.ErrnoException);
    }
    throw this.#stopped(null);
  }

  /** Lines of a streamed answer, as they come; blank ones say that the server is there. */
  async *lines(path: string, options: RequestOptions = {}): AsyncGenerator<string> {
    const response = await this.#open(path, options);
    let reason;
    try {
      if (response.statusCode !== 200) throw new Error(refusalOf(await textOf(response)));
      reason = yield* linesOf(response);
    } catch (error) {
      throw this.#explain(error as NodeJS.ErrnoException);
    }
    if (reason === "stopping") throw this.#stopped(null);
    throw new Error(`The server ended the stream: ${reason}`);
  }

  #open(path: string, { method = "GET", body, signal }: RequestOptions) {
    return new Promise<http.IncomingMessage>((resolve, reject) => {
      signal?.throwIfAborted();
      const text = body === undefined ? undefined : JSON.stringify(body);
      const request = http.request({
        socketPath: this.#socket,
        path,
        method,
        headers: text === undefined ? {} : {
          "content-type": "application/json",
          "content-length": new TextEncoder().encode(text).length,
        },
      });
      // The runtime's own `signal` option leaves alone what the server holds.
      const abort = () => {
        reject(signal?.reason);
        response?.destroy(signal?.reason);
        request.destroy();
      };
      let response: http.IncomingMessage | undefined;
      const forget = () => signal?.removeEventListener("abort", abort);
      signal?.addEventListener("abort", abort);
      request.on("response", (answer) => {
        response = answer;
        // Nobody may be reading it when it is aborted.
        answer.on("error", () => {});
        answer.on("close", forget);
        resolve(answer);
      });
      request.on("error", (error: NodeJS.ErrnoException) => {
        if (response === undefined) forget();
        reject(this.#explain(error));
      });
      request.end(text);
    });
  }

  #explain(error: NodeJS.ErrnoException): Error {
    if (error.code === "ENOENT" || error.code === "ECONNREFUSED") {
      return new UnreachableError("down", this.#socket, error);
    }
    if (error.code === "EPERM" || error.code === "EACCES") {
      return new UnreachableError("blocked", this.#socket, error);
    }
    if (error.code === "ECONNRESET" || error.code === "EPIPE") return this.#stopped(error);
    return error;
  }

  #stopped(cause: unknown): UnreachableError {
    return new UnreachableError("stopped", this.#socket, cause);
  }
}

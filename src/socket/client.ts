/** The control API's client: one request, or a stream of lines, over the control socket. */

import http from "node:http";

export type Reply = { readonly status: number; readonly body: unknown };

/** Why no server answered; `blocked` is not `down`: a sandbox forbids the connection. */
export class UnreachableError extends Error {
  readonly why: "down" | "blocked";

  constructor(why: "down" | "blocked", socket: string, cause: unknown) {
    super(
      why === "down"
        ? `No mytty serves "${socket}"; start one with \`mytty serve\``
        : `Connecting to "${socket}" is not permitted here; a sandbox blocks it`,
      { cause },
    );
    this.name = "UnreachableError";
    this.why = why;
  }
}

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
    let text = "";
    response.setEncoding("utf8");
    for await (const part of response) text += part;
    return { status: response.statusCode ?? 0, body: JSON.parse(text) };
  }

  /** Lines of a streamed answer, as they come. */
  async *lines(path: string, options: RequestOptions = {}): AsyncGenerator<string> {
    const response = await this.#open(path, options);
    response.setEncoding("utf8");
    let rest = "";
    for await (const part of response) {
      const lines = (rest + part).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
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
    return error;
  }
}

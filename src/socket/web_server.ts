/**
 * HTTP for handlers of web requests: one request per connection, with a deadline for its coming. The
 * runtime's own server keeps idle connections for ever, and ends for good when it runs out of
 * descriptors.
 */

import http from "node:http";
import net from "node:net";
import { concat } from "./bytes.ts";
import { httpText, refuseMalformed } from "./refuse_http.ts";

export type WebHandler = (request: Request) => Response | Promise<Response>;

/** What is answered here, before any handler: it is no request that one could take. */
type Refusal = { readonly status: 400 | 413; readonly error: string; readonly message: string };

type Headers = Readonly<Record<string, string>>;

/** For the whole head of the request. */
const HEAD_MS = 5_000;

/** For a request's body, which is a small JSON. */
const BODY_MS = 5_000;
const MAX_BODY_BYTES = 1_048_576;

/** The rest of a larger one is read away for this long, so that its sender reads the answer. */
const DRAIN_MS = 250;

const NO_HTTP: Refusal = { status: 400, error: "invalid-request", message: "No HTTP request" };
const NO_TARGET: Refusal = {
  status: 400,
  error: "invalid-request",
  message: "The target must be a path that begins with /",
};
const TOO_SLOW: Refusal = {
  status: 400,
  error: "invalid-request",
  message: "The body did not come within 5 seconds",
};
const TOO_LARGE: Refusal = {
  status: 413,
  error: "request-too-large",
  message: "The body has more than 1 MiB",
};

/** A server that is not listening yet; `headers` are those of its own refusals. */
export function createWebServer(handle: WebHandler, headers: Headers = {}): net.Server {
  /** Those that have not asked yet. */
  const silent = new Map<net.Socket, ReturnType<typeof setTimeout>>();
  function hear(socket: net.Socket): void {
    clearTimeout(silent.get(socket));
    silent.delete(socket);
  }

  const parser = http.createServer((incoming, outgoing) => {
    hear(incoming.socket);
    answer(incoming, outgoing, { handle, headers }).catch(() => incoming.socket.destroy());
  });
  refuseMalformed(parser, () => {
    const { status, ...rest } = NO_HTTP;
    return httpText(status, headers, JSON.stringify(rest));
  });
  const server = net.createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("close", () => hear(socket));
    silent.set(socket, setTimeout(() => socket.destroy(), HEAD_MS));
    parser.emit("connection", socket);
  });
  const close = server.close.bind(server);
  // Who has asked nothing does not hold up the end of the server.
  server.close = (done) => {
    silent.forEach((_, socket) => socket.destroy());
    return close(done);
  };
  return server;
}

async function answer(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  { handle, headers }: { readonly handle: WebHandler; readonly headers: Headers },
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const request = await webRequest(incoming, gone.signal);
  const response = "error" in request ? refused(request, headers) : await handle(request);
  if (outgoing.destroyed) return await response.body?.cancel();
  // A kept connection would be closed at the moment in which its client asks again.
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    connection: "close",
  });
  if (response.body === null) return void outgoing.end();
  await sendBody(response.body, outgoing);
}

function refused({ status, ...body }: Refusal, headers: Headers): Response {
  return Response.json(body, { status, headers });
}

/** Or why it is no request of ours: an odd target, a body that is too large or too slow. */
async function webRequest(
  incoming: http.IncomingMessage,
  signal: AbortSignal,
): Promise<Request | Refusal> {
  const { method = "GET", url = "/", headers } = incoming;
  const body = await readBody(incoming);
  if ("error" in body) return body;
  if (!url.startsWith("/")) return NO_TARGET;
  try {
    const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const hasBody = method !== "GET" && method !== "HEAD" && body.length > 0;
    return new Request(`http://mytty${url}`, {
      method,
      headers: pairs as [string, string][],
      signal,
      ...(hasBody ? { body } : {}),
    });
  } catch {
    return NO_TARGET;
  }
}

function readBody(incoming: http.IncomingMessage): Promise<Uint8Array<ArrayBuffer> | Refusal> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let length = 0;
    let drained: ReturnType<typeof setTimeout> | undefined;
    const timer = setTimeout(() => resolve(TOO_SLOW), BODY_MS);
    incoming.on("data", (part: Uint8Array) => {
      length += part.length;
      if (length <= MAX_BODY_BYTES) parts.push(part);
      else drained ??= setTimeout(() => resolve(TOO_LARGE), DRAIN_MS);
    });
    incoming.on("end", () => resolve(drained ? TOO_LARGE : concat(parts, length)));
    incoming.on("error", reject);
    incoming.on("close", () => {
      clearTimeout(timer);
      clearTimeout(drained);
      reject(new Error("Connection closed while reading the body"));
    });
  });
}

/** As fast as the client reads; when it goes away, the stream is told. */
async function sendBody(
  body: ReadableStream<Uint8Array>,
  outgoing: http.ServerResponse,
): Promise<void> {
  const reader = body.getReader();
  outgoing.on("close", () => void reader.cancel().catch(() => {}));
  // What is streamed may begin long after its head.
  outgoing.flushHeaders();
  for (;;) {
    const { value, done } = await reader.read();
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value)) await drained(outgoing);
  }
  outgoing.end();
}

function drained(outgoing: http.ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
  });
}

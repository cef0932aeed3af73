/**
 * HTTP for handlers of web requests: one request per connection, with a deadline for its coming. The
 * runtime's own server keeps idle connections for ever, and ends for good when it runs out of
 * descriptors.
 */

import http from "node:http";
import net from "node:net";
import { concat } from "./bytes.ts";

export type WebHandler = (request: Request) => Response | Promise<Response>;

/** For the whole head of the request. */
const HEAD_MS = 5_000;

/** For a request's body, which is a small JSON. */
const BODY_MS = 5_000;
const MAX_BODY_BYTES = 1_048_576;

/** A server that is not listening yet. */
export function createWebServer(handle: WebHandler): net.Server {
  /** Those that have not asked yet. */
  const silent = new Map<net.Socket, ReturnType<typeof setTimeout>>();
  function hear(socket: net.Socket): void {
    clearTimeout(silent.get(socket));
    silent.delete(socket);
  }

  const parser = http.createServer((incoming, outgoing) => {
    hear(incoming.socket);
    answer(incoming, outgoing, handle).catch(() => incoming.socket.destroy());
  });
  parser.on("clientError", (_error, socket) => socket.destroy());
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
  handle: WebHandler,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const request = await webRequest(incoming, gone.signal);
  const response = request === null ? new Response(null, { status: 400 }) : await handle(request);
  if (outgoing.destroyed) return await response.body?.cancel();
  // A kept connection would be closed at the moment in which its client asks again.
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    connection: "close",
  });
  if (response.body === null) return void outgoing.end();
  await sendBody(response.body, outgoing);
}

/** Null for what is no request of ours: an odd target, a body that is too large or too slow. */
async function webRequest(
  incoming: http.IncomingMessage,
  signal: AbortSignal,
): Promise<Request | null> {
  const { method = "GET", url = "/", headers } = incoming;
  const body = await readBody(incoming);
  if (body === null || !url.startsWith("/")) return null;
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
    return null;
  }
}

function readBody(incoming: http.IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let length = 0;
    const timer = setTimeout(() => resolve(null), BODY_MS);
    incoming.on("data", (part: Uint8Array) => {
      length += part.length;
      if (length > MAX_BODY_BYTES) resolve(null);
      else parts.push(part);
    });
    incoming.on("end", () => resolve(concat(parts, length)));
    incoming.on("error", reject);
    incoming.on("close", () => {
      clearTimeout(timer);
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

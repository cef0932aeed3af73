/** What is no HTTP request gets an answer all the same, and the end of its connection. */

import type http from "node:http";
import type { Duplex } from "node:stream";

/** Of the parser's error; none where the stream ended inside of the request's head. */
export type Malformed = { readonly code: string | null };

export function refuseMalformed(
  server: http.Server,
  refusal: (malformed: Malformed) => string,
): void {
  /** Those whose request was understood: their answer is somebody else's. */
  const heard = new WeakSet<object>();
  server.on("request", ({ socket }) => heard.add(socket));
  function refuse(socket: Duplex, malformed: Malformed): void {
    if (heard.has(socket) || !socket.writable) return void socket.destroy();
    heard.add(socket);
    socket.end(refusal(malformed));
    // What still comes is read away, so that its sender can finish.
    socket.resume();
  }
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    refuse(socket, { code: error.code ?? null });
  });
  // Before the server's own, which ends the connection without a word.
  server.prependListener("connection", (socket) => {
    socket.on("end", () => {
      if (!heard.has(socket) && socket.bytesRead > 0) refuse(socket, { code: null });
    });
  });
}

/** A whole HTTP answer, for a socket that has no response object. */
export function httpText(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  const lines = Object.entries({
    ...headers,
    "content-type": "application/json",
    "content-length": String(new TextEncoder().encode(body).length),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n${body}`;
}

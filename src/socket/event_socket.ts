/**
 * `event.sock`: one listener, two protocols. The first byte decides: an upper-case letter begins an
 * HTTP method (hook ingest), anything else is taken as an envelope line.
 */

import type http from "node:http";
import net from "node:net";
import { type Answer, answerLine, failure } from "../core/wire/answer.ts";
import { Admission, type Count } from "./admission.ts";
import { serveEnvelope } from "./envelope_connection.ts";

export type EventSocketHandlers = {
  readonly envelope: (line: string) => Promise<Answer>;
  readonly http: http.Server;
};

/**
 * Makes servers that are not listening yet; the limits hold over all of them, since the one that
 * lost its socket file still serves what it has accepted.
 */
export function eventServers(handlers: EventSocketHandlers): () => net.Server {
  const bodies = new WeakMap<net.Socket, Count>();
  handlers.http.on("request", (request) => {
    const count = bodies.get(request.socket);
    request.on("data", (part: Uint8Array) => count?.(part.length));
  });
  const admission = new Admission({
    speak: (socket, first, count) => {
      if (!isHttp(first)) {
        return serveEnvelope(socket, first, { handle: handlers.envelope, count });
      }
      bodies.set(socket, count);
      handOver(socket, first, handlers.http);
    },
    empty: (socket) => socket.end(answerLine(failure("invalid-request"))),
  });
  return () =>
    net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      socket.on("error", () => socket.destroy());
      admission.admit(socket);
    });
}

function handOver(socket: net.Socket, first: Uint8Array, server: http.Server): void {
  socket.pause();
  socket.unshift(first);
  server.emit("connection", socket);
  socket.resume();
}

function isHttp(first: Uint8Array): boolean {
  const byte = first[0] ?? 0;
  return byte >= 0x41 && byte <= 0x5a;
}

/**
 * `event.sock`: one listener, two protocols. The first byte decides: an upper-case letter begins an
 * HTTP method (hook ingest), anything else is taken as an envelope line.
 */

import type http from "node:http";
import net from "node:net";
import { type Answer, answerLine, failure } from "../core/wire/answer.ts";
import { guardDeadlines, serveEnvelope } from "./envelope_connection.ts";

/** At most this many connections are read at once; more wait in order, none is dropped. */
export const MAX_ACTIVE = 512;

export type EventSocketHandlers = {
  readonly envelope: (line: string) => Promise<Answer>;
  readonly http: http.Server;
};

/** A server that is not listening yet. Connections over the limit are paused until one ends. */
export function createEventServer(handlers: EventSocketHandlers): net.Server {
  const waiting: net.Socket[] = [];
  let active = 0;

  function start(socket: net.Socket): void {
    active++;
    socket.on("close", () => {
      active--;
      const next = waiting.shift();
      if (next !== undefined) start(next);
    });
    serveConnection(socket, handlers);
  }

  return net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    if (active < MAX_ACTIVE) start(socket);
    else waiting.push(socket);
  });
}

function serveConnection(socket: net.Socket, handlers: EventSocketHandlers): void {
  guardDeadlines(socket);
  function onFirst(first: Uint8Array): void {
    socket.off("end", onEmpty);
    if (!isHttp(first)) return serveEnvelope(socket, first, handlers.envelope);
    socket.pause();
    socket.unshift(first);
    handlers.http.emit("connection", socket);
    socket.resume();
  }
  function onEmpty(): void {
    socket.off("data", onFirst);
    socket.end(answerLine(failure("invalid-request")));
  }
  socket.once("data", onFirst);
  socket.once("end", onEmpty);
  socket.resume();
}

function isHttp(first: Uint8Array): boolean {
  const byte = first[0] ?? 0;
  return byte >= 0x41 && byte <= 0x5a;
}

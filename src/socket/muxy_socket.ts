/** `muxy.sock`: lines of protocol v3, each answered by the acknowledgement or not at all. */

import net from "node:net";
import { type Line, LineSplitter } from "../core/line_splitter.ts";
import { MUXY_ACK, MUXY_MAX_LINE_BYTES } from "../core/wire/muxy.ts";

/** A bridge is done in 0.4 s; a plugin may keep its connection for a while. */
const IDLE_MS = 60_000;

/** What is under way when the server stops gets this long for its answer. */
const LINGER_MS = 500;

/** More connections than this are refused: each sender has one. */
const MAX_CONNECTIONS = 512;

const decoder = new TextDecoder();

/** A server that is not listening yet; `receive` says whether a line is acknowledged. */
export function createMuxyServer(receive: (line: string) => Promise<boolean>): net.Server {
  const open = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    serve(socket, receive);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const close = server.close.bind(server);
  // A plugin's idle connection must not hold up the end of the server.
  server.close = (done) => {
    setTimeout(() => open.forEach((socket) => socket.destroy()), LINGER_MS);
    return close(done);
  };
  return server;
}

function serve(socket: net.Socket, receive: (line: string) => Promise<boolean>): void {
  const splitter = new LineSplitter(MUXY_MAX_LINE_BYTES);
  // One after another: acknowledgements carry no id, so their order is what tells them apart.
  let last: Promise<void> = Promise.resolve();

  function take(line: Line): void {
    if ("tooLong" in line) return;
    const text = decoder.decode(line.bytes);
    if (text.trim() === "") return;
    last = last.then(async () => {
      if (await receive(text) && socket.writable) socket.write(MUXY_ACK);
    });
  }

  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Uint8Array) => splitter.push(chunk).forEach(take));
  socket.on("end", () => {
    const rest = splitter.end();
    if (rest !== undefined) take(rest);
    void last.finally(() => socket.end());
  });
}

/** A release on loopback: files by path, what was asked for, and answers that break off. */

import { createHash } from "node:crypto";
import net from "node:net";

export type Answer = Uint8Array | { readonly broken: Uint8Array };

export class ReleaseServer {
  readonly files = new Map<string, Answer>();
  readonly asked: string[] = [];
  readonly #server: net.Server;

  constructor() {
    this.#server = net.createServer((socket) => {
      socket.on("error", () => {});
      let head = "";
      socket.on("data", (bytes) => {
        head += bytes.toString("latin1");
        if (head.includes("\r\n\r\n")) this.#answer(socket, head.split(" ")[1]!);
      });
    });
  }

  static async start(): Promise<ReleaseServer> {
    const server = new ReleaseServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`;
  }

  /** A release as the workflow makes it, of one program. */
  publish(folder: string, name: string, program: Uint8Array): void {
    this.files.set(`/${folder}/${name}`, program);
    const lines = [`${"0".repeat(64)}  mytty-other`, `${sha256(program)}  ${name}`];
    this.files.set(`/${folder}/checksums.txt`, new TextEncoder().encode(`${lines.join("\n")}\n`));
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(socket: net.Socket, path: string): void {
    this.asked.push(path);
    const answer = this.files.get(path);
    if (answer === undefined) {
      socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
      return;
    }
    const isBroken = "broken" in answer;
    const body = isBroken ? answer.broken : answer;
    const length = isBroken ? body.length * 2 : body.length;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`);
    socket.end(body);
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

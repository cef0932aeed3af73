/**
 * This side of `mytty ssh`: a socket that is forwarded to the other machine. What comes through it
 * is marked with that machine and speaks for the one pane that ssh runs in; the pane's capability
 * never leaves this machine, and pids of another system are dropped.
 */

import { Buffer } from "node:buffer";
import net from "node:net";
import { isObject, parseJson } from "../core/json.ts";
import { ORIGIN_VARIABLE, RELAY_VARIABLE } from "../core/placement/origin.ts";
import { HOOK_HEADERS, type SurfaceClaim } from "../core/wire/hook_request.ts";

export type RelayOptions = {
  readonly path: string;
  readonly eventSocket: string;
  readonly claim: SurfaceClaim;
  readonly host: string;
};

export type Relay = { readonly close: () => Promise<void> };

const MAX_HEAD_BYTES = 65_537;
const IDLE_MS = 10_000;
const HEAD_END = "\r\n\r\n";
/** Told by the other machine, and meaningless or not its to say here. */
const DROPPED: ReadonlySet<string> = new Set([
  HOOK_HEADERS.surface,
  HOOK_HEADERS.capability,
  HOOK_HEADERS.pid,
  "connection",
]);

export async function openRelay(options: RelayOptions): Promise<Relay> {
  const open = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    open.add(client);
    client.on("close", () => open.delete(client));
    relay(client, options);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.path, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        open.forEach((client) => client.destroy());
      }),
  };
}

function relay(client: net.Socket, options: RelayOptions): void {
  let head = Buffer.alloc(0);
  const end = () => client.destroy();
  client.setTimeout(IDLE_MS, end).on("error", end);
  const isWhole = (ended: boolean) => ended || headLength(head) > 0 || head.length > MAX_HEAD_BYTES;
  const pass = (ended: boolean) => {
    if (!isWhole(ended)) return;
    client.removeAllListeners("data").removeAllListeners("end");
    client.pause();
    const length = headLength(head) || head.length;
    const upstream = net.connect({ path: options.eventSocket, allowHalfOpen: true });
    upstream.on("error", end);
    upstream.write(rewritten(head.subarray(0, length), options));
    upstream.write(head.subarray(length));
    if (ended) upstream.end();
    else client.pipe(upstream);
    upstream.pipe(client);
    client.resume();
  };
  client.on("data", (part: Buffer) => {
    head = Buffer.concat([head, part]);
    pass(false);
  });
  client.on("end", () => pass(true));
}

function isHttp(bytes: Buffer): boolean {
  return bytes[0] !== undefined && bytes[0] >= 65 && bytes[0] <= 90;
}

/** Bytes of the HTTP head or of the envelope's line; 0 while it is not whole. */
function headLength(bytes: Buffer): number {
  const mark = isHttp(bytes) ? HEAD_END : "\n";
  const at = bytes.indexOf(mark);
  return at < 0 ? 0 : at + mark.length;
}

function rewritten(head: Buffer, options: RelayOptions): Buffer {
  const text = head.toString("latin1");
  if (!isHttp(head)) return envelopeOf(head, options);
  if (!text.endsWith(HEAD_END)) return head;
  const { claim, host } = options;
  const kept = text.slice(0, -HEAD_END.length).split("\r\n").filter((line, at) =>
    at === 0 || !isDropped(line)
  );
  const added = [
    `${HOOK_HEADERS.surface}: ${claim.surfaceID}`,
    `${HOOK_HEADERS.capability}: ${claim.capability ?? ""}`,
    `${HOOK_HEADERS.env}: ${ORIGIN_VARIABLE}=${host}`,
    `${HOOK_HEADERS.env}: ${RELAY_VARIABLE}=1`,
    "connection: close",
  ];
  return Buffer.from([...kept, ...added].join("\r\n") + HEAD_END, "latin1");
}

function isDropped(line: string): boolean {
  const [name = "", value = ""] = line.split(/:\s*/, 2);
  if (DROPPED.has(name.toLowerCase())) return true;
  const isOwn = value.startsWith(`${ORIGIN_VARIABLE}=`) || value.startsWith(`${RELAY_VARIABLE}=`);
  return name.toLowerCase() === HOOK_HEADERS.env && isOwn;
}

/** An envelope for our pane without a capability gets ours; any other goes on as it is. */
function envelopeOf(line: Buffer, { claim }: RelayOptions): Buffer {
  const value = parseJson(line.toString("utf8").trim());
  if (!isObject(value) || value.capability !== "") return line;
  const event = value.event;
  const surface = isObject(event) ? event.surfaceID : undefined;
  if (!isObject(surface) || surface.rawValue !== claim.surfaceID) return line;
  return Buffer.from(`${JSON.stringify({ ...value, capability: claim.capability })}\n`);
}

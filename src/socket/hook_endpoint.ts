/**
 * Hook ingest over HTTP (protocol 3.2): reads the payload, untouched, as far as it comes, and
 * answers what became of it. Everything about its meaning is the hook receiver's.
 */

import http from "node:http";
import { JsonEnd } from "../core/json_end.ts";
import { type Answer, answerLine, type ErrorCode, failure } from "../core/wire/answer.ts";
import {
  HOOK_PATH,
  type HookRequest,
  hookRequest,
  MAX_PAYLOAD_BYTES,
} from "../core/wire/hook_request.ts";
import { concat } from "./bytes.ts";
import { httpText, type Malformed, refuseMalformed } from "./refuse_http.ts";

/** `payload`: at most the cap; one that fills it was cut, here or by its sender. */
export type HookHandler = (request: HookRequest, payload: Uint8Array) => Promise<Answer>;

const STATUS: Readonly<Record<ErrorCode, number>> = {
  "invalid-request": 400,
  "unauthorized": 401,
  "request-too-large": 413,
  "internal-error": 500,
};

/** Every variable that a hook may send, each at its longest. */
const MAX_HEADER_BYTES = 65_536;

/** The rest of a payload over the cap is read away for this long, so that its sender can finish. */
const DRAIN_MS = 250;

/** An HTTP server that is never bound: connections are handed to it by the event socket. */
export function createHookServer(handle: HookHandler): http.Server {
  const server = http.createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    answerRequest(request, handle).catch(() => failure("internal-error")).then((answer) =>
      reply(response, answer)
    );
  });
  // `Expect: 100-continue` is answered by node itself.
  refuseMalformed(server, refusal);
  return server;
}

/** A line that only begins like a request is answered as a line. */
function refusal({ code }: Malformed): string {
  const error = code === "HPE_HEADER_OVERFLOW" ? "request-too-large" : "invalid-request";
  const body = answerLine(failure(error));
  const isLine = code === null || code === "HPE_INVALID_METHOD";
  return isLine ? body : httpText(STATUS[error], {}, body);
}

async function answerRequest(
  request: http.IncomingMessage,
  handle: HookHandler,
): Promise<Answer> {
  // Read first, also for a wrong path: a sender that is cut off while writing reads no answer.
  const payload = await readPayload(request);
  const provider = providerOf(request);
  if (provider === null) return failure("invalid-request");
  return await handle(hookRequest(provider, headerPairs(request.rawHeaders)), payload);
}

function providerOf({ method, url = "" }: http.IncomingMessage): string | null {
  if (method !== "POST" || !url.startsWith(HOOK_PATH)) return null;
  const word = url.slice(HOOK_PATH.length);
  return /^[a-z0-9-]{1,64}$/.test(word) ? word : null;
}

function* headerPairs(raw: readonly string[]): Generator<[string, string]> {
  for (let at = 0; at + 1 < raw.length; at += 2) {
    // Node reads header bytes as Latin-1; ours are UTF-8.
    yield [raw[at]!.toLowerCase(), decodeLatin1(raw[at + 1]!)];
  }
}

function decodeLatin1(text: string): string {
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  return new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
}

/** Ends at the end of the body or of its JSON, whichever is first; what is over the cap is cut off. */
function readPayload(request: http.IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const end = new JsonEnd();
    const parts: Uint8Array[] = [];
    let length = 0;
    let drained: ReturnType<typeof setTimeout> | undefined;
    function finish(): void {
      clearTimeout(drained);
      resolve(concat(parts, Math.min(length, MAX_PAYLOAD_BYTES)));
    }
    request.on("data", (chunk: Uint8Array) => {
      if (length > MAX_PAYLOAD_BYTES) return;
      parts.push(chunk);
      length += chunk.length;
      if (length > MAX_PAYLOAD_BYTES) drained = setTimeout(finish, DRAIN_MS);
      else if (end.push(chunk)) finish();
    });
    request.on("end", finish);
    request.on("error", reject);
    request.on("close", () => reject(new Error("Connection closed while reading the payload")));
  });
}

function reply(response: http.ServerResponse, answer: Answer): void {
  const body = answerLine(answer);
  response.writeHead(answer.ok ? 200 : STATUS[answer.error], {
    "content-type": "application/json",
    "content-length": String(body.length),
    connection: "close",
  });
  response.end(body);
}

/** Sends one hook over the event socket: at most three attempts inside the caller's deadline. */

import { HOOK_PATH } from "../core/wire/hook_request.ts";
import { ATTEMPTS, PAUSE_MS } from "../core/wire/hook_timing.ts";

export type HookMessage = {
  readonly socket: string;
  readonly provider: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly payload: Uint8Array;
  /** A `performance.now()` time. */
  readonly deadline: number;
};

/** What is left to do after a failure: try again, write to the spool, or nothing. */
export type Sent =
  | { readonly error: null }
  | { readonly error: string; readonly then: "retry" | "spool" | "give-up" };

export async function sendHook(message: HookMessage): Promise<Sent> {
  let sent: Sent = { error: "no time left to send", then: "spool" };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const left = message.deadline - performance.now();
    if (left <= 0) return sent;
    sent = await withDeadline(attemptOnce(message), left);
    if (sent.error === null || sent.then !== "retry") return sent;
    if (message.deadline - performance.now() <= PAUSE_MS) return sent;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return sent;
}

async function attemptOnce(message: HookMessage): Promise<Sent> {
  let connection: Deno.UnixConn | undefined;
  try {
    connection = await Deno.connect({ transport: "unix", path: message.socket });
    await writeAll(connection, requestHead(message));
    await writeAll(connection, message.payload);
    return readAnswer(await readAll(connection));
  } catch (error) {
    return describe(error);
  } finally {
    connection?.close();
  }
}

function requestHead({ provider, headers, payload }: HookMessage): Uint8Array {
  const lines = [
    `POST ${HOOK_PATH}${encodeURIComponent(provider)} HTTP/1.1`,
    "host: mytty",
    "content-type: application/json",
    `content-length: ${payload.length}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
}

function readAnswer(text: string): Sent {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  if (status === 200) return { error: null };
  if (status === 0) return { error: "the server closed without an answer", then: "retry" };
  const code = /"error":"([a-z-]{1,40})"/.exec(text)?.[1] ?? "no reason";
  return { error: `the server refused: ${code}`, then: status < 500 ? "give-up" : "retry" };
}

async function writeAll(connection: Deno.UnixConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function readAll(connection: Deno.UnixConn): Promise<string> {
  const buffer = new Uint8Array(4_096);
  let length = 0;
  while (length < buffer.length) {
    const read = await connection.read(buffer.subarray(length));
    if (read === null) break;
    length += read;
  }
  return new TextDecoder().decode(buffer.subarray(0, length));
}

async function withDeadline(sent: Promise<Sent>, left: number): Promise<Sent> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Sent>((resolve) => {
    timer = setTimeout(
      () => resolve({ error: "the server did not answer in time", then: "spool" }),
      left,
    );
  });
  const result = await Promise.race([sent, late]);
  clearTimeout(timer);
  return result;
}

/**
 * Four causes that a person mends in four different ways. Where nobody listens there is nothing to
 * wait for: the spool keeps the event, and the agent is not held up by pauses.
 */
function describe(error: unknown): Sent {
  if (error instanceof Deno.errors.NotFound) {
    return { error: "no server: the socket is not there", then: "spool" };
  }
  if (error instanceof Deno.errors.ConnectionRefused) {
    return { error: "no server: nobody listens", then: "spool" };
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    return { error: "connecting is not permitted here (sandbox?)", then: "spool" };
  }
  return { error: error instanceof Error ? error.message : String(error), then: "retry" };
}

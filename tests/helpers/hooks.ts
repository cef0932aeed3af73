/** Posting hooks the way their senders do: raw HTTP over the event socket. */

import { exchange } from "./daemon.ts";

export type HookPost = {
  readonly provider?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly method?: string;
  readonly path?: string;
};

export type HookReply = { readonly status: number; readonly body: string };

/** A text is sent as it is, anything else as JSON. */
export function hookRequestText(post: HookPost = {}): string {
  const { provider = "claude-code", headers = {}, body = {}, method = "POST" } = post;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const lines = [
    `${method} ${post.path ?? `/v1/hooks/${provider}`} HTTP/1.1`,
    "host: mytty",
    `content-length: ${new TextEncoder().encode(text).length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
}

export async function postHook(socket: string, post: HookPost = {}): Promise<HookReply> {
  return replyOf(await exchange(socket, hookRequestText(post), { end: false }));
}

export function replyOf(text: string): HookReply {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
  return { status, body: text.slice(text.indexOf("\r\n\r\n") + 4) };
}

/** A prompt of a session: the simplest hook that starts a run. */
export function promptPayload(sessionID: string, fields: Record<string, unknown> = {}) {
  return {
    session_id: sessionID,
    hook_event_name: "UserPromptSubmit",
    prompt: "Do it",
    cwd: "/work",
    ...fields,
  };
}

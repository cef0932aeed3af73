/** Channels over HTTP: a webhook (the notice as JSON) and ntfy (its publishing form). */

import type { Notice, NoticeKind } from "../core/notify/notice.ts";
import type { Channel, Delivery } from "./channel.ts";
import { noticeJson } from "./command.ts";

export class WebhookChannel implements Channel {
  readonly name = "webhook";

  async deliver({ notice, config, signal }: Delivery): Promise<string | null> {
    const { url, headers, timeout } = config.channels.webhook;
    if (url === undefined) return "no url is configured";
    await post(url, { headers, body: noticeJson(notice), signal, timeout });
    return null;
  }
}

export class NtfyChannel implements Channel {
  readonly name = "ntfy";

  async deliver({ notice, config, signal }: Delivery): Promise<string | null> {
    const { url, topic, token, timeout } = config.channels.ntfy;
    if (topic === undefined) return "no topic is configured";
    const headers: Record<string, string> = token === undefined
      ? {}
      : { authorization: `Bearer ${token}` };
    await post(url, { headers, body: ntfyMessage(topic, notice), signal, timeout });
    return null;
  }
}

const PRIORITY: Readonly<Record<NoticeKind, number>> = {
  "approval-request": 4,
  "input-request": 4,
  failure: 4,
  disconnect: 3,
  completion: 3,
  message: 3,
};

/** Pure. JSON rather than headers: titles are not limited to Latin letters. */
export function ntfyMessage(topic: string, { title, body, kind }: Notice) {
  // An empty message would be shown as "triggered".
  return {
    topic,
    title,
    message: body === "" ? title : body,
    priority: PRIORITY[kind],
    tags: [kind],
  };
}

type Post = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly timeout: number;
};

async function post(url: string, { headers, body, signal, timeout }: Post): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    // The receiver is the one that was configured, not one that it names.
    redirect: "manual",
    signal: limit,
  }).catch(() => {
    // The cause names the address, which may hold a secret.
    limit.throwIfAborted();
    throw new Error("The receiver cannot be reached");
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The receiver answered with status ${response.status}`);
}

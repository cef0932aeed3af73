/** OpenAI's Responses API, streamed (`POST …/responses`). */

import { type Adapter, type ApiRequest, partsOf, type Sink } from "./adapter.ts";
import { type Call, callOf } from "./calls.ts";
import { personsWords } from "./persons_words.ts";
import type { Conversation, Step } from "./script.ts";

type Item = {
  readonly type?: string;
  readonly role?: string;
  readonly content?: string | readonly { readonly text?: string }[];
};

type Send = (type: string, fields?: object) => void;

export const RESPONSES: Adapter = {
  name: "responses",
  matches: (method, path) => method === "POST" && path.endsWith("/responses"),
  fixed: (method, path) =>
    method === "GET" && path.endsWith("/models")
      ? { object: "list", data: [], models: [] }
      : undefined,
  conversation,
  reply,
};

function conversation(body: Record<string, unknown>): Conversation {
  const input: readonly Item[] = typeof body.input === "string"
    ? [{ role: "user", content: body.input }]
    : (body.input ?? []) as readonly Item[];
  const tools = ((body.tools ?? []) as readonly { name?: string; type: string }[])
    .map(({ name, type }) => name ?? type);
  let toolResults = 0;
  for (const item of input.toReversed()) {
    if (item.type?.endsWith("_output")) toolResults++;
    const user = item.role === "user" ? personsWords(textOf(item)) : "";
    if (user !== "") return { user, toolResults, tools };
  }
  return { user: "", toolResults, tools };
}

function textOf({ content = "" }: Item): string {
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("\n");
}

async function reply(step: Step, { body, conversation }: ApiRequest, sink: Sink): Promise<void> {
  if (step.kind === "error") {
    const type = step.status === 429 ? "rate_limit_exceeded" : "server_error";
    const message = `The script wants error ${step.status}`;
    return sink.json(step.status, { error: { type, code: null, message } });
  }
  let sequence_number = 0;
  const send: Send = (type, fields = {}) =>
    sink.send({ type, sequence_number: sequence_number++, ...fields }, type);
  const response = {
    id: `resp_${crypto.randomUUID()}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    status: "in_progress",
    model: body.model,
    output: [],
    usage: null,
  };
  sink.open();
  send("response.created", { response });
  const call = callOf(step, conversation.tools);
  const item = call === undefined ? await sendText(step, sink, send) : sendCall(call, send);
  if (step.kind === "cut") return sink.cut();
  send("response.output_item.done", { output_index: 0, item });
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  };
  const completed = { ...response, status: "completed", output: [item], usage };
  send("response.completed", { response: completed });
  sink.end();
}

async function sendText(step: Step, sink: Sink, send: Send): Promise<object> {
  const item = { type: "message", id: `msg_${crypto.randomUUID()}`, role: "assistant" };
  const at = { item_id: item.id, output_index: 0, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [] };
  send("response.output_item.added", {
    output_index: 0,
    item: { ...item, status: "in_progress", content: [] },
  });
  send("response.content_part.added", { ...at, part });
  let text = "";
  for await (const delta of partsOf(step, sink)) {
    text += delta;
    send("response.output_text.delta", { ...at, delta });
  }
  return { ...item, status: "completed", content: [{ ...part, text }] };
}

function sendCall({ name, input }: Call, send: Send): object {
  const item = {
    type: "function_call",
    id: `fc_${crypto.randomUUID()}`,
    call_id: `call_${crypto.randomUUID()}`,
    name,
    arguments: JSON.stringify(input),
    status: "completed",
  };
  send("response.output_item.added", {
    output_index: 0,
    item: { ...item, arguments: "", status: "in_progress" },
  });
  return item;
}

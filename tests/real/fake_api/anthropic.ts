/** Anthropic's Messages API, streamed (`POST …/v1/messages`). */

import { type Adapter, type ApiRequest, partsOf, type Sink } from "./adapter.ts";
import { callOf } from "./calls.ts";
import { personsWords } from "./persons_words.ts";
import type { Conversation, Step } from "./script.ts";

type Block = { readonly type: string; readonly text?: string };
type Message = { readonly role: string; readonly content: string | readonly Block[] };

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export const ANTHROPIC: Adapter = {
  name: "anthropic",
  matches: (method, path) => method === "POST" && path.endsWith("/v1/messages"),
  fixed: (method, path) =>
    method === "POST" && path.endsWith("/messages/count_tokens") ? { input_tokens: 10 } : undefined,
  conversation,
  reply,
};

function conversation(body: Record<string, unknown>): Conversation {
  const messages = (body.messages ?? []) as readonly Message[];
  const tools = ((body.tools ?? []) as readonly { name: string }[]).map(({ name }) => name);
  let toolResults = 0;
  for (const { role, content } of messages.toReversed()) {
    if (role !== "user") continue;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    // What was refused or failed before and the next prompt come as one message: the last counts.
    const user = blocks.map(wordsIn).findLast((words) => words !== "");
    if (user !== undefined) return { user, toolResults, tools };
    toolResults += blocks.filter(({ type }) => type === "tool_result").length;
  }
  return { user: "", toolResults, tools };
}

function wordsIn({ type, text = "" }: Block): string {
  return type === "text" ? personsWords(text) : "";
}

async function reply(step: Step, { body, conversation }: ApiRequest, sink: Sink): Promise<void> {
  if (step.kind === "error") {
    const type = ERROR_TYPES[step.status] ?? "api_error";
    const error = { type, message: `The script wants error ${step.status}` };
    return sink.json(step.status, { type: "error", error });
  }
  const call = callOf(step, conversation.tools);
  const stop_reason = call === undefined ? "end_turn" : "tool_use";
  const message = {
    id: `msg_${crypto.randomUUID()}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content: [] as unknown[],
    stop_reason: null as string | null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  };
  const use = call && { type: "tool_use", id: `toolu_${crypto.randomUUID()}`, ...call };
  if (body.stream !== true) {
    const content = use === undefined ? [{ type: "text", text: await allOf(step, sink) }] : [use];
    return sink.json(200, { ...message, content, stop_reason });
  }
  const send = (type: string, fields: object = {}) => sink.send({ type, ...fields }, type);
  sink.open();
  send("message_start", { message });
  if (use === undefined) {
    send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
    for await (const text of partsOf(step, sink)) {
      send("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
    }
  } else {
    const delta = { type: "input_json_delta", partial_json: JSON.stringify(use.input) };
    send("content_block_start", { index: 0, content_block: { ...use, input: {} } });
    send("content_block_delta", { index: 0, delta });
  }
  if (step.kind === "cut") return sink.cut();
  send("content_block_stop", { index: 0 });
  const delta = { stop_reason, stop_sequence: null };
  send("message_delta", { delta, usage: { output_tokens: 5 } });
  send("message_stop");
  sink.end();
}

async function allOf(step: Step, sink: Sink): Promise<string> {
  const parts = await Array.fromAsync(partsOf(step, sink));
  return parts.join("");
}

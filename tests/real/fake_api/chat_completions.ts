/** OpenAI's chat completions, streamed or whole (`POST …/chat/completions`). */

import { type Adapter, type ApiRequest, partsOf, type Sink } from "./adapter.ts";
import { callOf } from "./calls.ts";
import { personsWords } from "./persons_words.ts";
import type { Conversation, Step } from "./script.ts";

type Message = {
  readonly role: string;
  readonly content?: string | readonly { readonly text?: string }[] | null;
};

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export const CHAT_COMPLETIONS: Adapter = {
  name: "chat completions",
  matches: (method, path) => method === "POST" && path.endsWith("/chat/completions"),
  fixed: (method, path) =>
    method === "GET" && path.endsWith("/models")
      ? { object: "list", data: [{ id: "fake-model", object: "model", owned_by: "fake" }] }
      : undefined,
  conversation,
  reply,
};

function conversation(body: Record<string, unknown>): Conversation {
  const messages = (body.messages ?? []) as readonly Message[];
  const offered = (body.tools ?? []) as readonly { function?: { name: string } }[];
  const tools = offered.flatMap((tool) => tool.function?.name ?? []);
  let toolResults = 0;
  for (const message of messages.toReversed()) {
    if (message.role === "tool") toolResults++;
    const user = message.role === "user" ? lastWords(message) : "";
    if (user !== "") return { user, toolResults, tools };
  }
  return { user: "", toolResults, tools };
}

/** A prompt that came to nothing is sent again, as a part in front of the next one. */
function lastWords({ content }: Message): string {
  if (typeof content === "string") return personsWords(content);
  const parts = (content ?? []).map(({ text = "" }) => personsWords(text));
  return parts.findLast((text) => text !== "") ?? "";
}

async function reply(step: Step, request: ApiRequest, sink: Sink): Promise<void> {
  if (step.kind === "error") {
    const type = step.status === 429 ? "rate_limit_error" : "invalid_request_error";
    const message = `The script wants error ${step.status}`;
    return sink.json(step.status, { error: { message, type, code: `script_${step.status}` } });
  }
  const { body, conversation } = request;
  const call = callOf(step, conversation.tools);
  const toolCalls = call && [{
    index: 0,
    id: `call_${crypto.randomUUID()}`,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  }];
  const finish_reason = toolCalls === undefined ? "stop" : "tool_calls";
  const about = {
    id: `chatcmpl-${crypto.randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: body.model,
  };
  if (body.stream !== true) {
    const text = (await Array.fromAsync(partsOf(step, sink))).join("");
    if (step.kind === "cut") return sink.cut();
    const message = toolCalls === undefined
      ? { role: "assistant", content: text }
      : { role: "assistant", content: null, tool_calls: toolCalls };
    const choices = [{ index: 0, message, finish_reason }];
    return sink.json(200, { ...about, object: "chat.completion", choices, usage: USAGE });
  }
  const chunk = (choices: readonly unknown[], rest: object = {}) =>
    sink.send({ ...about, object: "chat.completion.chunk", choices, ...rest });
  const send = (delta: object, finish: string | null = null) =>
    chunk([{ index: 0, delta, finish_reason: finish }]);
  sink.open();
  send({ role: "assistant", content: "" });
  for await (const content of partsOf(step, sink)) send({ content });
  if (step.kind === "cut") return sink.cut();
  if (toolCalls !== undefined) send({ tool_calls: toolCalls });
  send({}, finish_reason);
  chunk([], { usage: USAGE });
  sink.send("[DONE]");
  sink.end();
}

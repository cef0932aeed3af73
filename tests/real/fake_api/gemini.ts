/** Gemini's API, streamed or whole (`POST …/models/<model>:[stream]generateContent`). */

import { type Adapter, type ApiRequest, partsOf, type Sink } from "./adapter.ts";
import { callOf } from "./calls.ts";
import { personsWords } from "./persons_words.ts";
import type { Conversation, Step } from "./script.ts";

type Part = { readonly text?: string; readonly functionResponse?: unknown };
type Content = { readonly role?: string; readonly parts?: readonly Part[] };
type Tool = { readonly functionDeclarations?: readonly { readonly name: string }[] };

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

export const GEMINI: Adapter = {
  name: "gemini",
  matches: (method, path) => method === "POST" && /:(streamG|g)enerateContent$/.test(path),
  fixed: (method, path) =>
    method === "POST" && path.endsWith(":countTokens") ? { totalTokens: 10 } : undefined,
  conversation,
  reply,
};

function conversation(body: Record<string, unknown>): Conversation {
  const contents = (body.contents ?? []) as readonly Content[];
  const tools = ((body.tools ?? []) as readonly Tool[])
    .flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
  let toolResults = 0;
  for (const { role, parts = [] } of contents.toReversed()) {
    if (role === "model") continue;
    // What came to nothing, a prompt or a call, is sent again in front of the next prompt.
    const words = parts.map(({ text = "" }) => personsWords(text));
    const user = words.findLast((text) => text !== "");
    if (user !== undefined) return { user, toolResults, tools };
    toolResults += parts.filter(({ functionResponse }) => functionResponse !== undefined).length;
  }
  return { user: "", toolResults, tools };
}

async function reply(step: Step, { path, conversation }: ApiRequest, sink: Sink): Promise<void> {
  if (step.kind === "error") {
    const message = `The script wants error ${step.status}`;
    const status = STATUSES[step.status] ?? "UNKNOWN";
    return sink.json(step.status, { error: { code: step.status, message, status } });
  }
  const call = callOf(step, conversation.tools);
  const functionCall = call && { id: crypto.randomUUID(), name: call.name, args: call.input };
  const responseId = crypto.randomUUID();
  const answer = (parts: readonly object[], finishReason?: string) => ({
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    responseId,
  });
  if (!path.includes(":streamGenerateContent")) {
    const text = (await Array.fromAsync(partsOf(step, sink))).join("");
    if (step.kind === "cut") return sink.cut();
    return sink.json(200, answer([functionCall ? { functionCall } : { text }], "STOP"));
  }
  sink.open();
  for await (const text of partsOf(step, sink)) sink.send(answer([{ text }]));
  if (step.kind === "cut") return sink.cut();
  sink.send(answer([functionCall ? { functionCall } : { text: "" }], "STOP"));
  sink.end();
}

/** One adapter per wire: how a model API's requests are read and its answers are written. */

import type { Conversation, Step } from "./script.ts";

export type ApiRequest = {
  readonly method: string;
  /** With its query, such as `/v1beta/models/m:streamGenerateContent?alt=sse`. */
  readonly path: string;
  /** The parsed body; `{}` where there is none or it is no JSON. */
  readonly body: Record<string, unknown>;
  readonly conversation: Conversation;
};

/** The answer on its way. Everything is a no-op once the agent has left. */
export type Sink = {
  /** A whole answer. */
  json(status: number, value: unknown): void;
  /** Begins a stream; `text/event-stream` unless told otherwise. */
  open(contentType?: string): void;
  /** One server-sent event; `data` is written as JSON, or as it is when it is a string. */
  send(data: unknown, event?: string): void;
  /** Text as it is. */
  write(text: string): void;
  end(): void;
  /** Breaks the connection. */
  cut(): void;
  /** Waits; true while the agent still listens. */
  pause(ms: number): Promise<boolean>;
};

export type Adapter = {
  readonly name: string;
  /** Whether this is a request for an answer of the model; `path` is without its query. */
  matches(method: string, path: string): boolean;
  /** What else this wire is asked for, such as the list of models: an answer, or undefined. */
  fixed?(method: string, path: string): unknown;
  conversation(body: Record<string, unknown>): Conversation;
  reply(step: Step, request: ApiRequest, sink: Sink): Promise<void>;
};

/** The parts of a text step's answer, in their pace; ends early when the agent has left. */
export async function* partsOf(step: Step, sink: Sink): AsyncGenerator<string> {
  if (step.kind === "text") yield step.text;
  if (step.kind === "cut") {
    yield "Half an ";
    await sink.pause(200);
  }
  if (step.kind !== "slow") return;
  if (step.text === "") {
    await sink.pause(step.seconds * 1000);
    return;
  }
  const words = step.text.split(" ");
  // One at least every half second, so that a long answer visibly goes on.
  const count = Math.max(words.length, Math.ceil(step.seconds * 2));
  for (let index = 0; index < count; index++) {
    yield `${index === 0 ? "" : " "}${words[index] ?? "and"}`;
    if (!await sink.pause(step.seconds * 1000 / count)) return;
  }
}

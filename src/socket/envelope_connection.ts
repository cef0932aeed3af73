/**
 * One envelope per connection (protocol 3.1): read a line within the deadlines, answer once, keep
 * draining so that the client can read the answer, close.
 */

import type { Socket } from "node:net";
import { type Answer, answerLine, failure } from "../core/wire/answer.ts";
import { MAX_LINE_BYTES } from "../core/wire/envelope.ts";
import { LineSplitter } from "../core/line_splitter.ts";

/** A peer that sends nothing for this long, or is not done in this time, gets no answer. */
export const IDLE_MS = 2_000;
export const TOTAL_MS = 5_000;
const LAST_LOOK_MS = 20;

export type EnvelopeHandlers = {
  readonly handle: (line: string) => Promise<Answer>;
  /** Told of every part that is kept until the answer, the first one excepted. */
  readonly count: (bytes: number) => void;
};

/** Serves `socket`, whose first bytes are `first`; `handle` answers a complete line. */
export function serveEnvelope(
  socket: Socket,
  first: Uint8Array,
  { handle, count }: EnvelopeHandlers,
): void {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  let isAnswered = false;

  function answer(result: Answer): void {
    if (socket.destroyed) return;
    socket.end(answerLine(result));
  }
  function take(line: ReturnType<LineSplitter["end"]>): void {
    if (line === undefined || isAnswered) return;
    isAnswered = true;
    if ("tooLong" in line) return answer(failure("request-too-large"));
    // Invalid UTF-8 becomes replacement characters: what is stored is always well-formed.
    handle(new TextDecoder().decode(line.bytes)).then(
      answer,
      () => answer(failure("internal-error")),
    );
  }
  function push(chunk: Uint8Array): void {
    take(splitter.push(chunk)[0]);
  }

  socket.on("data", (chunk: Uint8Array) => {
    if (isAnswered) return;
    count(chunk.length);
    push(chunk);
  });
  socket.on("end", () => {
    // An empty request is as invalid as any other that is no JSON.
    if (!isAnswered) take(splitter.end() ?? { bytes: new Uint8Array() });
  });
  push(first);
}

/**
 * Closes a slow, half-open or lingering connection without an answer. The result calls that off, for
 * one that is not read any more.
 */
export function guardDeadlines(socket: Socket): () => void {
  const total = setTimeout(() => socket.destroy(), TOTAL_MS);
  // A server that was too busy for so long has not looked yet at what there is.
  const onIdle = () => {
    const { bytesRead } = socket;
    setTimeout(() => socket.bytesRead === bytesRead && socket.destroy(), LAST_LOOK_MS);
  };
  const stop = () => clearTimeout(total);
  socket.setTimeout(IDLE_MS, onIdle);
  socket.on("close", stop);
  return () => {
    stop();
    socket.setTimeout(0, onIdle);
    socket.off("close", stop);
  };
}

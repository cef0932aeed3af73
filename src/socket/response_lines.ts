/** The bodies of the control API's answers: a text, a refusal's sentence, or lines as they come. */

import type http from "node:http";
import { type StreamEndReason, streamEndReason } from "../core/wire/stream_end.ts";

export async function textOf(response: http.IncomingMessage): Promise<string> {
  let text = "";
  response.setEncoding("utf8");
  for await (const part of response) text += part;
  return text;
}

export function refusalOf(text: string): string {
  return (JSON.parse(text) as { message?: string }).message ?? text;
}

/** Until the line that says why no more come; a stream that ends without it was cut off. */
export async function* linesOf(
  response: http.IncomingMessage,
): AsyncGenerator<string, StreamEndReason> {
  response.setEncoding("utf8");
  let rest = "";
  for await (const part of response) {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const reason = streamEndReason(line);
      if (reason !== null) return reason;
      yield line;
    }
  }
  return "stopping";
}

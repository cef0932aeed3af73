/** The control API as any HTTP client sees it: status, headers, body, and streams line by line. */

import http from "node:http";

export type HttpOptions = {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

export type HttpReply = {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
};

/** A text body is sent as it is, anything else as JSON. */
export function openRequest(
  socketPath: string,
  path: string,
  { method = "GET", body, headers = {}, signal }: HttpOptions = {},
): Promise<http.IncomingMessage> {
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const options = { socketPath, path, method, headers, ...(signal ? { signal } : {}) };
    http.request(options, resolve).on("error", reject).end(text);
  });
}

export async function request(
  socketPath: string,
  path: string,
  options: HttpOptions = {},
): Promise<HttpReply> {
  const response = await openRequest(socketPath, path, options);
  response.setEncoding("utf8");
  let text = "";
  for await (const part of response) text += part;
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/** Everything a stream says until `isDone` says that it is enough, or it ends. */
export async function readStream(
  response: http.IncomingMessage,
  isDone: (text: string) => boolean,
): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  for await (const part of response) {
    text += part;
    if (isDone(text)) break;
  }
  response.destroy();
  return text;
}

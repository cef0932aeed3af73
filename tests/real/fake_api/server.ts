/** A fake model API on loopback: finds the wire by the path, and plays the prompt's script. */

import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Adapter, ApiRequest, Sink } from "./adapter.ts";
import { ADAPTERS } from "./adapters.ts";
import { nextStep, type Step } from "./script.ts";

/** One request, as failures show it. */
export type Recorded = {
  readonly method: string;
  readonly path: string;
  readonly wire?: string;
  readonly user?: string;
  readonly toolResults?: number;
  readonly step?: Step;
  readonly error?: string;
};

export type FakeApi = {
  readonly url: string;
  readonly requests: readonly Recorded[];
  close(): Promise<void>;
};

export async function startFakeApi(): Promise<FakeApi> {
  const requests: Recorded[] = [];
  const server = http.createServer((request, response) => {
    answer(request, response, requests).catch((error) => {
      requests.push({ method: request.method!, path: request.url!, error: String(error) });
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  requests: Recorded[],
): Promise<void> {
  const method = request.method ?? "GET";
  const path = request.url ?? "/";
  const body = parsed(await textOf(request));
  const plainPath = path.split("?")[0]!;
  const sink = sinkOf(response);
  const adapter = ADAPTERS.find((adapter) => adapter.matches(method, plainPath));
  if (adapter === undefined) {
    const fixed = fixedOf(method, plainPath);
    requests.push({ method, path });
    if (fixed !== undefined) return sink.json(200, fixed);
    return sink.json(404, { error: { type: "not_found_error", message: "Not scripted" } });
  }
  const conversation = adapter.conversation(body);
  const step = nextStep(conversation);
  const { user, toolResults } = conversation;
  requests.push({ method, path, wire: adapter.name, user: user.slice(-200), toolResults, step });
  const asked: ApiRequest = { method, path, body, conversation };
  await adapter.reply(step, asked, sink);
}

function fixedOf(method: string, path: string): unknown {
  const answers = (adapter: Adapter) => adapter.fixed?.(method, path);
  return ADAPTERS.map(answers).find((answer) => answer !== undefined);
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of request) text += decoder.decode(part, { stream: true });
  return text;
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch {
    return {};
  }
}

function sinkOf(response: http.ServerResponse): Sink {
  let hasLeft = false;
  const left = new Promise<void>((resolve) =>
    response.on("close", () => {
      hasLeft = true;
      resolve();
    })
  );
  const write = (text: string) => {
    if (!hasLeft) response.write(text);
  };
  return {
    json: (status, value) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    },
    open: (contentType = "text/event-stream") => {
      response.writeHead(200, { "content-type": contentType, "cache-control": "no-cache" });
    },
    send: (data, event) => {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      write(`${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`);
    },
    write,
    end: () => {
      if (!hasLeft) response.end();
    },
    cut: () => {
      response.destroy();
    },
    pause: async (ms) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await Promise.race([left, new Promise((resolve) => timer = setTimeout(resolve, ms))]);
      clearTimeout(timer);
      return !hasLeft;
    },
  };
}

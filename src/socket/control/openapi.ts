/** The control API's description, made from the same schemas that validate it. */

import { z } from "zod";
import { ESTIMATE_OPERATIONS } from "./estimate_operations.ts";
import { NOTIFY_OPERATIONS } from "./notify_operations.ts";
import * as schema from "./schema.ts";

export type Operation = {
  readonly method: "get" | "post" | "delete";
  readonly path: string;
  readonly summary: string;
  readonly answer?: z.ZodType;
  /** A line of the stream that it answers with; blank lines between them say that it lives. */
  readonly line?: z.ZodType;
  readonly request?: z.ZodType;
  readonly query?: Readonly<Record<string, string>>;
};

export const OPERATIONS: readonly Operation[] = [
  { method: "get", path: "/v1/status", summary: "The server itself", answer: schema.status },
  {
    method: "get",
    path: "/v1/list",
    summary: "Every pane, and sessions without one",
    answer: schema.list,
    query: { active: "1 = only open sessions and live runs" },
  },
  {
    method: "get",
    path: "/v1/surfaces",
    summary: "Every pane",
    answer: schema.surfaces,
    query: { active: "1 = only open sessions and live runs" },
  },
  {
    method: "post",
    path: "/v1/surfaces",
    summary: "Open a surface; the only time its capability is told",
    request: schema.openRequest,
    answer: schema.opened,
  },
  {
    method: "post",
    path: "/v1/surfaces/{id}/finished",
    summary: "Report the end of the command that ran in the surface; `close` closes it as well",
    request: schema.finishedRequest,
    answer: schema.closed,
  },
  {
    method: "delete",
    path: "/v1/surfaces/{id}",
    summary: "Close a surface, revoke its capability and acknowledge its items",
    answer: schema.closed,
  },
  {
    method: "get",
    path: "/v1/runs",
    summary: "The runs of the retention time, the latest first",
    answer: schema.runs,
    query: { active: "1 = only live ones", limit: "At most this many, 1 to 1000" },
  },
  {
    method: "get",
    path: "/v1/runs/{id}",
    summary: "One run",
    answer: schema.run,
  },
  {
    method: "get",
    path: "/v1/events",
    summary: "The log by position; `follow=1` streams NDJSON, or server-sent events by Accept",
    answer: schema.events,
    line: schema.eventRow,
    query: {
      after: "Position to go on from",
      limit: "At most this many, 1 to 1000",
      run: "Only this run",
      follow: "1 = stream",
    },
  },
  {
    method: "get",
    path: "/v1/attention",
    summary: "What needs a person",
    answer: schema.attention,
    query: { all: "1 = also what is resolved or acknowledged, for 24 hours" },
  },
  {
    method: "post",
    path: "/v1/attention/ack",
    summary: "Acknowledge items by id (or unique beginning), or all",
    request: schema.ackRequest,
    answer: schema.acked,
  },
  {
    method: "post",
    path: "/v1/wait",
    summary:
      "Held until the condition is met, its pane is closed, or the time is over; a server that stops cuts it off",
    request: schema.waitRequest,
    answer: schema.waitAnswer,
  },
  {
    method: "get",
    path: "/v1/providers",
    summary: "What was heard of each provider",
    answer: schema.providers,
  },
  ...NOTIFY_OPERATIONS,
  ...ESTIMATE_OPERATIONS,
];

export function openApi(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "mytty control API",
      version,
      description:
        "On control.sock; over TCP (`serve --http`) with a bearer token, and only to read",
    },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    paths,
  };
}

function describe(operation: Operation) {
  const { summary, request, query = {}, path } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query).map(([name, description]) => ({
    name,
    in: "query",
    description,
    schema: { type: "string" },
  }));
  return {
    summary,
    parameters: [...inPath, ...inQuery],
    ...(request === undefined
      ? {}
      : { requestBody: { required: true, content: content(request) } }),
    responses: {
      "200": { description: "Done", content: answers(operation) },
      default: { description: "Not done", content: content(schema.failed) },
    },
  };
}

function answers({ answer, line }: Operation) {
  return {
    ...(answer === undefined ? {} : content(answer)),
    ...(line === undefined ? {} : STREAMS.reduce(
      (streams, type) => ({ ...streams, [type]: jsonSchema(z.union([line, schema.streamEnd])) }),
      {},
    )),
  };
}

const STREAMS = ["application/x-ndjson", "text/event-stream"];

function jsonSchema(type: z.ZodType) {
  return { schema: z.toJSONSchema(type, { io: "input" }) };
}

function content(type: z.ZodType) {
  return { "application/json": jsonSchema(type) };
}

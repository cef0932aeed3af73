/** The descriptions of the watch's and the notifications' routes. */

import * as schema from "./notify_schema.ts";
import type { Operation } from "./openapi.ts";

export const NOTIFY_OPERATIONS: readonly Operation[] = [
  {
    method: "get",
    path: "/v1/watch",
    summary: "Streams a snapshot, then every change, as NDJSON or server-sent events",
    line: schema.watchLine,
  },
  {
    method: "get",
    path: "/v1/status-line",
    summary: "One short line: how many agents need you, work, are done, went wrong",
    answer: schema.statusLine,
  },
  {
    method: "get",
    path: "/v1/notifications",
    summary: "The last 200 notices, newest first, with what each channel did and why",
    answer: schema.notifications,
  },
  {
    method: "get",
    path: "/v1/channels",
    summary: "Which channels are used, and how their last delivery went",
    answer: schema.channels,
  },
  {
    method: "post",
    path: "/v1/notifications/test",
    summary: "Deliver a test notice now, on one channel or all active ones",
    request: schema.testRequest,
    answer: schema.notification,
  },
  {
    method: "post",
    path: "/v1/notices",
    summary: "A notice that a program in a pane gave its terminal (OSC 9, 99, 777)",
    request: schema.noticeRequest,
    answer: schema.noticed,
  },
  {
    method: "get",
    path: "/v1/agents",
    summary: "Muxy's list of agents: working, waiting or idle",
    answer: schema.agents,
  },
  {
    method: "get",
    path: "/v1/agents/events",
    summary: "Streams Muxy's extension events: agent.status, notification.posted",
    line: schema.agentEvent,
  },
];

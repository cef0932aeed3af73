/** Kimi Code's `wire.jsonl` of the main agent (recorded in 2.1.0). */

import { type JsonObject, objectAt, own, stringAt } from "../../json.ts";
import {
  contentText,
  type Reading,
  sessionReading,
  timeOf,
  type TranscriptSpec,
  turnReading,
} from "../../estimate/reading.ts";

type Memory = {
  readonly sessionID: string;
  /** Open requests: their own id to that of the call, by which hooks know them. */
  readonly calls: Map<string, string>;
};

type Line = { readonly memory: Memory; readonly line: JsonObject };

const ENDS: Readonly<Record<string, "succeeded" | "failed" | "idle">> = {
  completed: "succeeded",
  cancelled: "idle",
  aborted: "idle",
  failed: "failed",
  error: "failed",
};

const LINES: Readonly<Record<string, (at: Line) => Reading[]>> = {
  metadata: ({ memory, line }) => [
    sessionReading({ sessionID: memory.sessionID, at: timeOf(line.created_at) }),
  ],
  "turn.prompt": prompted,
  "interaction.request": asked,
  "interaction.resolved": resolved,
  "turn.ended": ended,
};

function read(memory: Memory, line: JsonObject): Reading[] {
  const type = stringAt(line, "type") ?? "";
  const agent = stringAt(line, "agentId");
  if (!Object.hasOwn(LINES, type) || (agent !== undefined && agent !== "main")) return [];
  return LINES[type]!({ memory, line });
}

/** A turn that nobody typed goes on with background work. */
function prompted(at: Line): Reading[] {
  at.memory.calls.clear();
  const message = contentText(own(at.line, "input"));
  const isTyped = stringAt(objectAt(at.line, "origin") ?? {}, "kind") === "user";
  return [turn(at, {
    kind: "started",
    ...(isTyped ? {} : { continuation: true }),
    ...(message === undefined ? {} : { message }),
  })];
}

function asked(at: Line): Reading[] {
  const id = stringAt(at.line, "id") ?? "";
  const call = stringAt(at.line, "toolCallId") ?? id;
  at.memory.calls.set(id, call);
  const request = objectAt(at.line, "request") ?? {};
  const toolName = stringAt(request, "toolName");
  const message = stringAt(request, "action", "description");
  return [turn(at, {
    kind: at.line.kind === "approval" ? "approval-requested" : "input-requested",
    requestKey: call,
    toolUseID: call,
    ...(toolName === undefined ? {} : { toolName }),
    ...(message === undefined ? {} : { message }),
  })];
}

function resolved(at: Line): Reading[] {
  const id = stringAt(at.line, "id") ?? "";
  const call = at.memory.calls.get(id);
  at.memory.calls.delete(id);
  return call === undefined ? [] : [turn(at, { kind: "running", settles: [call] })];
}

function ended(at: Line): Reading[] {
  const kind = ENDS[stringAt(at.line, "reason") ?? ""] ?? "idle";
  const message = stringAt(objectAt(at.line, "error") ?? {}, "message");
  return [turn(at, { kind, ...(message === undefined ? {} : { message }) })];
}

type Parts = Omit<Parameters<typeof turnReading>[0], "sessionID" | "turnKey" | "at" | "mark">;

/** Hooks name no turn: what is not a start is about the current run. */
function turn({ memory, line }: Line, parts: Parts): Reading {
  const at = timeOf(line.time);
  const mark = `${line.turnId ?? ""} ${stringAt(line, "promptId", "id") ?? ""} ${at} ${line.type}`;
  return turnReading({ sessionID: memory.sessionID, turnKey: null, at, mark, ...parts });
}

export const kimiTranscript: TranscriptSpec = {
  base: { env: [{ name: "KIMI_CODE_HOME" }], home: ".kimi-code" },
  form: "jsonl",
  find: ({ sessionID }) =>
    sessionID === null ? [] : [`sessions/*/${sessionID}/agents/main/wire.jsonl`],
  sessionOf: (path) =>
    /\/sessions\/[^/]+\/([^/]+)\/agents\/main\/wire\.jsonl$/.exec(path)?.[1] ?? null,
  reader: (sessionID) => {
    const memory: Memory = { sessionID, calls: new Map() };
    return (line) => read(memory, line);
  },
  absentIsIdle: true,
};

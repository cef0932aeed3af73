/** Copilot's `events.jsonl` (recorded in 1.0.102): permissions, aborts and errors, which no hook tells. */

import { arrayAt, type JsonObject, objectAt, own, stringAt } from "../../json.ts";
import { type Reading, timeOf, type TranscriptSpec, turnReading } from "../../estimate/reading.ts";

type Memory = {
  readonly sessionID: string;
  /** Calls that the step's message asked for: the turn goes on after them. Null before it. */
  calls: number | null;
};

type Event = { readonly memory: Memory; readonly line: JsonObject; readonly data: JsonObject };

const EVENTS: Readonly<Record<string, (event: Event) => Reading[]>> = {
  "user.message": prompted,
  "assistant.message": ({ memory, data }) => {
    memory.calls = (arrayAt(data, "toolRequests") ?? []).length;
    return [];
  },
  "assistant.turn_start": ({ memory }) => {
    memory.calls = null;
    return [];
  },
  "assistant.turn_end": stepEnded,
  "permission.requested": asked,
  "permission.completed": answered,
  "abort": (event) => [turn(event, { kind: "idle" })],
  "session.error": failed,
};

function read(memory: Memory, line: JsonObject): Reading[] {
  const type = stringAt(line, "type") ?? "";
  // A sub-agent's events name it; they are no business of the pane.
  if (!Object.hasOwn(EVENTS, type) || line.agentId !== undefined) return [];
  return EVENTS[type]!({ memory, line, data: objectAt(line, "data") ?? {} });
}

/** A queued message, or one that an agent sent itself, begins no turn. */
function prompted(event: Event): Reading[] {
  const { data } = event;
  const source = stringAt(data, "source");
  if (data.delivery === "queued" || (source !== undefined && source !== "user")) return [];
  const message = stringAt(data, "content");
  return [turn(event, { kind: "started", ...(message === undefined ? {} : { message }) })];
}

/** One step of the model, not the turn: that ends with the step that said something and asked nothing. */
function stepEnded(event: Event): Reading[] {
  return event.memory.calls === 0 ? [turn(event, { kind: "succeeded" })] : [];
}

function asked(event: Event): Reading[] {
  const { data } = event;
  if (data.resolvedByHook === true) return [];
  const request = objectAt(data, "permissionRequest") ?? {};
  const toolUseID = stringAt(request, "toolCallId");
  const message = stringAt(request, "fullCommandText", "intention", "path", "url");
  return [turn(event, {
    kind: "approval-requested",
    requestKey: stringAt(data, "requestId") ?? "",
    weak: true,
    ...(toolUseID === undefined ? {} : { toolUseID }),
    ...(message === undefined ? {} : { message }),
  })];
}

function answered(event: Event): Reading[] {
  const kind = stringAt(objectAt(event.data, "result") ?? {}, "kind");
  // A refusal without a word ends the turn, which `abort` tells.
  if (kind === "cancelled") return [];
  return [turn(event, { kind: "running", settles: "all" })];
}

function failed(event: Event): Reading[] {
  const message = stringAt(event.data, "message") ?? stringAt(event.data, "errorType");
  return [turn(event, { kind: "failed", ...(message === undefined ? {} : { message }) })];
}

type Parts = Omit<Parameters<typeof turnReading>[0], "sessionID" | "turnKey" | "at" | "mark">;

/** Its hooks name no turn either: what is not a start is about the current run. */
function turn({ memory, line }: Event, parts: Parts): Reading {
  const at = timeOf(line.timestamp);
  const mark = stringAt(line, "id") ?? `${own(line, "timestamp")} ${own(line, "type")}`;
  return turnReading({ sessionID: memory.sessionID, turnKey: null, at, mark, ...parts });
}

export const copilotTranscript: TranscriptSpec = {
  base: { env: [{ name: "COPILOT_HOME" }], home: ".copilot" },
  form: "jsonl",
  find: ({ sessionID }) => sessionID === null ? [] : [`session-state/${sessionID}/events.jsonl`],
  sessionOf: (path) => /\/session-state\/([^/]+)\/events\.jsonl$/.exec(path)?.[1] ?? null,
  // Open as long as the session is this process's own.
  besideOpen: (path) => {
    const folder = /^(.*\/session-state\/[^/]+)\/inuse\.\d+\.hold$/.exec(path)?.[1];
    return folder === undefined ? null : `${folder}/events.jsonl`;
  },
  reader: (sessionID) => {
    const memory: Memory = { sessionID, calls: null };
    return (line) => read(memory, line);
  },
  absentIsIdle: true,
};

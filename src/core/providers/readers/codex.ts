/** Codex's rollout files (recorded in 0.171.0): turn by turn, without approvals. */

import { isObject, type JsonObject, objectAt, own, parseJson, stringAt } from "../../json.ts";
import {
  type Reading,
  sessionReading,
  timeOf,
  type TranscriptSpec,
  turnReading,
  uuidInName,
} from "../../estimate/reading.ts";

type Memory = {
  readonly sessionID: string;
  turnKey: string | null;
  /** A sub-agent's, a reviewer's or a title's thread belongs to no person. */
  isInternal: boolean;
  hasMeta: boolean;
  neverAsks: boolean;
};

type Line = { readonly memory: Memory; readonly line: JsonObject; readonly payload: JsonObject };

type LineReader = (at: Line) => Reading[];

const LINES: Readonly<Record<string, LineReader>> = {
  "session_meta": meta,
  "turn_context": ({ memory, payload }) => {
    memory.neverAsks = payload.approval_policy === "never";
    return [];
  },
  "event_msg/task_started": begun,
  "event_msg/turn_started": begun,
  "event_msg/task_complete": complete,
  "event_msg/turn_complete": complete,
  "event_msg/turn_aborted": (at) => [turn(at, { kind: "idle" })],
  "response_item/function_call": called,
  "response_item/custom_tool_call": called,
  "response_item/function_call_output": answered,
  "response_item/custom_tool_call_output": answered,
};

function read(memory: Memory, line: JsonObject): Reading[] {
  const payload = objectAt(line, "payload") ?? {};
  const type = stringAt(line, "type") ?? "";
  const name = LINES[type] === undefined ? `${type}/${stringAt(payload, "type") ?? ""}` : type;
  if (!Object.hasOwn(LINES, name)) return [];
  return memory.isInternal && name !== "session_meta"
    ? []
    : LINES[name]!({ memory, line, payload });
}

/** A fork begins with a copy of its parent's lines, the parent's own first line among them. */
function meta({ memory, line, payload }: Line): Reading[] {
  if (memory.hasMeta) return [];
  memory.hasMeta = true;
  const { source, originator } = payload;
  memory.isInternal = isObject(source);
  if (memory.isInternal) return [];
  if (originator === "codex_exec") memory.neverAsks = true;
  const at = timeOf(payload.timestamp) ?? timeOf(line.timestamp);
  return [sessionReading({ sessionID: memory.sessionID, at })];
}

function begun(at: Line): Reading[] {
  at.memory.turnKey = stringAt(at.payload, "turn_id") ?? stringAt(at.line, "timestamp") ?? null;
  return [turn(at, { kind: "started" })];
}

function complete(at: Line): Reading[] {
  const error = objectAt(at.payload, "error");
  if (error !== undefined) {
    const message = stringAt(error, "message");
    return [turn(at, { kind: "failed", ...(message === undefined ? {} : { message }) })];
  }
  const message = stringAt(at.payload, "last_agent_message");
  return [turn(at, { kind: "succeeded", ...(message === undefined ? {} : { message }) })];
}

/** A call that needs a person's word waits until its output is written. */
function called(at: Line): Reading[] {
  const callID = stringAt(at.payload, "call_id", "id") ?? "";
  if (stringAt(at.payload, "name") === "request_user_input") {
    return [
      turn(at, { kind: "input-requested", requestKey: callID, toolUseID: callID, weak: true }),
    ];
  }
  const parsed = parseJson(stringAt(at.payload, "arguments") ?? "");
  const input = isObject(parsed) ? parsed : {};
  const asks = own(input, "sandbox_permissions") === "require_escalated" ||
    own(input, "with_escalated_permissions") === true;
  if (!asks || at.memory.neverAsks) return [];
  const message = stringAt(input, "cmd", "command", "justification");
  return [turn(at, {
    kind: "approval-requested",
    requestKey: callID,
    toolUseID: callID,
    weak: true,
    ...(message === undefined ? {} : { message }),
  })];
}

function answered(at: Line): Reading[] {
  const callID = stringAt(at.payload, "call_id", "id") ?? "";
  return [turn(at, { kind: "running", settles: [callID] })];
}

type Parts = Omit<Parameters<typeof turnReading>[0], "sessionID" | "turnKey" | "at" | "mark">;

function turn({ memory, line, payload }: Line, parts: Parts): Reading {
  const at = timeOf(line.timestamp);
  const turnKey = stringAt(payload, "turn_id") ?? memory.turnKey;
  const mark = `${line.ordinal ?? ""} ${line.timestamp ?? ""} ${payload.type ?? ""}`;
  return turnReading({ sessionID: memory.sessionID, turnKey, at, mark, ...parts });
}

export const codexTranscript: TranscriptSpec = {
  base: { env: [{ name: "CODEX_HOME" }], home: ".codex" },
  form: "jsonl",
  // The folder of a day: a session that runs over midnight stays in the one it began in.
  find: ({ sessionID }) =>
    sessionID === null ? [] : [`sessions/*/*/*/rollout-*${sessionID}*.jsonl`],
  sessionOf: (path) => /\/rollout-[^/]*\.jsonl$/.test(path) ? uuidInName(path) : null,
  reader: (sessionID) => {
    const memory: Memory = {
      sessionID,
      turnKey: null,
      isInternal: false,
      hasMeta: false,
      neverAsks: false,
    };
    return (line) => read(memory, line);
  },
  absentIsIdle: true,
};

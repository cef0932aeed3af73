/** Qwen Code's chat files and its sessions folder (recorded in 0.24.4). */

import { arrayAt, isObject, type JsonObject, objectAt, own, stringAt } from "../../json.ts";
import {
  type LiveStatusSpec,
  type Reading,
  timeOf,
  type TranscriptSpec,
  turnReading,
  uuidInName,
} from "../../estimate/reading.ts";

const BASE = { env: [{ name: "QWEN_HOME" }], home: ".qwen" } as const;

/** The program's own words for a call that the person refused or stopped; the turn ends with it. */
const CANCELLED = "[Operation Cancelled]";

type Line = { readonly sessionID: string; readonly line: JsonObject };

function read(at: Line): Reading[] {
  const { line } = at;
  // Claude Code's lines have the same types, and another message.
  const isOurs = arrayAt(objectAt(line, "message") ?? {}, "parts") !== undefined;
  if (!isOurs && line.type !== "system") return [];
  switch (line.type) {
    case "user":
      return line.provenance === undefined || line.provenance === "real_user" ? prompted(at) : [];
    case "assistant":
      return said(at);
    case "tool_result":
      return answered(at);
    case "system":
      return telemetry(at);
    default:
      return [];
  }
}

function prompted(at: Line): Reading[] {
  const message = textOf(at.line);
  return [turn(at, { kind: "started", ...(message === undefined ? {} : { message }) })];
}

/** A step without a call is the last one. */
function said(at: Line): Reading[] {
  const calls = partsOf(at.line).filter((part) => part.functionCall !== undefined);
  if (calls.length > 0) return [];
  const message = textOf(at.line);
  return [
    turn(at, { kind: "succeeded", weak: true, ...(message === undefined ? {} : { message }) }),
  ];
}

function answered(at: Line): Reading[] {
  const responses = partsOf(at.line).map((part) => objectAt(part, "functionResponse") ?? {});
  const errors = responses.map((each) => stringAt(objectAt(each, "response") ?? {}, "error") ?? "");
  if (errors.some((error) => error.startsWith(CANCELLED))) return [turn(at, { kind: "idle" })];
  const settles = responses.map((each) => stringAt(each, "id") ?? "");
  return [turn(at, { kind: "running", settles })];
}

/** Every failed try is told; whether another follows is not. */
function telemetry(at: Line): Reading[] {
  const event = objectAt(objectAt(at.line, "systemPayload") ?? {}, "uiEvent") ?? {};
  if (own(event, "event.name") !== "qwen-code.api_error") return [];
  const message = stringAt(event, "error_message", "error");
  return [turn(at, { kind: "failed", weak: true, ...(message === undefined ? {} : { message }) })];
}

function partsOf(line: JsonObject): JsonObject[] {
  return (arrayAt(objectAt(line, "message") ?? {}, "parts") ?? []).filter(isObject);
}

function textOf(line: JsonObject): string | undefined {
  const texts = partsOf(line).flatMap((part) =>
    part.thought === true ? [] : stringAt(part, "text") ?? []
  );
  return texts.length === 0 ? undefined : texts.join("\n");
}

type Parts = Omit<Parameters<typeof turnReading>[0], "sessionID" | "turnKey" | "at" | "mark">;

function turn({ sessionID, line }: Line, parts: Parts): Reading {
  const at = timeOf(line.timestamp);
  const mark = stringAt(line, "uuid") ?? String(at);
  return turnReading({ sessionID, turnKey: null, at, mark, ...parts });
}

function slug(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, "-");
}

export const qwenTranscript: TranscriptSpec = {
  base: BASE,
  form: "jsonl",
  find: ({ sessionID, cwd }) => {
    const folders = cwd === null ? [] : [`projects/${slug(cwd)}/chats`];
    if (sessionID === null) return folders.map((folder) => `${folder}/*.jsonl`);
    return [...folders, "projects/*/chats"].map((folder) => `${folder}/${sessionID}.jsonl`);
  },
  sessionOf: (path) => /\/chats\/[^/]+\.jsonl$/.test(path) ? uuidInName(path) : null,
  reader: (sessionID) => (line) => read({ sessionID, line }),
  absentIsIdle: true,
};

/** Names the session of a process, and nothing of what it does. */
export const qwenLiveStatus: LiveStatusSpec = {
  base: BASE,
  fileOf: (pid) => `sessions/${pid}.json`,
  read: (value, owner) => {
    const sessionID = stringAt(value, "sessionId");
    if (sessionID === undefined || value.pid !== owner.pid) return null;
    const [, ticks] = (stringAt(value, "procStart") ?? "").split(":");
    const own = owner.startTime.split("@")[0];
    if (ticks !== undefined && /^\d+$/.test(own ?? "") && ticks !== own) return null;
    const cwd = stringAt(value, "cwd") ?? null;
    return { sessionID, phase: null, asks: "input", at: null, cwd, message: null };
  },
};

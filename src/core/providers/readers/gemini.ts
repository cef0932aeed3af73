/**
 * Gemini CLI's chat files (recorded in 0.61.0). They tell what no hook does: a refused permission
 * and a cancelled request, at once. The file is removed at the end when there was no answer.
 */

import { arrayAt, isObject, type JsonObject, stringAt } from "../../json.ts";
import {
  contentText,
  type Reading,
  timeOf,
  type TranscriptSpec,
  turnReading,
} from "../../estimate/reading.ts";

/** The program's own notice; it has no other mark. */
const CANCELLED = "Request cancelled.";

/** Put in by the program at the beginning, and again after a cancelled request. */
const INJECTED = /^<session_context>/;

type Line = { readonly sessionID: string; readonly line: JsonObject };

function read(at: Line): Reading[] {
  const { line } = at;
  switch (line.type) {
    case "user":
      return prompted(at);
    case "gemini":
      return said(at);
    case "info":
      return line.content === CANCELLED ? [turn(at, { kind: "idle" })] : [];
    case "error":
      return failed(at);
    default:
      return [];
  }
}

/** Tool results are written as the person's words as well, without text. */
function prompted(at: Line): Reading[] {
  const message = contentText(at.line.content);
  if (message === undefined || INJECTED.test(message)) return [];
  return [turn(at, { kind: "started", message })];
}

/** A message is written again when its calls are done: only then are they in it. */
function said(at: Line): Reading[] {
  const calls = (arrayAt(at.line, "toolCalls") ?? []).filter(isObject);
  if (calls.some(({ status }) => status === "cancelled")) return [turn(at, { kind: "idle" })];
  if (calls.length > 0) {
    const settles = calls.map((call) => stringAt(call, "id") ?? "");
    return [turn(at, { kind: "running", settles })];
  }
  const message = contentText(at.line.content)?.trim();
  return message ? [turn(at, { kind: "succeeded", weak: true, message })] : [];
}

function failed(at: Line): Reading[] {
  const message = contentText(at.line.content);
  return [turn(at, { kind: "failed", ...(message === undefined ? {} : { message }) })];
}

type Parts = Omit<Parameters<typeof turnReading>[0], "sessionID" | "turnKey" | "at" | "mark">;

function turn({ sessionID, line }: Line, parts: Parts): Reading {
  const at = timeOf(line.timestamp);
  // A message that is written again keeps its time, although its calls end later.
  const told = line.type === "gemini" && line.toolCalls !== undefined ? null : at;
  const mark = `${stringAt(line, "id") ?? at} ${line.type} ${parts.kind}`;
  return turnReading({ sessionID, turnKey: null, at: told, mark, ...parts });
}

export const geminiTranscript: TranscriptSpec = {
  base: { env: [{ name: "GEMINI_CLI_HOME", under: ".gemini" }], home: ".gemini" },
  form: "jsonl",
  find: ({ sessionID, cwd }) => {
    if (sessionID !== null) return [`tmp/*/chats/session-*-${sessionID.slice(0, 8)}.jsonl`];
    const name = cwd?.split("/").at(-1) ?? "";
    return name === "" ? [] : [`tmp/${name}/chats/session-*.jsonl`];
  },
  // The name holds the beginning of the id; the first line holds all of it.
  sessionOf: (path) => /\/chats\/session-[^/]*-([0-9a-f]{8})\.jsonl$/.exec(path)?.[1] ?? null,
  idOfHead: (line) => stringAt(line, "sessionId") ?? null,
  reader: (sessionID) => (line) => read({ sessionID, line }),
  absentIsIdle: true,
};

/** Pi's session files (recorded in 1.6.0). Retries and dialogs are not in them. */

import { type JsonObject, objectAt, own, stringAt } from "../../json.ts";
import {
  contentText,
  type Reading,
  sessionReading,
  timeOf,
  type TranscriptSpec,
  turnReading,
  uuidInName,
} from "../../estimate/reading.ts";

type Line = { readonly sessionID: string; readonly line: JsonObject; readonly message: JsonObject };

function read(sessionID: string, line: JsonObject): Reading[] {
  if (line.type === "session") return [sessionReading({ sessionID, at: timeOf(line.timestamp) })];
  if (line.type !== "message") return [];
  const message = objectAt(line, "message") ?? {};
  switch (message.role) {
    case "user":
      return [turn({ sessionID, line, message }, { kind: "started", ...told(message) })];
    case "assistant":
      return said({ sessionID, line, message });
    default:
      return [];
  }
}

function said(at: Line): Reading[] {
  switch (at.message.stopReason) {
    case "stop":
    case "length":
      return [turn(at, { kind: "succeeded", ...told(at.message) })];
    case "aborted":
      return [turn(at, { kind: "idle" })];
    case "error": {
      const message = stringAt(at.message, "errorMessage");
      // Another try may follow, which only its extension events tell.
      return [
        turn(at, { kind: "failed", weak: true, ...(message === undefined ? {} : { message }) }),
      ];
    }
    default:
      return [];
  }
}

function told(message: JsonObject): { message?: string } {
  const text = contentText(own(message, "content"));
  return text === undefined ? {} : { message: text };
}

type Parts = Omit<Parameters<typeof turnReading>[0], "sessionID" | "turnKey" | "at" | "mark">;

function turn({ sessionID, line }: Line, parts: Parts): Reading {
  const at = timeOf(line.timestamp);
  const mark = stringAt(line, "id") ?? String(at);
  return turnReading({ sessionID, turnKey: null, at, mark, ...parts });
}

export const piTranscript: TranscriptSpec = {
  base: { env: [{ name: "PI_CODING_AGENT_DIR" }], home: ".pi/agent" },
  form: "jsonl",
  find: ({ sessionID, cwd }) => {
    if (sessionID !== null) return [`sessions/*/*_${sessionID}.jsonl`];
    return cwd === null ? [] : [`sessions/--${cwd.slice(1).replaceAll("/", "-")}--/*.jsonl`];
  },
  sessionOf: (path) => /\/sessions\/[^/]+\/[^/]+\.jsonl$/.test(path) ? uuidInName(path) : null,
  reader: (sessionID) => (line) => read(sessionID, line),
  absentIsIdle: true,
};

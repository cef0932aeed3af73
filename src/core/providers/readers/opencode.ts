/**
 * OpenCode's database (1.x): messages of a session. The user message's id is the turn's key, as in
 * the plugin's events. Permissions and questions are not stored.
 */

import { type JsonObject, objectAt, stringAt } from "../../json.ts";
import { type Reading, timeOf, type TranscriptSpec, turnReading } from "../../estimate/reading.ts";

function read(sessionID: string, row: JsonObject): Reading[] {
  const key = stringAt(row, "rowKey") ?? "";
  const time = objectAt(row, "time") ?? {};
  if (row.role === "user") {
    const at = timeOf(time.created);
    return [turnReading({ kind: "started", sessionID, turnKey: key, at, mark: key })];
  }
  if (row.role !== "assistant") return [];
  const turnKey = stringAt(row, "parentID") ?? null;
  const about = { sessionID, turnKey, at: timeOf(time.completed) };
  const error = objectAt(row, "error");
  if (error !== undefined) return [failed(error, { ...about, mark: `${key} error` })];
  // A step that asked for tools is followed by another.
  if (time.completed === undefined || row.finish === "tool-calls") return [];
  return [turnReading({ ...about, kind: "succeeded", weak: true, mark: `${key} completed` })];
}

type About = Pick<Parameters<typeof turnReading>[0], "sessionID" | "turnKey" | "at" | "mark">;

function failed(error: JsonObject, about: About): Reading {
  const name = stringAt(error, "name");
  if (name === "MessageAbortedError") return turnReading({ ...about, kind: "idle" });
  const message = stringAt(objectAt(error, "data") ?? {}, "message") ?? name;
  return turnReading({
    ...about,
    kind: "failed",
    ...(message === undefined ? {} : { message }),
  });
}

export const opencodeTranscript: TranscriptSpec = {
  base: { env: [{ name: "XDG_DATA_HOME", under: "opencode" }], home: ".local/share/opencode" },
  form: "sqlite",
  find: ({ sessionID }) => sessionID === null ? [] : ["opencode.db"],
  // One database holds all sessions.
  sessionOf: () => null,
  reader: (sessionID) => (row) => read(sessionID, row),
  absentIsIdle: true,
  query: {
    sql: `SELECT id AS key, data AS value FROM (
            SELECT id, data FROM message WHERE session_id = ? ORDER BY id DESC LIMIT 40
          ) ORDER BY id`,
    parameters: (sessionID) => [sessionID],
    sessions: {
      file: "opencode.db",
      sql: `SELECT id FROM session
            WHERE directory = ? AND parent_id IS NULL AND time_updated >= ?
            ORDER BY time_updated DESC LIMIT 2`,
    },
  },
};

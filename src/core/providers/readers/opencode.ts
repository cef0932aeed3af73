/**
 * OpenCode's database (recorded in 1.18.33): messages of a session, and the tool calls of the last
 * ones. The user message's id is the turn's key, as in the plugin's events.
 *
 * A question is a call of its tool that goes on. A permission is not stored: a call that waits for
 * one looks like a call at work.
 */

import { type JsonObject, objectAt, stringAt } from "../../json.ts";
import { toolSummary } from "../../hook/hook_fact.ts";
import { type Reading, timeOf, type TranscriptSpec, turnReading } from "../../estimate/reading.ts";

const QUESTION_TOOL = "question";

/** The program's own words for a call that the person refused; the turn ends with it. */
const REFUSED = new Set([
  "The user rejected permission to use this specific tool call.",
  "The user dismissed this question",
]);

type About = Pick<Parameters<typeof turnReading>[0], "sessionID" | "turnKey" | "at" | "mark">;

function read(sessionID: string, row: JsonObject): Reading[] {
  const key = stringAt(row, "rowKey") ?? "";
  const time = objectAt(row, "time") ?? {};
  switch (row.role) {
    case "user": {
      const message = stringAt(row, "text");
      return [turnReading({
        kind: "started",
        sessionID,
        turnKey: key,
        at: timeOf(time.created),
        mark: key,
        ...(message === undefined ? {} : { message }),
      })];
    }
    case "assistant":
      return answered(row, {
        sessionID,
        turnKey: stringAt(row, "parentID") ?? null,
        at: timeOf(time.completed),
        mark: key,
      });
    case "tool":
      return called(row, { sessionID, turnKey: stringAt(row, "parentID") ?? null, mark: key });
    default:
      return [];
  }
}

function answered(row: JsonObject, about: About): Reading[] {
  const error = objectAt(row, "error");
  if (error !== undefined) return [failed(error, { ...about, mark: `${about.mark} error` })];
  if (about.at === null) return [];
  const mark = `${about.mark} completed`;
  switch (stringAt(row, "finish")) {
    // A step that asked for tools is followed by another.
    case "tool-calls":
      return [];
    // Stopped before the model had said anything, between two tries, say.
    case undefined:
      return [turnReading({ ...about, kind: "idle", mark })];
    default:
      return [turnReading({ ...about, kind: "succeeded", weak: true, mark })];
  }
}

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

/** One state of one call: the row is told anew with each. */
function called(row: JsonObject, { mark, ...about }: Omit<About, "at">): Reading[] {
  const state = objectAt(row, "state") ?? {};
  const status = stringAt(state, "status") ?? "";
  const callID = stringAt(row, "callID") ?? mark;
  const time = objectAt(state, "time") ?? {};
  const turn = { ...about, mark: `${mark} ${status}` };
  const ended = { ...turn, at: timeOf(time.end) };
  if (status === "error" && REFUSED.has(stringAt(state, "error") ?? "")) {
    return [turnReading({ ...ended, kind: "idle" })];
  }
  if (status === "completed" || status === "error") {
    return [turnReading({ ...ended, kind: "running", settles: [callID] })];
  }
  if (status !== "running" || row.tool !== QUESTION_TOOL) return [];
  const message = toolSummary(objectAt(state, "input"));
  return [turnReading({
    ...turn,
    at: timeOf(time.start),
    kind: "input-requested",
    requestKey: callID,
    toolUseID: callID,
    toolName: QUESTION_TOOL,
    ...(message === undefined ? {} : { message }),
  })];
}

/** The steps of a turn that may still be open; a call's input is kept where it is a question. */
const SQL = `
WITH last AS (
  SELECT id, time_created, data FROM message WHERE session_id = ?
  ORDER BY time_created DESC, id DESC LIMIT 40
), step AS (
  SELECT id, data FROM last ORDER BY time_created DESC, id DESC LIMIT 4
)
SELECT id AS key, value FROM (
  SELECT id, time_created, CASE json_extract(data, '$.role') WHEN 'user' THEN
      json_object('role', 'user', 'time', json_extract(data, '$.time'), 'text', (
        SELECT json_extract(data, '$.text') FROM part
        WHERE message_id = last.id AND json_extract(data, '$.type') = 'text' ORDER BY id LIMIT 1
      ))
    ELSE data END AS value
  FROM last
  WHERE json_extract(data, '$.role') <> 'user'
    OR EXISTS (SELECT 1 FROM part WHERE message_id = last.id)
  UNION ALL
  SELECT part.id, part.time_created, json_object(
      'role', 'tool',
      'parentID', json_extract(step.data, '$.parentID'),
      'callID', json_extract(part.data, '$.callID'),
      'tool', json_extract(part.data, '$.tool'),
      'state', json_object(
        'status', json_extract(part.data, '$.state.status'),
        'error', json_extract(part.data, '$.state.error'),
        'time', json_extract(part.data, '$.state.time'),
        'input', CASE json_extract(part.data, '$.tool') WHEN '${QUESTION_TOOL}'
          THEN json_extract(part.data, '$.state.input') END
      )
    )
  FROM part JOIN step ON part.message_id = step.id
  WHERE json_extract(part.data, '$.type') = 'tool'
) ORDER BY time_created, id`;

export const opencodeTranscript: TranscriptSpec = {
  base: { env: [{ name: "XDG_DATA_HOME", under: "opencode" }], home: ".local/share/opencode" },
  form: "sqlite",
  find: ({ sessionID }) => sessionID === null ? [] : ["opencode.db"],
  // One database holds all sessions.
  sessionOf: () => null,
  reader: (sessionID) => (row) => read(sessionID, row),
  absentIsIdle: true,
  query: {
    sql: SQL,
    parameters: (sessionID) => [sessionID],
    sessions: {
      file: "opencode.db",
      sql: `SELECT id FROM session
            WHERE directory = ? AND parent_id IS NULL AND time_updated >= ?
            ORDER BY time_updated DESC LIMIT 2`,
    },
  },
};

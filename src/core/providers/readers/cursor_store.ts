/** Cursor's `store.db`, where no transcript is written: the newest messages, without times. */

import { arrayAt, isObject, type JsonObject, own, stringAt } from "../../json.ts";
import {
  contentText,
  type Reading,
  type TranscriptSpec,
  turnReading,
} from "../../estimate/reading.ts";

function read(sessionID: string, row: JsonObject): Reading[] {
  const key = stringAt(row, "rowKey") ?? "";
  const about = { sessionID, turnKey: null, at: null, mark: key };
  const text = contentText(own(row, "content"));
  if (row.role === "user" && text !== undefined) {
    return [turnReading({ ...about, kind: "started", message: text })];
  }
  if (row.role !== "assistant" || text === undefined || hasCall(row)) return [];
  return [turnReading({ ...about, kind: "succeeded", weak: true, message: text })];
}

function hasCall(row: JsonObject): boolean {
  return (arrayAt(row, "content") ?? []).some((part) =>
    isObject(part) && part.type === "tool-call"
  );
}

export const cursorStore: TranscriptSpec = {
  base: { env: [], home: ".cursor" },
  form: "sqlite",
  find: ({ sessionID }) => sessionID === null ? [] : [`chats/*/${sessionID}/store.db`],
  sessionOf: (path) => /\/chats\/[^/]+\/([^/]+)\/store\.db$/.exec(path)?.[1] ?? null,
  reader: (sessionID) => (row) => read(sessionID, row),
  absentIsIdle: true,
  query: {
    sql: `SELECT rowid AS key, data AS value FROM (
            SELECT rowid, data FROM blobs ORDER BY rowid DESC LIMIT 400
          ) ORDER BY rowid`,
    parameters: () => [],
  },
};

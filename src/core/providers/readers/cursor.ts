/**
 * Cursor's agent transcripts: lines without times or ids, so a turn is known by its number. Only
 * the end is firm (`turn_ended`); calls are written when they are done.
 */

import { type JsonObject, objectAt, own, stringAt } from "../../json.ts";
import {
  contentText,
  type Reading,
  type TranscriptSpec,
  turnReading,
  uuidInName,
} from "../../estimate/reading.ts";
import { cursorStore } from "./cursor_store.ts";

type Memory = { readonly sessionID: string; turn: number; lines: number };

const ENDS: Readonly<Record<string, "succeeded" | "failed" | "idle">> = {
  success: "succeeded",
  error: "failed",
  aborted: "idle",
};

function read(memory: Memory, line: JsonObject): Reading[] {
  memory.lines++;
  if (line.type === "turn_ended") return ended(memory, line);
  if (line.role !== "user") return [];
  const message = contentText(own(objectAt(line, "message") ?? {}, "content"));
  if (message === undefined) return [];
  memory.turn++;
  return [turn(memory, { kind: "started", message: withoutTags(message) })];
}

function ended(memory: Memory, line: JsonObject): Reading[] {
  const kind = ENDS[stringAt(line, "status") ?? ""] ?? "succeeded";
  const message = stringAt(line, "error");
  return [turn(memory, { kind, ...(message === undefined ? {} : { message }) })];
}

/** The person's words stand inside tags, beside what the editor adds. */
function withoutTags(text: string): string {
  return /<user_query>\s*([\s\S]*?)\s*<\/user_query>/.exec(text)?.[1] ?? text;
}

type Parts = Omit<Parameters<typeof turnReading>[0], "sessionID" | "turnKey" | "at" | "mark">;

function turn({ sessionID, turn: number, lines }: Memory, parts: Parts): Reading {
  return turnReading({ sessionID, turnKey: null, at: null, mark: `${number} ${lines}`, ...parts });
}

export const cursorTranscript: TranscriptSpec = {
  base: { env: [], home: ".cursor" },
  form: "jsonl",
  // The folder's name is cut and hashed for long paths: looked for by id.
  find: ({ sessionID, cwd }) => {
    if (sessionID !== null) return [`projects/*/agent-transcripts/${sessionID}/${sessionID}.jsonl`];
    const slug = cwd?.slice(1).replace(/[^A-Za-z0-9]+/g, "-");
    return slug ? [`projects/${slug}/agent-transcripts/*/*.jsonl`] : [];
  },
  sessionOf: (path) =>
    /\/agent-transcripts\/([^/]+)\/\1\.jsonl$/.test(path) ? uuidInName(path) : null,
  reader: (sessionID) => {
    const memory: Memory = { sessionID, turn: 0, lines: 0 };
    return (line) => read(memory, line);
  },
  absentIsIdle: true,
  otherwise: cursorStore,
};

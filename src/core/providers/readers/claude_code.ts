/** Claude Code's transcripts and its sessions folder (internal formats, recorded in 2.1.332). */

import { isObject, type Json, type JsonObject, objectAt, own, stringAt } from "../../json.ts";
import {
  contentText,
  type LiveStatus,
  type LiveStatusSpec,
  type Reading,
  timeOf,
  type TranscriptSpec,
  turnReading,
  uuidInName,
} from "../../estimate/reading.ts";

const BASE = { env: [{ name: "CLAUDE_CONFIG_DIR" }], home: ".claude" } as const;

const INTERRUPTED = /^\[Request interrupted by user/;

/** Lines that the program itself puts in as user text: local commands and their output. */
const INJECTED = /^<(command-|local-command|bash-|user-memory|system-reminder)/;

type Turn = { key: string | null };

type Line = { readonly turn: Turn; readonly sessionID: string; readonly line: JsonObject };

function read({ turn, sessionID, line }: Line): Reading[] {
  // A sub-agent's lines share the file in older versions.
  if (line.isSidechain === true) return [];
  switch (line.type) {
    case "user":
      return userLine({ turn, sessionID, line });
    case "assistant":
      return assistantLine({ turn, sessionID, line });
    case "system":
      return line.subtype === "turn_duration" || line.subtype === "stop_hook_summary"
        ? ended({ turn, sessionID, line }, "succeeded")
        : [];
    default:
      return [];
  }
}

function userLine({ turn, sessionID, line }: Line): Reading[] {
  if (line.isMeta === true || line.isCompactSummary === true) return [];
  const content = own(objectAt(line, "message") ?? {}, "content");
  const text = contentText(content)?.trim();
  const at = { turn, sessionID, line };
  if (line.interruptedMessageId !== undefined || (text && INTERRUPTED.test(text))) {
    return ended(at, "idle");
  }
  const results = toolResults(content);
  if (results.length > 0) return answered(at, results);
  if (text === undefined || INJECTED.test(text)) return [];
  turn.key = stringAt(line, "promptId") ?? stringAt(line, "uuid") ?? null;
  const notice = text.startsWith("<task-notification>");
  return [turnReading({
    ...about(at),
    kind: "started",
    ...(notice ? { continuation: true } : { message: text }),
  })];
}

/** A refused call ends the turn; the line that says so follows. */
function answered(at: Line, results: readonly string[]): Reading[] {
  const key = stringAt(at.line, "promptId");
  if (key !== undefined) at.turn.key = key;
  if (at.line.toolDenialKind === "user-rejected") return [];
  return [turnReading({ ...about(at), kind: "running", settles: results })];
}

function assistantLine(at: Line): Reading[] {
  const message = objectAt(at.line, "message") ?? {};
  const text = contentText(own(message, "content"));
  if (at.line.isApiErrorMessage === true) return ended(at, "failed", text);
  return message.stop_reason === "end_turn" ? ended(at, "succeeded", text) : [];
}

function ended(at: Line, kind: "succeeded" | "failed" | "idle", message?: string): Reading[] {
  // Told on an earlier line: the summary lines of a turn follow its last message.
  const isUntold = at.turn.key === null && stringAt(at.line, "promptId") === undefined;
  if (isUntold && kind !== "failed") return [];
  const reading = turnReading({
    ...about(at),
    kind,
    ...(message === undefined ? {} : { message }),
  });
  return [reading];
}

function about({ turn, sessionID, line }: Line) {
  const at = timeOf(line.timestamp);
  const mark = stringAt(line, "uuid") ?? String(at);
  return { sessionID, turnKey: stringAt(line, "promptId") ?? turn.key, at, mark };
}

function toolResults(content: Json | undefined): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) =>
    isObject(part) && part.type === "tool_result" ? [stringAt(part, "tool_use_id") ?? ""] : []
  );
}

/** Every character that is no letter or digit becomes a dash; long names are cut and hashed. */
function slug(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, "-").slice(0, 200);
}

export const claudeTranscript: TranscriptSpec = {
  base: BASE,
  form: "jsonl",
  find: ({ sessionID, cwd }) => {
    const folder = cwd === null ? [] : [`projects/${slug(cwd)}*`];
    if (sessionID === null) return folder.map((each) => `${each}/*.jsonl`);
    return [...folder, "projects/*"].map((each) => `${each}/${sessionID}.jsonl`);
  },
  sessionOf: (path) => /\/projects\/[^/]+\/[^/]+\.jsonl$/.test(path) ? uuidInName(path) : null,
  reader: (sessionID) => {
    const turn: Turn = { key: null };
    return (line) => read({ turn, sessionID, line });
  },
  absentIsIdle: true,
};

function readStatus(
  value: JsonObject,
  owner: { readonly pid: number; readonly startTime: string },
): LiveStatus | null {
  const sessionID = stringAt(value, "sessionId");
  const { procStart, pid } = value;
  // Boots differ in the part behind "@", which the file does not have.
  const startTime = owner.startTime.split("@")[0];
  if (typeof pid === "number" && pid !== owner.pid) return null;
  const begun = typeof procStart === "number" ? String(procStart) : procStart;
  if (typeof begun === "string" && /^\d+$/.test(begun) && /^\d+$/.test(startTime ?? "")) {
    if (begun !== startTime) return null;
  }
  if (sessionID === undefined || value.kind === "bg") return null;
  const waitingFor = stringAt(value, "waitingFor") ?? null;
  const phase = PHASES[stringAt(value, "status") ?? ""];
  if (phase === undefined) return null;
  return {
    sessionID,
    phase,
    asks: waitingFor !== null && /permission|approval|plan/i.test(waitingFor)
      ? "approval"
      : "input",
    at: timeOf(value.statusUpdatedAt),
    cwd: stringAt(value, "cwd") ?? null,
    message: null,
  };
}

/** A background shell may run for ever: the agent itself is at its prompt. */
const PHASES: Readonly<Record<string, LiveStatus["phase"]>> = {
  idle: "idle",
  shell: "idle",
  busy: "busy",
  waiting: "waiting",
};

export const claudeLiveStatus: LiveStatusSpec = {
  base: BASE,
  fileOf: (pid) => `sessions/${pid}.json`,
  read: readStatus,
};

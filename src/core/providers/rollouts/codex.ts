/** Where Codex keeps its sessions, and what their names and first lines tell (0.171.0). */

import { isObject, parseJson, stringAt } from "../../json.ts";
import type { SessionFiles } from "../../estimate/session_files.ts";

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const IS_UUID = new RegExp(`^${UUID}$`, "i");
const ROLLOUT = new RegExp(
  `/sessions/\\d{4}/\\d\\d/\\d\\d/rollout-[^/]*-(${UUID})\\.jsonl(?:\\.zst)?$`,
);
const DAY_MS = 86_400_000;
const MAX_FOLDER_BYTES = 4_096;

export const codexFiles: SessionFiles = {
  base: { variable: "CODEX_HOME", home: ".codex" },
  sessionOfPath: (path) => ROLLOUT.exec(path)?.[1] ?? null,
  folders,
  folderOfHead,
  openedAt,
  openings: "tui-thread-reference-capabilities",
  resumes,
  beginnings: ["SessionStart", "UserPromptSubmit"],
  isResumed: (payload) => stringAt(payload, "source") === "resume",
};

/** A UUIDv7 begins with 48 bits of milliseconds. */
function openedAt(sessionID: string): number | null {
  if (!IS_UUID.test(sessionID) || sessionID[14] !== "7") return null;
  return parseInt(sessionID.slice(0, 8) + sessionID.slice(9, 13), 16);
}

/** One for each day, in the agent's local time: within a day of the same day in UTC. */
function folders(sessionID: string): string[] {
  const at = openedAt(sessionID);
  if (at === null || at > 8.64e15 - DAY_MS) return [];
  return [at, at - DAY_MS, at + DAY_MS].map((day) =>
    `sessions/${new Date(day).toISOString().slice(0, 10).replaceAll("-", "/")}`
  );
}

/** Sub-agents, `exec` runs and other clients have sessions too; they sit in no pane. */
function folderOfHead(line: string, sessionID: string): string | null {
  const head = parseJson(line);
  if (!isObject(head) || stringAt(head, "type") !== "session_meta") return null;
  const meta = head.payload;
  if (!isObject(meta)) return null;
  const ids = [meta.session_id, meta.id].filter((id) => id !== undefined);
  if (ids.length === 0 || ids.some((id) => id !== sessionID)) return null;
  if (meta.originator !== "codex-tui" || meta.thread_source !== "user") return null;
  const { cwd } = meta;
  if (typeof meta.source !== "string" || typeof cwd !== "string") return null;
  const isFolder = cwd.startsWith("/") && cwd.length <= MAX_FOLDER_BYTES && !/\p{Cc}/u.test(cwd);
  return isFolder ? cwd : null;
}

function resumes(args: readonly string[]): string | "any" | null {
  const at = args.indexOf("resume");
  const exec = args.indexOf("exec");
  if (at < 0 || (exec >= 0 && exec < at)) return null;
  const rest = args.slice(at + 1);
  if (rest.includes("--last")) return "any";
  return rest.find((word) => IS_UUID.test(word))?.toLowerCase() ?? "any";
}

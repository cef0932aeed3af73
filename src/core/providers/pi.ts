/**
 * Pi coding agent: our extension's payloads, signature, and what they cannot tell.
 *
 * The extension (plugins/pi.ts) sends one JSON object per event that means something:
 * `{event, session_id, session_file, mode, cwd, ...}`, texts cut to 2,000 characters:
 * - `session_start` {reason}; `session_shutdown` {reason}, only "quit"
 * - `agent_start` {prompt}: once per turn, not once per retry
 * - `agent_settled` {aborted, stop_reason, error_message, text}: of the turn's last message
 * - `ui_prompt_start` {prompt_id, kind, title, asks: "approval"|"answer", tool_name};
 *   `ui_prompt_end` {prompt_id}
 */

import type { HookFact, HookInput } from "../hook/hook_fact.ts";
import { messageOf, type Said, sessionEnd, started } from "../hook/hook_shape.ts";
import { type JsonObject, own, stringAt } from "../json.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { piTranscript } from "./readers/pi.ts";
import { sessionIDOrNull } from "../text.ts";
import { piPlugin } from "./plugins/pi.ts";

type Decoder = (said: Said, payload: JsonObject) => HookFact[];

const EVENTS: Readonly<Record<string, Decoder>> = {
  session_start: sessionStarted,
  // Sent for a hang-up as well; a turn that is open by then was not settled.
  session_shutdown: (said) => sessionEnd(said, "lost"),
  agent_start: (said, payload) => started(said, stringAt(payload, "prompt")),
  agent_settled: settled,
  ui_prompt_start: asked,
  ui_prompt_end: (said, payload) => [
    { ...said, kind: "running", settles: [stringAt(payload, "prompt_id") ?? ""] },
  ],
};

function decode({ payload, event }: HookInput): HookFact[] {
  const hookName = stringAt(payload, "event") ?? event ?? "";
  if (!Object.hasOwn(EVENTS, hookName)) return [];
  const sessionID = sessionIDOrNull(own(payload, "session_id"));
  return EVENTS[hookName]!({ fact: "run", sessionID, turnKey: null, hookName }, payload);
}

function sessionStarted({ sessionID, hookName }: Said, payload: JsonObject): HookFact[] {
  if (sessionID === null) return [];
  const transcript = stringAt(payload, "session_file");
  return [{
    fact: "session-started",
    sessionID,
    hookName,
    ...(transcript === undefined ? {} : { transcript }),
  }];
}

/** Releases before 1.1 tell an abort only by the last message. */
function settled(said: Said, payload: JsonObject): HookFact[] {
  const reason = stringAt(payload, "stop_reason");
  if (payload.aborted === true || reason === "aborted") return [{ ...said, kind: "idle" }];
  if (reason === "error") {
    return [{ ...said, kind: "failed", ...messageOf(stringAt(payload, "error_message")) }];
  }
  return [{ ...said, kind: "succeeded", ...messageOf(stringAt(payload, "text")) }];
}

function asked(said: Said, payload: JsonObject): HookFact[] {
  const toolName = stringAt(payload, "tool_name");
  return [{
    ...said,
    kind: payload.asks === "approval" ? "approval-requested" : "input-requested",
    requestKey: stringAt(payload, "prompt_id") ?? "",
    ...(toolName === undefined ? {} : { toolName }),
    ...messageOf(stringAt(payload, "title")),
  }];
}

export const pi: ProviderRecord = {
  id: "pi",
  aliases: [],
  displayName: "Pi",
  sources: [
    { what: "Pi extension documentation and changelog, 1.6.0", checked: "2026-08-22" },
    { what: "Recorded runs of Pi 1.6.0", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: { env: [], reply: { "*": "" }, decode, readyIsTold: true },
  install: {
    programs: ["pi"],
    versionArguments: ["--version"],
    targets: [{
      kind: "own-file",
      base: { env: [{ name: "PI_CODING_AGENT_DIR" }], home: ".pi/agent" },
      file: "extensions/mytty.ts",
      text: piPlugin,
      // Earlier ones have no event that tells the end from a retry.
      versions: { from: "0.80.4" },
      mode: 0o600,
    }],
    obsolete: [],
    afterInstall: "Type /reload in Pi, or restart it",
  },
  capabilities: {
    start: true,
    approvalRequest: true,
    approvalAnswer: true,
    inputRequest: true,
    interrupt: true,
    success: true,
    failure: true,
    sessionEnd: true,
    subAgents: false,
    blindSpots: [
      "Pi asks for no permission itself; the dialogs of other extensions are seen from 0.84.4 on",
      "A dialog does not say whether it asks for a permission or an answer: told by the open tool",
      "Nothing is sent on a kill, nor on SIGINT in print mode",
    ],
  },
  signature: {
    names: [],
    // It calls itself "pi" and nothing more; the program that was loaded confirms it.
    weakNames: { pi: ["node", "bun", ".bin/pi"] },
    scripts: ["pi-coding-agent/dist/cli.js"],
    subcommands: effectsOf({
      auxiliary: "auth config install list mcp remove uninstall update",
    }),
    flags: effectsOf({
      headless: "-p --print",
      auxiliary: "-h -v --export --list-models",
    }),
    valueFlags: wordsOf(
      "--api-key --append-system-prompt -e --extension --fork --mode --model " +
        "--models -n --name --provider --session --session-dir --session-id --skill " +
        "--system-prompt --thinking --tools",
    ),
  },
  transcript: piTranscript,
};

export default pi;

/** Qwen Code: hooks, signature, and what they cannot tell. */

import { type HookFact, requestKeyOf } from "../hook/hook_fact.ts";
import {
  childEvent,
  decoderOf,
  type EventTable,
  messageOf,
  request,
  type Said,
  sessionEndByReason,
  sessionStart,
  started,
  toolFields,
  toolFinished,
  working,
} from "../hook/hook_shape.ts";
import { type JsonObject, own, stringAt } from "../json.ts";
import { nestedArrayPath, nestedCommands, nestedEntry } from "../install/nested_hooks.ts";
import { offSwitch } from "../install/off_switch.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { qwenLiveStatus, qwenTranscript } from "./readers/qwen.ts";

const QUESTION_TOOL = "ask_user_question";

const EVENTS: EventTable = {
  SessionStart: sessionStart,
  SessionEnd: sessionEndByReason,
  UserPromptSubmit: prompt,
  PermissionRequest: permissionRequest,
  // Runs once the call is allowed, so after a dialog it is the person's answer.
  PreToolUse: (said, payload) => toolFinished(said, payload, keyOf(payload)),
  PostToolUse: (said, payload) => toolFinished(said, payload, keyOf(payload)),
  PostToolUseFailure: toolFailed,
  Notification: notification,
  Stop: stop,
  StopFailure: stopFailure,
  SubagentStart: (said, payload) => childEvent(said, "started", stringAt(payload, "agent_type")),
  SubagentStop: (said, payload) =>
    childEvent(said, "succeeded", stringAt(payload, "last_assistant_message")),
};

/** Every tool result is submitted as well, as a prompt without text. */
function prompt(said: Said, payload: JsonObject): HookFact[] {
  const text = stringAt(payload, "submitted_prompt", "prompt");
  return text === undefined ? working(said, payload) : started(said, text);
}

function permissionRequest(said: Said, payload: JsonObject): HookFact[] {
  const asks = payload.tool_name === QUESTION_TOOL;
  const kind = asks ? "input-requested" : "approval-requested";
  return request(said, payload, { kind, key: keyOf(payload) });
}

function toolFailed(said: Said, payload: JsonObject): HookFact[] {
  if (payload.is_interrupt === true) return [{ ...said, kind: "idle", ...toolFields(payload) }];
  return toolFinished(said, payload, keyOf(payload));
}

/**
 * Not a reminder but the end of every turn, and the only hook after a denial or an ESC: so it ends
 * a waiting run too. After Stop it changes nothing; StopFailure may still follow it.
 */
function notification(said: Said, payload: JsonObject): HookFact[] {
  switch (stringAt(payload, "notification_type")) {
    case "idle_prompt":
      return [{ ...said, kind: "idle" }];
    case "permission_prompt":
      return [{
        ...said,
        kind: "approval-requested",
        weak: true,
        requestKey: "permission_prompt",
        ...messageOf(stringAt(payload, "message")),
      }];
    default:
      return [];
  }
}

function stop(said: Said, payload: JsonObject): HookFact[] {
  const last = stringAt(payload, "last_assistant_message");
  if (said.childKey !== undefined) return childEvent(said, "succeeded", last);
  return [{ ...said, kind: "succeeded", ...messageOf(last) }];
}

function stopFailure(said: Said, payload: JsonObject): HookFact[] {
  const text = stringAt(payload, "error_details", "last_assistant_message", "error");
  return [{ ...said, kind: "failed", ...messageOf(text) }];
}

/** The request carries no tool use id; an answered question may carry its answers. */
function keyOf(payload: JsonObject): string {
  const name = stringAt(payload, "tool_name") ?? "";
  return requestKeyOf(name, name === QUESTION_TOOL ? null : own(payload, "tool_input"));
}

const SETTINGS = {
  base: { env: [{ name: "QWEN_HOME" }], home: ".qwen" },
  file: "settings.json",
  dialect: "jsonc",
} as const;

export const qwen: ProviderRecord = {
  id: "qwen",
  aliases: [],
  displayName: "Qwen Code",
  sources: [
    { what: "Qwen Code hooks documentation", checked: "2026-08-22" },
    { what: "Recorded runs of Qwen Code 0.24.4", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: {
    env: [],
    reply: { "*": "" },
    decode: decoderOf(EVENTS, { turnKey: "prompt_id" }),
    readyIsTold: true,
  },
  install: {
    programs: ["qwen"],
    versionArguments: ["--version"],
    targets: [{
      kind: "json-hooks",
      ...SETTINGS,
      // Milliseconds; a version that counts seconds would only wait longer for a hanging hook.
      subscriptions: [
        { event: "SessionStart", timeout: 5000 },
        { event: "UserPromptSubmit", timeout: 5000 },
        { event: "PermissionRequest", timeout: 5000 },
        // On the critical path, but nothing else tells that a permission was given.
        { event: "PreToolUse", timeout: 5000 },
        { event: "PostToolUseFailure", timeout: 5000 },
        { event: "Notification", timeout: 5000 },
        { event: "Stop", timeout: 5000 },
        { event: "StopFailure", timeout: 5000 },
        { event: "SubagentStart", timeout: 5000 },
        { event: "SubagentStop", timeout: 5000 },
        { event: "SessionEnd", timeout: 5000 },
      ],
      arrayPath: nestedArrayPath,
      entry: nestedEntry,
      commandsOf: nestedCommands,
    }],
    obsolete: [],
    obstacles: [offSwitch(SETTINGS, ["disableAllHooks"], true)],
    afterInstall: "Restart Qwen Code",
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
    subAgents: true,
    blindSpots: [
      "A denial and an ESC are told only by the idle notice that ends every turn",
      "Retries after an API error are not told",
      "In -p no hook tells a failure or the end",
      "A killed outer process is told as a normal exit by the inner one",
    ],
  },
  signature: {
    names: ["qwen", "qwen-code"],
    scripts: [
      "@qwen-code/qwen-code/cli.js",
      "@qwen-code/qwen-code/cli-entry.js",
      "@qwen-code/qwen-code/dist/cli.js",
    ],
    subcommands: effectsOf({
      auxiliary: "auth board channel extensions hooks mcp sandbox sessions update",
      headless: "review",
      shared: "serve",
    }),
    flags: effectsOf({
      headless: "-p --prompt --acp --experimental-acp",
      auxiliary: "-h -v -l --list-extensions",
    }),
    valueFlags: wordsOf(
      "--approval-mode --auth-type --channel -i -m --model -o --output-format " +
        "--prompt-interactive -r --resume --session-id",
    ),
  },
  transcript: qwenTranscript,
  liveStatus: qwenLiveStatus,
};

export default qwen;

/** Google Gemini CLI: hooks, signature, and what they cannot tell. */

import { type HookFact, toolSummary } from "../hook/hook_fact.ts";
import {
  commandKey,
  decoderOf,
  type EventTable,
  messageOf,
  type Said,
  sessionEnd,
  sessionStart,
  started,
  toolFields,
} from "../hook/hook_shape.ts";
import type { EntryParts } from "../install/install_target.ts";
import { type Json, type JsonObject, objectAt, own, stringAt } from "../json.ts";
import { nestedArrayPath, nestedCommands } from "../install/nested_hooks.ts";
import { nameList, offSwitch } from "../install/off_switch.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { geminiTranscript } from "./readers/gemini.ts";

/** What AfterAgent carries when the model said nothing: an API error or an early ESC, untold which. */
const NO_ANSWER = "[no response text]";

/** The program's own result of a tool that the person stopped; the turn ends with it, silently. */
const CANCELLED = "Command cancelled by user.";

const EVENTS: EventTable = {
  SessionStart: sessionStart,
  // Fires two or three times per exit, and a turn that is open by then was given up unseen.
  SessionEnd: (said) => sessionEnd(said, "closed"),
  BeforeAgent: prompt,
  Notification: notification,
  AfterTool: afterTool,
  AfterAgent: afterAgent,
};

/** Without a prompt it goes on with the turn that is running. */
function prompt(said: Said, payload: JsonObject): HookFact[] {
  const text = stringAt(payload, "prompt");
  return text === undefined ? [] : started(said, text);
}

/** Names no tool: a command line is the only identity; any finished tool answers the others. */
function notification(said: Said, payload: JsonObject): HookFact[] {
  if (payload.notification_type !== "ToolPermission") return [];
  const details = objectAt(payload, "details") ?? {};
  const type = stringAt(details, "type") ?? "";
  const command = stringAt(details, "command");
  const text = toolSummary(details) ?? stringAt(details, "title") ?? stringAt(payload, "message");
  const fact = {
    ...said,
    kind: type === "ask_user" ? "input-requested" as const : "approval-requested" as const,
    ...messageOf(text),
  };
  if (command !== undefined) return [{ ...fact, requestKey: commandKey(command) }];
  return [{ ...fact, requestKey: `permission ${type}`, weak: true }];
}

function afterTool(said: Said, payload: JsonObject): HookFact[] {
  const display = own(objectAt(payload, "tool_response") ?? {}, "returnDisplay");
  if (display === CANCELLED) return [{ ...said, kind: "idle" }];
  const command = stringAt(objectAt(payload, "tool_input") ?? {}, "command");
  const settles = command === undefined ? [] : [commandKey(command)];
  return [{ ...said, kind: "running", settles, ...toolFields(payload) }];
}

function afterAgent(said: Said, payload: JsonObject): HookFact[] {
  const text = stringAt(payload, "prompt_response")?.trim();
  // An ESC or an error: its chat file may know better.
  if (text === NO_ANSWER) {
    return [{ ...said, kind: "idle", weak: true, message: "Ended without an answer" }];
  }
  return [{ ...said, kind: "succeeded", ...messageOf(text) }];
}

/** The name shows in the `/hooks` panel, where a person can switch ours off. */
const HOOK_NAME = "mytty";

const SETTINGS = {
  base: { env: [{ name: "GEMINI_CLI_HOME", under: ".gemini" }], home: ".gemini" },
  file: "settings.json",
  dialect: "jsonc",
} as const;

function entry({ command, subscription }: EntryParts): Json {
  const { timeout } = subscription;
  return {
    hooks: [{
      type: "command",
      name: HOOK_NAME,
      command,
      ...(timeout === undefined ? {} : { timeout }),
    }],
  };
}

export const gemini: ProviderRecord = {
  id: "gemini",
  aliases: [],
  displayName: "Gemini CLI",
  sources: [
    { what: "Gemini CLI hooks documentation and source, to 0.56", checked: "2026-08-22" },
    { what: "Recorded runs of Gemini CLI 0.61.0", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: {
    env: [],
    // With nothing on stdout it would parse stderr, be it only a shell's warning.
    reply: { "*": "{}" },
    decode: decoderOf(EVENTS),
    readyIsTold: true,
  },
  install: {
    programs: ["gemini"],
    versionArguments: ["--version"],
    targets: [{
      kind: "json-hooks",
      ...SETTINGS,
      // Milliseconds. The model and tool-selection events run per streamed chunk: never those.
      subscriptions: [
        { event: "SessionStart", timeout: 5000 },
        { event: "BeforeAgent", timeout: 5000 },
        { event: "Notification", timeout: 5000 },
        { event: "AfterTool", timeout: 5000 },
        { event: "AfterAgent", timeout: 5000 },
        { event: "SessionEnd", timeout: 5000 },
      ],
      arrayPath: nestedArrayPath,
      entry,
      commandsOf: nestedCommands,
    }],
    obsolete: [],
    obstacles: [
      offSwitch(SETTINGS, ["hooksConfig", "enabled"], false),
      nameList(SETTINGS, ["hooksConfig", "disabled"], HOOK_NAME),
      // The switch of late 2025.
      offSwitch(SETTINGS, ["tools", "enableHooks"], false),
    ],
    afterInstall: "Restart Gemini CLI; in an untrusted folder it runs no hooks",
  },
  capabilities: {
    start: true,
    approvalRequest: true,
    approvalAnswer: false,
    inputRequest: true,
    interrupt: false,
    success: true,
    failure: false,
    sessionEnd: true,
    subAgents: false,
    blindSpots: [
      "No hook when a permission is denied or a tool is stopped; its chat file shows both at once",
      "No hook when a permission is given, only when the tool has finished",
      "AfterAgent looks the same after an ESC in mid-answer and after a full answer",
      "An API error looks like an ESC before the first word: shown as idle; in -p no hook at all",
      "No hook when its terminal is closed or it is killed; its processes may live on",
    ],
  },
  signature: {
    names: ["gemini"],
    scripts: ["@google/gemini-cli/dist/index.js", "@google/gemini-cli/bundle/gemini.js"],
    subcommands: effectsOf({
      auxiliary: "extension extensions gemma hook hooks mcp skill skills",
    }),
    flags: effectsOf({
      headless: "-p --prompt --acp --experimental-acp",
      auxiliary: "-h -v -l --list-extensions --list-sessions --delete-session",
    }),
    valueFlags: wordsOf(
      "--approval-mode -i --include-directories -m --model -o --output-format " +
        "--policy --prompt-interactive -r --resume --session-file --session-id",
    ),
  },
  transcript: geminiTranscript,
};

export default gemini;

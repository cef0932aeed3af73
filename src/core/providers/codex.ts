/** OpenAI Codex CLI: hooks, signature, and what they cannot tell. */

import { type HookFact, requestKeyOf } from "../hook/hook_fact.ts";
import {
  childEvent,
  compaction,
  decoderOf,
  type EventTable,
  messageOf,
  request,
  type Said,
  sessionEnd,
  sessionStart,
  toolFinished,
  working,
} from "../hook/hook_shape.ts";
import { isObject, type Json, type JsonObject, objectAt, own, stringAt } from "../json.ts";
import { nestedArrayPath, nestedCommands, nestedEntry } from "../install/nested_hooks.ts";
import { isPositionallyTrusted } from "../install/positional_trust.ts";
import { offSwitch } from "../install/off_switch.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { codexFiles } from "./rollouts/codex.ts";
import { codexTranscript } from "./readers/codex.ts";

/** Tools that ask the person for an answer rather than for a permission. */
const QUESTION_TOOLS = new Set(["request_user_input", "AskUserQuestion", "question"]);

const EVENTS: EventTable = {
  SessionStart: sessionStart,
  // The reason is always "other": whether a turn was given up or broke cannot be told.
  SessionEnd: (said) => sessionEnd(said, "lost"),
  UserPromptSubmit: (said, payload) => [
    { ...said, kind: "started", ...messageOf(stringAt(payload, "prompt")) },
  ],
  PreToolUse: beforeTool,
  PermissionRequest: permissionRequest,
  PostToolUse: afterTool,
  Stop: (said, payload) => [
    { ...said, kind: "succeeded", ...messageOf(stringAt(payload, "last_assistant_message")) },
  ],
  Interrupt: (said) => [{ ...said, kind: "idle" }],
  SubagentStart: (said, payload) => childEvent(said, "started", stringAt(payload, "agent_type")),
  SubagentStop: (said, payload) =>
    childEvent(said, "succeeded", stringAt(payload, "last_assistant_message")),
  PreCompact: compaction,
  PostCompact: compaction,
};

function asksPerson(payload: JsonObject): boolean {
  return QUESTION_TOOLS.has(stringAt(payload, "tool_name") ?? "");
}

function beforeTool(said: Said, payload: JsonObject): HookFact[] {
  return asksPerson(payload) ? permissionRequest(said, payload) : working(said, payload);
}

function permissionRequest(said: Said, payload: JsonObject): HookFact[] {
  const kind = asksPerson(payload) ? "input-requested" : "approval-requested";
  return request(said, payload, { kind, key: keyOf(payload) });
}

function afterTool(said: Said, payload: JsonObject): HookFact[] {
  return toolFinished(said, payload, keyOf(payload));
}

/** A permission request carries the reason as `description`; the finished tool does not. */
function keyOf(payload: JsonObject): string {
  const name = stringAt(payload, "tool_name") ?? "";
  const input = own(payload, "tool_input");
  if (QUESTION_TOOLS.has(name)) return requestKeyOf(name, null);
  if (!isObject(input)) return requestKeyOf(name, input);
  const { description: _reason, ...rest } = input;
  return requestKeyOf(name, rest);
}

const CONFIG = {
  base: { env: [{ name: "CODEX_HOME" }], home: ".codex" },
  file: "config.toml",
  dialect: "toml",
} as const;

/** Codex merges both forms of one layer, but warns about it at every start. */
function inlineHooks(config: Json): string | null {
  const hooks = isObject(config) ? objectAt(config, "hooks") : undefined;
  const events = Object.keys(hooks ?? {}).filter((key) => Array.isArray(hooks![key]));
  return events.length === 0 ? null : `Inline hooks (${events.join(", ")})`;
}

const ROOT_KEYS: ReadonlySet<string> = new Set(["description", "hooks"]);

/** Codex parses this file strictly: one key more, and it rejects all of it. */
function strangeRootKeys(config: Json): string | null {
  const strange = isObject(config) ? Object.keys(config).filter((key) => !ROOT_KEYS.has(key)) : [];
  return strange.length === 0
    ? null
    : `Codex rejects a file with the key ${strange.map((key) => `"${key}"`).join(", ")}: remove it`;
}

export const codex: ProviderRecord = {
  id: "codex",
  aliases: [],
  displayName: "Codex",
  sources: [
    { what: "OpenAI Codex hooks documentation and schemas, 0.116 to 0.158", checked: "2026-11-30" },
    { what: "Recorded runs of Codex 0.171.0", checked: "2026-11-30" },
  ],
  // Codex runs the sessions of many panes in one background process, whose environment is that of
  // the pane that happened to start it.
  routing: "session",
  sessionFiles: codexFiles,
  hook: {
    env: ["CODEX_HOME", "CODEX_THREAD_ID"],
    reply: { "*": "" },
    decode: decoderOf(EVENTS, { turnKey: "turn_id" }),
    sessionVariable: "CODEX_THREAD_ID",
  },
  install: {
    programs: ["codex"],
    versionArguments: ["--version"],
    targets: [{
      kind: "json-hooks",
      base: { env: [{ name: "CODEX_HOME" }], home: ".codex" },
      file: "hooks.json",
      dialect: "json",
      subscriptions: [
        { event: "SessionStart", timeout: 5 },
        { event: "UserPromptSubmit", timeout: 5 },
        { event: "PreToolUse", matcher: "^request_user_input$", timeout: 5 },
        { event: "PermissionRequest", timeout: 5, versions: { from: "0.122" } },
        { event: "PostToolUse", timeout: 5 },
        { event: "Stop", timeout: 5 },
        { event: "SubagentStart", timeout: 5, versions: { from: "0.131" } },
        { event: "SubagentStop", timeout: 5, versions: { from: "0.131" } },
        { event: "PreCompact", timeout: 5, versions: { from: "0.131" } },
        { event: "PostCompact", timeout: 5, versions: { from: "0.131" } },
        { event: "Interrupt", timeout: 1, versions: { from: "0.153" } },
        { event: "SessionEnd", timeout: 1, versions: { from: "0.153" } },
      ],
      arrayPath: nestedArrayPath,
      entry: nestedEntry,
      commandsOf: nestedCommands,
      positional: true,
    }],
    obsolete: [],
    obstacles: [
      { ...CONFIG, blocks: true, find: inlineHooks },
      offSwitch(CONFIG, ["features", "hooks"], false),
      // The name of the same switch in 0.116.
      offSwitch(CONFIG, ["features", "codex_hooks"], false),
      {
        ...CONFIG,
        file: "hooks.json",
        dialect: "json",
        blocks: false,
        find: strangeRootKeys,
      },
    ],
    trust: {
      ...CONFIG,
      isTrusted: isPositionallyTrusted,
      fix: 'Start codex and choose "Trust all and continue", or approve each hook in /hooks',
    },
    afterInstall: 'Start codex and choose "Trust all and continue" when it asks about hooks',
  },
  capabilities: {
    start: true,
    approvalRequest: true,
    approvalAnswer: false,
    inputRequest: true,
    interrupt: true,
    success: true,
    failure: false,
    sessionEnd: true,
    subAgents: true,
    blindSpots: [
      "No hook on an API error; the rollout shows it",
      "No hook when an approval is given, only when the tool has finished",
      "No SessionEnd while the shared background process lives",
      "Hooks run only once trusted; untrusted ones are skipped silently",
    ],
  },
  signature: {
    names: ["codex"],
    scripts: ["@openai/codex/bin/codex.js"],
    subcommands: effectsOf({
      shared: "app-server exec-server remote-control",
      headless: "exec e review mcp-server",
      auxiliary: "a apply archive cloud completion debug delete doctor features help login " +
        "logout mcp migrate-nfs-db migrate-rollouts plugin queue sandbox unarchive " +
        "update",
    }),
    flags: effectsOf({
      shared: "--managed-daemon",
      auxiliary: "-h -V",
    }),
    valueFlags: wordsOf(
      "-a --add-dir --ask-for-approval -C -c --cd --config --disable --enable -i " +
        "--image --local-provider -m --model -p --profile --remote -s --sandbox",
    ),
  },
  transcript: codexTranscript,
};

export default codex;

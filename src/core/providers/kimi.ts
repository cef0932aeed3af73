/** Kimi Code: hooks, signature, and what they cannot tell. */

import { type HookFact, type HookInput, requestKeyOf } from "../hook/hook_fact.ts";
import {
  childEvent,
  decoderOf,
  type EventTable,
  messageOf,
  request,
  type Said,
  sessionEnd,
  sessionStart,
  started,
  toolFinished,
  working,
} from "../hook/hook_shape.ts";
import type { JsonHooksTarget } from "../install/install_target.ts";
import { arrayAt, isObject, type JsonObject, own, stringAt } from "../json.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { kimiTranscript } from "./readers/kimi.ts";

const QUESTION_TOOL = "AskUserQuestion";

/** Names the main agent where an event names one at all. */
const MAIN_AGENT = "main";

const EVENTS: EventTable = {
  SessionStart: sessionStart,
  SessionEnd: (said) => sessionEnd(said, "closed"),
  UserPromptSubmit: prompt,
  PreToolUse: beforeTool,
  PermissionRequest: (said, payload) =>
    request(said, payload, { kind: "approval-requested", key: keyOf(payload) }),
  // A refusal does not end the turn, so both answers mean that the work goes on.
  PermissionResult: (said, payload) => toolFinished(said, payload, keyOf(payload)),
  PostToolUse: (said, payload) => toolFinished(said, payload, keyOf(payload)),
  PostToolUseFailure: (said, payload) => toolFinished(said, payload, keyOf(payload)),
  Stop: (said) =>
    said.childKey === undefined ? [{ ...said, kind: "succeeded" }] : childEvent(said, "succeeded"),
  StopFailure: (said, payload) => [
    { ...said, kind: "failed", ...messageOf(stringAt(payload, "error_message", "error_type")) },
  ],
  Interrupt: (said) => [{ ...said, kind: "idle" }],
};

const decodeShared = decoderOf(EVENTS);

/** Brings the names of this provider to those of the shared shape. */
function decode({ payload, ...rest }: HookInput): HookFact[] {
  const { agent_id: agent, tool_call_id: call, ...others } = payload;
  return decodeShared({
    ...rest,
    payload: {
      ...others,
      ...(agent === undefined || agent === MAIN_AGENT ? {} : { agent_id: agent }),
      ...(call === undefined ? {} : { tool_use_id: call }),
    },
  });
}

/** A steering line goes into the turn that is running. */
function prompt(said: Said, payload: JsonObject): HookFact[] {
  return payload.is_steer === true ? working(said, payload) : started(said, promptText(payload));
}

function promptText(payload: JsonObject): string | undefined {
  const parts = (arrayAt(payload, "prompt") ?? []).flatMap((part) =>
    isObject(part) && typeof part.text === "string" ? [part.text] : []
  );
  return parts.length > 0 ? parts.join("\n") : stringAt(payload, "prompt");
}

function beforeTool(said: Said, payload: JsonObject): HookFact[] {
  if (payload.tool_name !== QUESTION_TOOL) return working(said, payload);
  return request(said, payload, { kind: "input-requested", key: keyOf(payload) });
}

function keyOf(payload: JsonObject): string {
  return stringAt(payload, "tool_use_id") ??
    requestKeyOf(stringAt(payload, "tool_name") ?? "", own(payload, "tool_input"));
}

/**
 * What belongs into `[[hooks]]` of config.toml, one table per event. Identical
 * commands run once, so each must name its event (`--event`); an event name that a
 * version does not know voids the whole file.
 */
export const KIMI_HOOKS: Omit<JsonHooksTarget, "kind" | "dialect"> = {
  base: { env: [{ name: "KIMI_CODE_HOME" }], home: ".kimi-code" },
  file: "config.toml",
  subscriptions: [
    { event: "SessionStart", timeout: 5 },
    { event: "UserPromptSubmit", timeout: 5 },
    { event: "PreToolUse", matcher: `^${QUESTION_TOOL}$`, timeout: 5 },
    { event: "PermissionRequest", timeout: 5, versions: { from: "0.14.0" } },
    { event: "PermissionResult", timeout: 5, versions: { from: "0.14.0" } },
    { event: "PostToolUse", matcher: `^${QUESTION_TOOL}$`, timeout: 5 },
    { event: "PostToolUseFailure", matcher: `^${QUESTION_TOOL}$`, timeout: 5 },
    { event: "Stop", timeout: 5 },
    { event: "StopFailure", timeout: 5 },
    { event: "Interrupt", timeout: 5, versions: { from: "0.14.0" } },
    { event: "SessionEnd", timeout: 5 },
  ],
  arrayPath: () => ["hooks"],
  entry: ({ command, subscription: { event, matcher, timeout } }) => ({
    event,
    ...(matcher === undefined ? {} : { matcher }),
    command,
    ...(timeout === undefined ? {} : { timeout }),
  }),
  commandsOf: (element) =>
    isObject(element) && typeof element.command === "string" ? [element.command] : [],
};

export const kimi: ProviderRecord = {
  id: "kimi",
  aliases: [],
  displayName: "Kimi Code",
  sources: [
    { what: "Kimi Code hooks documentation", checked: "2026-11-30" },
    { what: "Recorded runs of Kimi Code 2.1.0", checked: "2026-11-30" },
  ],
  routing: "surface",
  // Whatever a prompt hook prints, even "{}", goes into the conversation.
  hook: { env: [], reply: { "*": "" }, decode },
  install: {
    programs: ["kimi"],
    versionArguments: ["--version"],
    targets: [{ kind: "json-hooks", dialect: "toml", ...KIMI_HOOKS }],
    obsolete: [],
    unsupported: [{
      shebang: /python/,
      why: "this is the Python kimi-cli, whose hooks are not told apart yet; it is estimated only",
    }],
    afterInstall: "Restart Kimi Code",
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
      "The Python kimi-cli (~/.kimi) has other hooks and is not supported; estimated only",
      "No hook before the first prompt: a fresh pane is known only by its process",
      "Retries after an API error are not told",
      "No hook when its terminal is closed, on SIGTERM or a kill, nor at the end of -p",
      "Answer and tool hooks run beside each other and may arrive late",
    ],
  },
  signature: {
    names: ["kimi", "kimi-code"],
    modules: ["kimi_cli"],
    subcommands: effectsOf({
      headless: "acp",
      shared: "rc remote server web",
      auxiliary: "doctor export fork info install-desktop login logout mcp migrate provider " +
        "session update upgrade vis",
    }),
    flags: effectsOf({
      headless: "-p --prompt --print --acp",
      auxiliary: "-h -V",
    }),
    valueFlags: wordsOf(
      "--add-dir --agent --agent-file -m --model --output-format -r --resume -S " +
        "--session --skills-dir -w --work-dir",
    ),
  },
  transcript: kimiTranscript,
};

export default kimi;

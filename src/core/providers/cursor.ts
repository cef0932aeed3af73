/**
 * Cursor's command-line agent: hooks, signature, and what they cannot tell.
 *
 * One event name or key that a release does not know silently voids the whole hooks file, and so
 * does a command with a URL in it: only documented keys, and the younger events by version.
 */

import { type HookFact, type HookInput, requestKeyOf } from "../hook/hook_fact.ts";
import {
  messageOf,
  type Said,
  sessionEnd,
  sessionStart,
  started,
  toolFinished,
} from "../hook/hook_shape.ts";
import { isObject, type JsonObject, own, stringAt } from "../json.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import { hasAnyKey, type ProviderRecord } from "../provider.ts";
import { cursorTranscript } from "./readers/cursor.ts";
import { sessionIDOrNull } from "../text.ts";

/** The first builds refuse it as unknown; the exact one that took it is not documented. */
const LIFECYCLE_EVENTS = { from: "2026.4" } as const;

type Decoder = (said: Said, payload: JsonObject) => HookFact[];

const EVENTS: Readonly<Record<string, Decoder>> = {
  sessionStart: begun,
  sessionEnd: ended,
  beforeSubmitPrompt: (said, payload) => started(said, stringAt(payload, "prompt")),
  postToolUse: afterTool,
  postToolUseFailure: afterTool,
  stop: stopped,
};

/** Cursor runs the hooks of Claude Code's files too, by these names. */
const CLAUDE_NAMES: Readonly<Record<string, string>> = {
  SessionStart: "sessionStart",
  SessionEnd: "sessionEnd",
  UserPromptSubmit: "beforeSubmitPrompt",
  PostToolUse: "postToolUse",
  PostToolUseFailure: "postToolUseFailure",
  Stop: "stop",
};

function decode({ payload, event }: HookInput): HookFact[] {
  const told = stringAt(payload, "hook_event_name") ?? event ?? "";
  const hookName = Object.hasOwn(CLAUDE_NAMES, told) ? CLAUDE_NAMES[told]! : told;
  if (!Object.hasOwn(EVENTS, hookName)) return [];
  const said: Said = {
    fact: "run",
    // Both name the same thing; `stop` has only the first.
    sessionID: sessionIDOrNull(own(payload, "conversation_id") ?? own(payload, "session_id")),
    turnKey: stringAt(payload, "generation_id") ?? null,
    hookName,
  };
  return EVENTS[hookName]!(said, payload);
}

/** A background agent belongs to no pane, whatever conversation the person has open. */
function begun(said: Said, payload: JsonObject): HookFact[] {
  return payload.is_background_agent === true ? [] : sessionStart(said, payload);
}

/** Of a print run this is the only end there is; in the editor it means a closed tab or window. */
function ended(said: Said, payload: JsonObject): HookFact[] {
  if (payload.is_background_agent === true) return [];
  return sessionEnd(said, payload.reason === "error" ? "lost" : "closed");
}

/** A sign of work in print runs, which announce no prompt. Denials and interrupts come here too. */
function afterTool(said: Said, payload: JsonObject): HookFact[] {
  const name = stringAt(payload, "tool_name") ?? "";
  return toolFinished(said, payload, requestKeyOf(name, own(payload, "tool_input")));
}

function stopped(said: Said, payload: JsonObject): HookFact[] {
  switch (payload.status) {
    case "aborted":
      return [{ ...said, kind: "idle" }];
    case "error":
      return [{ ...said, kind: "failed", ...messageOf(stringAt(payload, "error_message")) }];
    default:
      return [{ ...said, kind: "succeeded" }];
  }
}

/** Grok runs the hooks of Cursor's file as well, with payloads of its own. */
function speaker({ payload, env }: HookInput): string | null {
  const isGrok = env.GROK_HOOK_EVENT !== undefined || hasAnyKey(payload, ["hookEventName"]);
  return isGrok ? "grok" : null;
}

export const cursor: ProviderRecord = {
  id: "cursor",
  aliases: [],
  displayName: "Cursor",
  sources: [
    { what: "Cursor documentation: Hooks, Third Party Hooks", checked: "2026-11-30" },
    { what: "Public reports on cursor-agent 2026.01.23 to 2026.10.01", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: {
    env: ["GROK_HOOK_EVENT"],
    // The neutral answer of every event: lets the prompt through, adds no follow-up.
    reply: { "*": "{}" },
    decode,
    speaker,
  },
  install: {
    programs: ["cursor-agent"],
    versionArguments: ["--version"],
    targets: [{
      kind: "json-hooks",
      base: { env: [], home: ".cursor" },
      file: "hooks.json",
      dialect: "json",
      subscriptions: [
        { event: "beforeSubmitPrompt", timeout: 5 },
        { event: "stop", timeout: 5 },
        { event: "sessionStart", timeout: 5, versions: LIFECYCLE_EVENTS },
        { event: "postToolUse", timeout: 5, versions: LIFECYCLE_EVENTS },
        { event: "sessionEnd", timeout: 5, versions: LIFECYCLE_EVENTS },
      ],
      arrayPath: (event) => ["hooks", event],
      entry: ({ command, subscription: { timeout } }) => ({
        command,
        ...(timeout === undefined ? {} : { timeout }),
      }),
      commandsOf: (element) =>
        isObject(element) && typeof element.command === "string" ? [element.command] : [],
      required: [{ path: ["version"], value: 1 }],
    }],
    obsolete: [],
    afterInstall: null,
  },
  capabilities: {
    start: true,
    approvalRequest: false,
    approvalAnswer: false,
    inputRequest: false,
    interrupt: true,
    success: true,
    failure: true,
    sessionEnd: true,
    subAgents: false,
    blindSpots: [
      "No hook and no file tells of a permission or a question; only the screen shows it",
      "Print mode sends neither prompt nor stop: seen working at its first tool, then as closed",
      "Some builds never send stop; the transcript's turn_ended shows the end",
      "Sub-agents carry no id that ties their end to their start",
    ],
  },
  signature: {
    names: ["cursor-agent"],
    weakNames: { agent: ["cursor-agent/versions/{version}/*"] },
    scripts: ["cursor-agent/versions/{version}/index.js"],
    subcommands: effectsOf({
      headless: "acp",
      auxiliary: "about install-shell-integration login logout mcp models status " +
        "uninstall-shell-integration update whoami worker-server",
    }),
    flags: effectsOf({
      headless: "-p --print",
      auxiliary: "-h -v --list-models",
    }),
    valueFlags: wordsOf(
      "-a --api-key -H --header -m --mode --model --output-format --resume " +
        "--sandbox",
    ),
  },
  transcript: cursorTranscript,
};

export default cursor;

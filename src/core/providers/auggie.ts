/**
 * Auggie (Augment): hooks, signature, and what they cannot tell.
 *
 * A command goes through bash only when it holds a shell character, which our guard does; a plain
 * one is split at its spaces.
 */

import { type HookFact, type HookInput, requestKeyOf } from "../hook/hook_fact.ts";
import {
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
import { type JsonObject, own, stringAt } from "../json.ts";
import { nestedArrayPath, nestedCommands, nestedEntry } from "../install/nested_hooks.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { sessionIDOrNull } from "../text.ts";

/** Puts a question to the person. Its call has no id, and only one can be open. */
const QUESTION_TOOL = "ask-user";

const QUESTION = requestKeyOf(QUESTION_TOOL, null);

const EVENTS: EventTable = {
  SessionStart: sessionStart,
  SessionEnd: (said) => sessionEnd(said, "closed"),
  PromptSubmit: (said, payload) => started(said, stringAt(payload, "user_prompt")),
  PreToolUse: beforeTool,
  PostToolUse: afterTool,
  Stop: stopped,
};

function decode({ payload, event, env }: HookInput): HookFact[] {
  const hookName = stringAt(payload, "hook_event_name") ?? event ?? "";
  if (!Object.hasOwn(EVENTS, hookName)) return [];
  const sessionID = sessionIDOrNull(own(payload, "conversation_id"));
  const said: Said = { fact: "run", sessionID, turnKey: null, hookName };
  return EVENTS[hookName]!(said, payload, env);
}

function beforeTool(said: Said, payload: JsonObject): HookFact[] {
  return payload.tool_name === QUESTION_TOOL
    ? request(said, payload, { kind: "input-requested", key: QUESTION })
    : working(said, payload);
}

function afterTool(said: Said, payload: JsonObject): HookFact[] {
  return payload.tool_name === QUESTION_TOOL
    ? toolFinished(said, payload, QUESTION)
    : working(said, payload);
}

function stopped(said: Said, payload: JsonObject): HookFact[] {
  const cause = stringAt(payload, "agent_stop_cause");
  switch (cause) {
    case "interrupted":
      return [{ ...said, kind: "idle" }];
    case "error":
    case "max_iterations":
    case "empty_completion":
      return [{ ...said, kind: "failed", ...messageOf(`Stopped: ${cause}`) }];
    default:
      return [{ ...said, kind: "succeeded" }];
  }
}

export const auggie: ProviderRecord = {
  id: "auggie",
  aliases: [],
  displayName: "Auggie",
  sources: [
    { what: "Augment documentation: Hooks (0.x and 1.x)", checked: "2026-11-30" },
    { what: "Published package of Auggie 0.36.0", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: { env: [], reply: { "*": "" }, decode },
  install: {
    programs: ["auggie"],
    versionArguments: ["--version"],
    targets: [{
      kind: "json-hooks",
      base: { env: [], home: ".augment" },
      file: "settings.json",
      dialect: "json",
      // Milliseconds. Nothing but the call of its tool shows a question, so this one is watched.
      subscriptions: [
        { event: "SessionStart", timeout: 5000 },
        { event: "PromptSubmit", timeout: 5000, versions: { from: "0.35" } },
        { event: "PreToolUse", matcher: `^${QUESTION_TOOL}$`, timeout: 5000 },
        { event: "PostToolUse", matcher: `^${QUESTION_TOOL}$`, timeout: 5000 },
        { event: "Stop", timeout: 5000 },
        { event: "SessionEnd", timeout: 5000 },
      ],
      arrayPath: nestedArrayPath,
      entry: nestedEntry,
      commandsOf: nestedCommands,
    }],
    obsolete: [],
    afterInstall: "Restart auggie",
  },
  capabilities: {
    start: true,
    approvalRequest: false,
    approvalAnswer: false,
    inputRequest: true,
    interrupt: true,
    success: true,
    failure: false,
    sessionEnd: true,
    subAgents: false,
    blindSpots: [
      "No hook for a permission; Notification says in words only what it is about",
      "No hook on an API error: such a turn looks busy until the next prompt",
      "Releases before 0.35 tell no prompt: a turn is seen at its end",
    ],
  },
  signature: {
    names: ["auggie"],
    scripts: ["@augmentcode/auggie/augment.mjs"],
    subcommands: effectsOf({
      auxiliary: "login logout mcp token",
    }),
    flags: effectsOf({
      headless: "-p --print --acp",
      auxiliary: "-h -v --mcp",
    }),
    valueFlags: wordsOf("-i --instruction -m --model -w --workspace-root"),
  },
};

export default auggie;

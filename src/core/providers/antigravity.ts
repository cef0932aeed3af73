/**
 * Antigravity CLI: hooks, signature, and what they cannot tell.
 *
 * Payloads do not name their event: it comes with the command, and is guessed from the fields that
 * only one event has where it does not.
 */

import type { HookFact, HookInput } from "../hook/hook_fact.ts";
import { messageOf, type Said } from "../hook/hook_shape.ts";
import { isObject, type JsonObject, own, stringAt } from "../json.ts";
import type { BaseFolder } from "../install/install_target.ts";
import { offSwitch } from "../install/off_switch.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import { hasAnyKey, type ProviderRecord } from "../provider.ts";
import { sessionIDOrNull } from "../text.ts";

/** Key under which our hooks stand in the shared file. */
const HOOK_NAME = "mytty";

const BASE: BaseFolder = { env: [], home: ".gemini" };

/** The values are not documented; NO_TOOL_CALL is the ordinary end. */
const INTERRUPTED = /cancel|interrupt|abort/i;
const BROKEN = /error|fail|exceeded|max_?(steps|invocations)/i;

type Decoder = (said: Said, payload: JsonObject) => HookFact[];

const EVENTS: Readonly<Record<string, Decoder>> = {
  SessionStart: begun,
  PreInvocation: invoked,
  PostInvocation: working,
  PostToolUse: working,
  Stop: stopped,
};

function decode({ payload, event }: HookInput): HookFact[] {
  const hookName = stringAt(payload, "hookEventName", "hook_event_name") ?? event ??
    eventOf(payload);
  if (!Object.hasOwn(EVENTS, hookName)) return [];
  const sessionID = sessionIDOrNull(own(payload, "conversationId"));
  return EVENTS[hookName]!({ fact: "run", sessionID, turnKey: null, hookName }, payload);
}

function eventOf(payload: JsonObject): string {
  if (hasAnyKey(payload, ["fullyIdle", "terminationReason"])) return "Stop";
  return hasAnyKey(payload, ["invocationNum"]) ? "PreInvocation" : "";
}

function begun({ sessionID, hookName }: Said, payload: JsonObject): HookFact[] {
  if (sessionID === null) return [];
  const transcript = stringAt(payload, "transcriptPath");
  return [{
    fact: "session-started",
    sessionID,
    hookName,
    ...(transcript === undefined ? {} : { transcript }),
  }];
}

/**
 * Comes before every call of the model: the first one, number 0, is the prompt's. Where numbers go
 * on from prompt to prompt, the later ones wake the same run again.
 */
function invoked(said: Said, payload: JsonObject): HookFact[] {
  if (payload.invocationNum !== 0) return working(said);
  return [...begun(said, payload), { ...said, kind: "started" }];
}

function working(said: Said): HookFact[] {
  return [{ ...said, kind: "running", settles: "none" }];
}

/** Ends one execution, not always the work: what runs in the background goes on. */
function stopped(said: Said, payload: JsonObject): HookFact[] {
  const error = stringAt(payload, "error");
  const reason = stringAt(payload, "terminationReason") ?? "";
  if (INTERRUPTED.test(reason)) return [{ ...said, kind: "idle" }];
  if (error !== undefined || BROKEN.test(reason)) {
    return [{ ...said, kind: "failed", ...messageOf(error ?? reason) }];
  }
  if (payload.fullyIdle !== false) return [{ ...said, kind: "succeeded" }];
  const message = "Waiting for background work";
  return [{ ...said, kind: "running", settles: "all", background: true, message }];
}

export const antigravity: ProviderRecord = {
  id: "antigravity",
  aliases: ["agy"],
  displayName: "Antigravity",
  sources: [
    { what: "Antigravity documentation: Hooks", checked: "2026-11-30" },
    { what: "Public measurements on Antigravity CLI 1.0.5 to 1.2.7", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: {
    env: [],
    // Every event wants an object. Before a tool an empty one denies it; "ask" leaves the decision
    // to the person, should someone run our command there.
    reply: { "*": "{}", PreToolUse: '{"decision":"ask"}' },
    decode,
  },
  install: {
    programs: ["agy"],
    versionArguments: ["--version"],
    targets: [{
      kind: "json-hooks",
      base: BASE,
      file: "config/hooks.json",
      dialect: "json",
      // Never PreToolUse: it is a gate without an answer that means "no opinion".
      subscriptions: [
        { event: "PreInvocation", timeout: 5 },
        { event: "Stop", timeout: 5 },
      ],
      arrayPath: (event) => [HOOK_NAME, event],
      entry: ({ command, subscription: { timeout } }) => ({
        type: "command",
        command,
        ...(timeout === undefined ? {} : { timeout }),
      }),
      commandsOf: (element) =>
        isObject(element) && typeof element.command === "string" ? [element.command] : [],
    }],
    obstacles: [
      offSwitch(
        { base: BASE, file: "config/hooks.json", dialect: "json" },
        [HOOK_NAME, "enabled"],
        false,
      ),
    ],
    // The plugin that the Mytty app installed; hooks of plugins are not loaded any more.
    obsolete: [
      { base: BASE, file: "config/plugins/mytty/hooks.json" },
      { base: BASE, file: "config/plugins/mytty/plugin.json" },
    ],
    afterInstall: "Restart agy; /hooks lists what it loaded",
  },
  capabilities: {
    start: true,
    approvalRequest: false,
    approvalAnswer: false,
    inputRequest: false,
    interrupt: false,
    success: true,
    failure: true,
    sessionEnd: false,
    subAgents: false,
    blindSpots: [
      "No hook for a permission or a question; only the screen shows it",
      "The reasons of an end are not documented; one that says cancelled counts as an interrupt",
      "Some releases load Stop and never run it; the transcript shows the end",
      "The prompt is not told; the transcript has it",
    ],
  },
  signature: {
    names: ["agy"],
    programs: ["antigravity-cli/bin/agy"],
    subcommands: effectsOf({
      auxiliary: "changelog help install plugin update",
    }),
    flags: effectsOf({
      headless: "-p --print --prompt",
      auxiliary: "-h",
    }),
    valueFlags: wordsOf("--conversation --model --output-format"),
  },
};

export default antigravity;

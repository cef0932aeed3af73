/** Grok Build (xAI): hooks, signature, and what they cannot tell. Its payloads are camelCase. */

import type { HookFact, HookInput } from "../hook/hook_fact.ts";
import { messageOf, type Said, sessionEnd, started } from "../hook/hook_shape.ts";
import type { OwnFileTarget } from "../install/install_target.ts";
import { arrayAt, isObject, type Json, type JsonObject, own, stringAt } from "../json.ts";
import { nestedEntry } from "../install/nested_hooks.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { sessionIDOrNull } from "../text.ts";

/** A background task of these types means the agent itself goes on; a shell may run for ever. */
const AGENT_TASKS = new Set(["subagent", "agent", "workflow"]);

const FINISHED_TASK = /^(completed|failed|cancell?ed|killed|stopped|done)$/i;

/** The agent gave up by itself; every other cancellation is the person's wish. */
const GAVE_UP = new Set(["max_turns", "no_progress"]);

/** An extra Stop of a session that closes; the turn's own end is reported apart. */
const CLOSING = new Set(["channel_closed", "shutdown"]);

type Decoder = (said: Said, payload: JsonObject) => HookFact[];

const EVENTS: Readonly<Record<string, Decoder>> = {
  SessionStart: begun,
  SessionEnd: (said) => sessionEnd(said, "closed"),
  UserPromptSubmit: (said, payload) => started(said, stringAt(payload, "prompt")),
  PostToolUse: afterTool,
  PostToolUseFailure: afterTool,
  // The model may go on without the tool.
  PermissionDenied: afterTool,
  Notification: notification,
  Stop: stopped,
  StopFailure: (said, payload) => [
    { ...said, kind: "failed", ...messageOf(stringAt(payload, "errorDetails", "error")) },
  ],
  StopCancelled: cancelled,
};

function decode({ payload, event, env }: HookInput): HookFact[] {
  const name = stringAt(payload, "hookEventName") ?? event ?? env.GROK_HOOK_EVENT ?? "";
  const hookName = configName(name);
  // A sub-agent's events look like its parent's, with a session of their own and no tie to it.
  if (!Object.hasOwn(EVENTS, hookName) || stringAt(payload, "subagentType") !== undefined) {
    return [];
  }
  const said: Said = {
    fact: "run",
    sessionID: sessionIDOrNull(own(payload, "sessionId")),
    turnKey: stringAt(payload, "promptId") ?? null,
    hookName,
  };
  return EVENTS[hookName]!(said, payload);
}

/** "stop_cancelled" and "stopCancelled" as configs spell it: "StopCancelled". */
function configName(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function begun({ sessionID, hookName }: Said, payload: JsonObject): HookFact[] {
  // Compaction happens inside a turn and changes neither the session nor its state.
  if (sessionID === null || payload.source === "compact") return [];
  const transcript = stringAt(payload, "transcriptPath");
  return [{
    fact: "session-started",
    sessionID,
    hookName,
    ...(transcript === undefined ? {} : { transcript }),
  }];
}

/** Requests name no tool, so any finished tool answers whatever was asked. */
function afterTool(said: Said, payload: JsonObject): HookFact[] {
  const toolName = stringAt(payload, "toolName");
  const toolUseID = stringAt(payload, "toolUseId");
  return [{
    ...said,
    kind: "running",
    settles: "all",
    ...(toolName === undefined ? {} : { toolName }),
    ...(toolUseID === undefined ? {} : { toolUseID }),
  }];
}

/** An idle reminder comes 60 s after every end; task_complete only repeats Stop. */
function notification(said: Said, payload: JsonObject): HookFact[] {
  const type = stringAt(payload, "notificationType") ?? "";
  const text = stringAt(payload, "message", "title");
  const asked = { ...said, requestKey: `${type} ${text ?? ""}`, ...messageOf(text) };
  switch (type) {
    case "permission_prompt":
      return [{ ...asked, kind: "approval-requested" }];
    case "elicitation_dialog":
      return [{ ...asked, kind: "input-requested" }];
    case "idle_prompt":
      return [{ ...said, kind: "idle", weak: true }];
    default:
      return [];
  }
}

function stopped(said: Said, payload: JsonObject): HookFact[] {
  if (CLOSING.has(stringAt(payload, "reason") ?? "")) return [];
  const waitingFor = (arrayAt(payload, "backgroundTasks") ?? []).filter(isUnfinishedAgent).length;
  if (waitingFor === 0) {
    const text = messageOf(stringAt(payload, "lastAssistantMessage"));
    return [{ ...said, kind: "succeeded", ...text }];
  }
  const agents = waitingFor === 1 ? "a background agent" : `${waitingFor} background agents`;
  const message = `Waiting for ${agents}`;
  return [{ ...said, kind: "running", settles: "all", background: true, message }];
}

function isUnfinishedAgent(task: Json): boolean {
  if (!isObject(task) || !AGENT_TASKS.has(String(task.type))) return false;
  return typeof task.status !== "string" || !FINISHED_TASK.test(task.status);
}

function cancelled(said: Said, payload: JsonObject): HookFact[] {
  const reason = stringAt(payload, "reason") ?? "";
  return GAVE_UP.has(reason)
    ? [{ ...said, kind: "failed", message: `Stopped: ${reason}` }]
    : [{ ...said, kind: "idle" }];
}

/** No version gates: Grok reads Claude Code's files too, so it passes over names it does not know. */
const SUBSCRIBED = [
  "SessionStart",
  "UserPromptSubmit",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionDenied",
  "Notification",
  "Stop",
  "StopFailure",
  "StopCancelled",
  "SessionEnd",
];

const hooksFile: OwnFileTarget = {
  kind: "own-file",
  base: { env: [{ name: "GROK_HOME" }], home: ".grok" },
  file: "hooks/mytty.json",
  text: ({ command }) => {
    const entries = SUBSCRIBED.map((event) => {
      const subscription = { event, timeout: 5 };
      return [event, [nestedEntry({ command: command(event), subscription })]];
    });
    return `${JSON.stringify({ hooks: Object.fromEntries(entries) }, null, 2)}\n`;
  },
};

export const grok: ProviderRecord = {
  id: "grok",
  aliases: [],
  displayName: "Grok",
  sources: [
    { what: "Grok Build user guide (hooks, sessions) and hook source", checked: "2026-08-19" },
    { what: "Public reports on Grok Build to 0.2.112", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: { env: ["GROK_HOOK_EVENT"], reply: { "*": "" }, decode },
  install: {
    programs: ["grok"],
    versionArguments: ["--version"],
    targets: [hooksFile],
    obsolete: [],
    afterInstall: "Start a new Grok session, or press r in /hooks of an open one",
  },
  capabilities: {
    start: true,
    approvalRequest: true,
    approvalAnswer: false,
    inputRequest: true,
    interrupt: true,
    success: true,
    failure: true,
    sessionEnd: true,
    subAgents: false,
    blindSpots: [
      "Some releases announce a permission for a tool that is approved by itself",
      "No hook when an approval is given, only when the tool has finished",
      "With a blocking Stop hook of someone else, Stop comes at every continuation, and then not",
      "Another program that is called grok is taken for this one",
    ],
  },
  signature: {
    names: ["grok", "grok-build"],
    subcommands: effectsOf({
      headless: "agent",
      auxiliary: "export import inspect login logout mcp memory models plugin sessions update " +
        "worktree wrap",
    }),
    flags: effectsOf({ headless: "-p --print --prompt", auxiliary: "-h" }),
    valueFlags: wordsOf("--cwd -m --model --resume"),
  },
};

export default grok;

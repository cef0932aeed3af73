/** Claude Code: hooks, signature, and what they cannot tell. */

import { type HookFact, type HookInput, requestKeyOf } from "../hook/hook_fact.ts";
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
import { arrayAt, isObject, type Json, type JsonObject, stringAt } from "../json.ts";
import { nestedArrayPath, nestedCommands, nestedEntry } from "../install/nested_hooks.ts";
import { offSwitch } from "../install/off_switch.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import { hasAnyKey, type ProviderRecord } from "../provider.ts";
import { claudeLiveStatus, claudeTranscript } from "./readers/claude_code.ts";

const QUESTION_TOOL = "AskUserQuestion";

/** Their input changes when answered (answers are added), so the tool's name is their identity. */
const DIALOG_TOOLS = new Set([QUESTION_TOOL, "ExitPlanMode"]);

/** A background task of these types means the agent itself goes on; a shell may run for ever. */
const AGENT_TASKS = new Set(["subagent", "workflow"]);

const FINISHED_TASK = /^(completed|failed|cancell?ed|killed|stopped|done)$/i;

/** Errors of StopFailure that are the person's own doing. */
const INTERRUPT_ERROR = /^(user_interrupt(ed)?|interrupted|aborted)$/;

const CURSOR_KEYS = ["cursor_version", "conversation_id", "generation_id", "workspace_roots"];

const EVENTS: EventTable = {
  SessionStart: sessionStart,
  SessionEnd: ended,
  UserPromptSubmit: prompt,
  PreToolUse: beforeTool,
  PermissionRequest: permissionRequest,
  PermissionDenied: afterTool,
  PostToolUse: afterTool,
  PostToolUseFailure: afterTool,
  PostToolBatch: (said) => [{ ...said, kind: "running", settles: "all" }],
  Notification: notification,
  Elicitation: elicitation,
  ElicitationResult: elicitation,
  Stop: stop,
  StopFailure: stopFailure,
  SubagentStart: (said, payload) => childEvent(said, "started", stringAt(payload, "agent_type")),
  SubagentStop: (said, payload) =>
    childEvent(said, "succeeded", stringAt(payload, "last_assistant_message")),
  PreCompact: compaction,
  PostCompact: compaction,
};

/** "other" is what a hang-up, SIGTERM or a print run's end sends; the rest is the person's wish. */
function ended(said: Said, payload: JsonObject): HookFact[] {
  const lost = payload.reason === "other" || payload.reason === undefined;
  return sessionEnd(said, lost ? "lost" : "closed");
}

function prompt(said: Said, payload: JsonObject): HookFact[] {
  const text = stringAt(payload, "prompt");
  // Background tasks announce themselves as a prompt; nobody typed it, and the work goes on.
  if (text?.startsWith("<task-notification>")) {
    return [{ ...said, kind: "started", continuation: true }];
  }
  return [{ ...said, kind: "started", ...messageOf(text) }];
}

function beforeTool(
  said: Said,
  payload: JsonObject,
  env: Readonly<Record<string, string>>,
): HookFact[] {
  const asks = payload.tool_name === QUESTION_TOOL;
  return asks ? permissionRequest(said, payload, env) : working(said, payload);
}

function permissionRequest(
  said: Said,
  payload: JsonObject,
  env: Readonly<Record<string, string>>,
): HookFact[] {
  // A print run refuses by itself: nobody is there to be asked.
  if (env.CLAUDE_CODE_SESSION_ATTENDED === "0") return working(said, payload);
  const kind = payload.tool_name === QUESTION_TOOL ? "input-requested" : "approval-requested";
  return request(said, payload, { kind, key: keyOf(payload) });
}

function afterTool(said: Said, payload: JsonObject): HookFact[] {
  return toolFinished(said, payload, keyOf(payload));
}

/** Reminders come 6 s late and name no tool; they never overrule what a firmer hook said. */
function notification(said: Said, payload: JsonObject): HookFact[] {
  const type = stringAt(payload, "notification_type");
  const text = messageOf(stringAt(payload, "message"));
  switch (type) {
    case "permission_prompt":
      return [{ ...said, kind: "approval-requested", weak: true, requestKey: type, ...text }];
    case "agent_needs_input":
    case "elicitation_dialog":
    case "elicitation_url_dialog":
      return [{ ...said, kind: "input-requested", weak: true, requestKey: type, ...text }];
    case "elicitation_complete":
    case "elicitation_response":
      return [{ ...said, kind: "running", settles: [] }];
    case "idle_prompt":
      return [{ ...said, kind: "idle", weak: true }];
    default:
      return [];
  }
}

function elicitation(said: Said, payload: JsonObject): HookFact[] {
  const server = stringAt(payload, "mcp_server_name") ?? "";
  const requestKey = `elicitation ${stringAt(payload, "elicitation_id") ?? server}`;
  if (said.hookName === "ElicitationResult") {
    return [{ ...said, kind: "running", settles: [requestKey] }];
  }
  return [{
    ...said,
    kind: "input-requested",
    requestKey,
    ...messageOf(stringAt(payload, "message")),
    ...(server === "" ? {} : { toolName: server }),
  }];
}

function stop(said: Said, payload: JsonObject): HookFact[] {
  const last = stringAt(payload, "last_assistant_message");
  if (said.childKey !== undefined) return childEvent(said, "succeeded", last);
  const waitingFor = (arrayAt(payload, "background_tasks") ?? []).filter(isUnfinishedAgent).length;
  if (waitingFor === 0) return [{ ...said, kind: "succeeded", ...messageOf(last) }];
  const agents = waitingFor === 1 ? "a background agent" : `${waitingFor} background agents`;
  return [{
    ...said,
    kind: "running",
    settles: "all",
    background: true,
    message: `Waiting for ${agents}`,
  }];
}

function isUnfinishedAgent(task: Json): boolean {
  if (!isObject(task) || !AGENT_TASKS.has(String(task.type))) return false;
  return typeof task.status !== "string" || !FINISHED_TASK.test(task.status);
}

function stopFailure(said: Said, payload: JsonObject): HookFact[] {
  const error = stringAt(payload, "error");
  if (error !== undefined && INTERRUPT_ERROR.test(error)) return [{ ...said, kind: "idle" }];
  const text = stringAt(payload, "error_details", "last_assistant_message") ?? error;
  return [{ ...said, kind: "failed", ...messageOf(text) }];
}

function keyOf(payload: JsonObject): string {
  const name = stringAt(payload, "tool_name") ?? "";
  return DIALOG_TOOLS.has(name) ? requestKeyOf(name, null) : requestKeyOf(name, payload.tool_input);
}

/** Cursor and Grok run Claude Code's hooks; each marks its payload or the hook's environment. */
function speaker({ payload, env }: HookInput): string | null {
  if (env.CURSOR_VERSION !== undefined || hasAnyKey(payload, CURSOR_KEYS)) return "cursor";
  const isGrok = env.GROK_HOOK_EVENT !== undefined || hasAnyKey(payload, ["hookEventName"]);
  return isGrok ? "grok" : null;
}

export const claudeCode: ProviderRecord = {
  id: "claude-code",
  aliases: ["claude"],
  displayName: "Claude Code",
  sources: [
    { what: "Claude Code hooks reference, settings, environment variables", checked: "2026-08-22" },
    { what: "Recorded runs of Claude Code 2.1.332 and 2.1.197", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: {
    env: [
      "CLAUDE_PID",
      "CLAUDE_JOB_DIR",
      "CLAUDE_CODE_SESSION_ATTENDED",
      "CURSOR_VERSION",
      "GROK_HOOK_EVENT",
    ],
    reply: { "*": "" },
    decode: decoderOf(EVENTS, { turnKey: "prompt_id" }),
    speaker,
    pidVariable: "CLAUDE_PID",
    readyIsTold: true,
    backgroundJob: ["CLAUDE_JOB_DIR"],
  },
  install: {
    programs: ["claude"],
    versionArguments: ["--version"],
    targets: [{
      kind: "json-hooks",
      base: { env: [{ name: "CLAUDE_CONFIG_DIR" }], home: ".claude" },
      file: "settings.json",
      dialect: "json",
      subscriptions: [
        { event: "SessionStart", timeout: 5 },
        { event: "UserPromptSubmit", timeout: 5 },
        { event: "PermissionRequest", timeout: 5 },
        { event: "PostToolUse", timeout: 5 },
        { event: "PostToolUseFailure", timeout: 5 },
        { event: "PostToolBatch", timeout: 5, versions: { from: "2.1.145" } },
        {
          event: "Notification",
          matcher: "permission_prompt|idle_prompt|agent_needs_input|elicitation_dialog",
          timeout: 5,
        },
        { event: "Elicitation", timeout: 5, versions: { from: "2.1.101" } },
        { event: "ElicitationResult", timeout: 5, versions: { from: "2.1.101" } },
        { event: "Stop", timeout: 5 },
        { event: "StopFailure", timeout: 5, versions: { from: "2.1.78" } },
        { event: "SubagentStart", timeout: 5, versions: { from: "2.1.101" } },
        { event: "SubagentStop", timeout: 5 },
        { event: "PreCompact", timeout: 5 },
        { event: "PostCompact", timeout: 5, versions: { from: "2.1.76" } },
        { event: "SessionEnd", timeout: 1 },
      ],
      arrayPath: nestedArrayPath,
      entry: nestedEntry,
      commandsOf: nestedCommands,
    }],
    obsolete: [],
    obstacles: [
      offSwitch(
        {
          base: { env: [{ name: "CLAUDE_CONFIG_DIR" }], home: ".claude" },
          file: "settings.json",
          dialect: "json",
        },
        ["disableAllHooks"],
        true,
      ),
    ],
    afterInstall: null,
  },
  capabilities: {
    start: true,
    approvalRequest: true,
    approvalAnswer: false,
    inputRequest: true,
    interrupt: false,
    success: true,
    failure: true,
    sessionEnd: true,
    subAgents: true,
    blindSpots: [
      "No hook after ESC, Ctrl-C in a turn or a denied permission; its sessions file shows them",
      "No hook when an approval is given, only when the tool has finished",
      "No StopFailure in print mode: the run ends as disconnected at SessionEnd",
    ],
  },
  signature: {
    names: ["claude", "claude.exe"],
    programs: ["claude/versions/{version}"],
    scripts: ["claude-code/cli.js"],
    auxiliaryNames: ["rg"],
    subcommands: effectsOf({
      auxiliary: "agents auth auto-mode config doctor gateway import install kill logs mcp " +
        "plugin plugins purge respawn rm setup-token stop update upgrade",
      headless: "ultrareview",
    }),
    flags: effectsOf({
      headless: "-p --print",
      auxiliary: "-h -v --ripgrep",
    }),
    valueFlags: wordsOf(
      "--add-dir --agent --agents --append-system-prompt --debug-file --effort " +
        "--fallback-model --from-pr --input-format --mcp-config --model -n --name " +
        "--output-format --permission-mode --plugin-dir -r --resume --session-id " +
        "--setting-sources --settings --system-prompt -w --worktree",
    ),
  },
  transcript: claudeTranscript,
  liveStatus: claudeLiveStatus,
};

export default claudeCode;

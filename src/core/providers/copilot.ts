/**
 * GitHub Copilot CLI: hooks, signature, and what they cannot tell.
 *
 * Payloads do not name their event: it comes with the command. The spelling of an event in the
 * config decides the payload's dialect; ours is camelCase, in one file of our own.
 */

import { type HookFact, type HookInput, toolSummary } from "../hook/hook_fact.ts";
import {
  commandKey,
  messageOf,
  type Said,
  sessionEnd,
  sessionStart,
  started,
} from "../hook/hook_shape.ts";
import type { OwnFileTarget, Subscription } from "../install/install_target.ts";
import { type JsonObject, objectAt, own, stringAt } from "../json.ts";
import { offSwitch } from "../install/off_switch.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { copilotTranscript } from "./readers/copilot.ts";
import { sessionIDOrNull } from "../text.ts";

/** How the permission dialog of a shell command begins; other tools have words of their own. */
const RUN_COMMAND = "Run command: ";

const DIALOGS = "permission_prompt|elicitation_dialog";

type Decoder = (said: Said, payload: JsonObject) => HookFact[];

const EVENTS: Readonly<Record<string, Decoder>> = {
  sessionStart,
  sessionEnd: ended,
  userPromptSubmitted: (said, payload) => started(said, stringAt(payload, "prompt")),
  notification,
  postToolUse: afterTool,
  postToolUseFailure: afterTool,
  agentStop: (said) => [{ ...said, kind: "succeeded" }],
  errorOccurred,
};

function decode({ payload, event }: HookInput): HookFact[] {
  const hookName = event ?? "";
  if (!Object.hasOwn(EVENTS, hookName)) return [];
  const sessionID = sessionIDOrNull(own(payload, "sessionId"));
  return EVENTS[hookName]!({ fact: "run", sessionID, turnKey: null, hookName }, payload);
}

function ended(said: Said, payload: JsonObject): HookFact[] {
  const end = sessionEnd(said, "closed");
  if (payload.reason !== "error" && payload.reason !== "timeout") return end;
  return [{ ...said, kind: "failed", message: `Session ended: ${payload.reason}` }, ...end];
}

/** Asked for on screen, unlike permissionRequest, which runs before every rule and auto-approval. */
function notification(said: Said, payload: JsonObject): HookFact[] {
  const message = stringAt(payload, "message");
  const text = messageOf(message);
  switch (stringAt(payload, "notification_type")) {
    case "permission_prompt":
      return message?.startsWith(RUN_COMMAND)
        ? [{
          ...said,
          kind: "approval-requested",
          requestKey: commandKey(message.slice(RUN_COMMAND.length)),
          ...text,
        }]
        : [{ ...said, kind: "approval-requested", requestKey: "permission", weak: true, ...text }];
    case "elicitation_dialog":
      return [{ ...said, kind: "input-requested", requestKey: "question", weak: true, ...text }];
    default:
      return [];
  }
}

function afterTool(said: Said, payload: JsonObject): HookFact[] {
  const input = objectAt(payload, "toolArgs");
  const command = input === undefined ? undefined : stringAt(input, "command");
  const toolName = stringAt(payload, "toolName");
  return [{
    ...said,
    kind: "running",
    settles: command === undefined ? [] : [commandKey(command)],
    ...(toolName === undefined ? {} : { toolName }),
    ...messageOf(toolSummary(input)),
  }];
}

/** Comes for every failed try, each called recoverable, also when none follows. */
function errorOccurred(said: Said, payload: JsonObject): HookFact[] {
  const text = stringAt(objectAt(payload, "error") ?? {}, "message");
  if (payload.recoverable === false && payload.errorContext !== "tool_execution") {
    return [{ ...said, kind: "failed", ...messageOf(text) }];
  }
  return [{ ...said, kind: "running", settles: "none", ...messageOf(text) }];
}

const SUBSCRIPTIONS: readonly Subscription[] = [
  { event: "sessionStart" },
  { event: "userPromptSubmitted" },
  { event: "notification", matcher: DIALOGS },
  { event: "postToolUse" },
  { event: "postToolUseFailure" },
  { event: "agentStop" },
  { event: "errorOccurred" },
  { event: "sessionEnd" },
];

const hooksFile: OwnFileTarget = {
  kind: "own-file",
  base: { env: [{ name: "COPILOT_HOME" }], home: ".copilot" },
  file: "hooks/mytty.json",
  text: ({ command }) => {
    const entries = SUBSCRIPTIONS.map(({ event, matcher }) => [event, [{
      type: "command",
      bash: command(event),
      timeoutSec: 5,
      ...(matcher === undefined ? {} : { matcher }),
    }]]);
    return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(entries) }, null, 2)}\n`;
  },
  // Earlier ones announce permissions that nobody is asked for.
  versions: { from: "1.0.26" },
};

export const copilot: ProviderRecord = {
  id: "copilot",
  aliases: [],
  displayName: "GitHub Copilot",
  sources: [
    {
      what: "GitHub Copilot CLI hooks documentation and changelog to 1.0.78",
      checked: "2026-08-22",
    },
    { what: "Recorded runs of GitHub Copilot CLI 1.0.102", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: { env: [], reply: { "*": "" }, decode },
  install: {
    programs: ["copilot"],
    versionArguments: ["--version"],
    targets: [hooksFile],
    obsolete: [],
    obstacles: [
      offSwitch(
        { base: hooksFile.base, file: "settings.json", dialect: "jsonc" },
        ["disableAllHooks"],
        true,
      ),
    ],
    afterInstall: "Restart Copilot CLI",
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
      "No hook before the first prompt: a fresh pane is known only by its process",
      "No hook after Esc, in the answer, a tool or a dialog; events.jsonl shows it",
      "No hook when a permission is given, only when the tool has finished",
      "An error that ends the turn looks like one that is retried; events.jsonl tells them apart",
      "-p announces a permission that nobody can give, and refuses it at once",
    ],
  },
  signature: {
    names: ["copilot"],
    scripts: ["@github/copilot/npm-loader.js", "@github/copilot/index.js"],
    subcommands: effectsOf({
      auxiliary: "app completion config help instruction login logout lsp mcp memories plugin " +
        "sandbox sessions skill update version",
      headless: "init workflow",
    }),
    flags: effectsOf({
      headless: "-p --prompt --acp --server",
      auxiliary: "-h -v --binary-version",
    }),
    valueFlags: wordsOf(
      "--add-dir --agent -C --config-dir -i --interactive --log-dir --log-level " +
        "--mode --model -n --name -r --resume --session-id",
    ),
  },
  transcript: copilotTranscript,
};

export default copilot;

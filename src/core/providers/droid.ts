/** Factory droid: hooks, signature, and what they cannot tell. */

import { type HookFact, requestKeyOf } from "../hook/hook_fact.ts";
import {
  decoderOf,
  type EventTable,
  messageOf,
  type Said,
  sessionEndByReason,
  sessionStart,
  started,
  toolFinished,
} from "../hook/hook_shape.ts";
import { type JsonObject, own, stringAt } from "../json.ts";
import { nestedArrayPath, nestedCommands, nestedEntry } from "../install/nested_hooks.ts";
import { offSwitch } from "../install/off_switch.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";

const EVENTS: EventTable = {
  SessionStart: sessionStart,
  SessionEnd: sessionEndByReason,
  UserPromptSubmit: (said, payload) => started(said, stringAt(payload, "prompt")),
  PostToolUse: (said, payload) => toolFinished(said, payload, keyOf(payload)),
  Notification: notification,
  Stop: (said) => [{ ...said, kind: "succeeded" }],
};

/** The kind is documented only as words in the message; newer releases name a type. */
function notification(said: Said, payload: JsonObject): HookFact[] {
  const text = stringAt(payload, "message");
  const kind = `${stringAt(payload, "notification_type") ?? ""} ${text ?? ""}`;
  if (/permission/i.test(kind)) {
    return [{
      ...said,
      kind: "approval-requested",
      weak: true,
      requestKey: "permission",
      ...messageOf(text),
    }];
  }
  // Comes a minute late, also after an interrupted turn, which nothing else tells.
  return /idle|waiting for your input/i.test(kind) ? [{ ...said, kind: "idle", weak: true }] : [];
}

function keyOf(payload: JsonObject): string {
  return requestKeyOf(stringAt(payload, "tool_name") ?? "", own(payload, "tool_input"));
}

const FACTORY = { base: { env: [], home: ".factory" }, dialect: "jsonc" } as const;

export const droid: ProviderRecord = {
  id: "droid",
  aliases: [],
  displayName: "Droid",
  sources: [
    { what: "Factory hooks reference and release notes to July 2026", checked: "2026-08-22" },
    { what: "Recorded runs of droid exec 0.215.0", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: { env: [], reply: { "*": "" }, decode: decoderOf(EVENTS) },
  install: {
    programs: ["droid"],
    versionArguments: ["--version"],
    targets: [{
      kind: "json-hooks",
      ...FACTORY,
      // Read only while ~/.factory/hooks.json does not exist; a new one would switch this off.
      file: "settings.json",
      subscriptions: [
        { event: "SessionStart", timeout: 5 },
        { event: "UserPromptSubmit", timeout: 5 },
        { event: "PostToolUse", timeout: 5 },
        { event: "Notification", timeout: 5 },
        { event: "Stop", timeout: 5 },
        { event: "SessionEnd", timeout: 5 },
      ],
      arrayPath: nestedArrayPath,
      entry: nestedEntry,
      commandsOf: nestedCommands,
    }],
    obsolete: [],
    obstacles: [
      offSwitch({ ...FACTORY, file: "settings.json" }, ["hooksDisabled"], true),
      {
        ...FACTORY,
        file: "hooks.json",
        blocks: false,
        find: () => "Until it is merged into settings.json and removed, Droid runs only the hooks",
      },
    ],
    afterInstall: "Start a new droid session; in an open one review the change in /hooks",
  },
  capabilities: {
    start: true,
    approvalRequest: true,
    approvalAnswer: false,
    inputRequest: false,
    interrupt: false,
    success: true,
    failure: false,
    sessionEnd: true,
    subAgents: false,
    blindSpots: [
      "Stop looks the same after success, an API error and a refused tool",
      "An interrupt is told only by the idle notice, a minute later",
      "droid exec sends no prompt event: its run is seen with its first finished tool",
      "Hooks in settings.json are ignored while ~/.factory/hooks.json exists",
      "Only exec was recorded; the terminal UI's events are known from its documentation",
    ],
  },
  signature: {
    names: ["droid"],
    subcommands: effectsOf({
      headless: "exec",
      shared: "daemon",
      auxiliary: "computer doctor find help mcp plugin search update",
    }),
    flags: effectsOf({
      auxiliary: "-h -v",
    }),
    valueFlags: wordsOf(
      "--append-system-prompt --append-system-prompt-file --auto --cwd --fork -m " +
        "--model -r --resume --settings -w --worktree",
    ),
  },
};

export default droid;

/**
 * Amp: our plugin's payloads, signature, and what they cannot tell.
 *
 * The plugin (plugins/amp_plugin.ts) sends one JSON object per event that means something:
 * `{event, session_id, parent_session_id, turn_id, ...}`, texts cut to 2,000 characters. The
 * session is a thread, the turn the id of the person's message; a thread with a parent is a
 * sub-agent's.
 * - `session.start` {}: a thread was opened or switched to
 * - `agent.start` {prompt}; `agent.end` {status: "done"|"error"|"cancelled", text}
 * - `thread.state` {state: "awaiting-approval"|"running", request_id}: asked, and answered
 */

import type { HookFact, HookInput } from "../hook/hook_fact.ts";
import {
  type EventTable,
  messageOf,
  type Said,
  sessionStart,
  started,
} from "../hook/hook_shape.ts";
import { type JsonObject, own, stringAt } from "../json.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { sessionIDOrNull } from "../text.ts";
import { ampPlugin } from "./plugins/amp_plugin.ts";

const EVENTS: EventTable = {
  // A sub-agent's thread is opened inside its parent's pane and replaces nothing there.
  "session.start": (said, payload) =>
    said.childKey === undefined ? sessionStart(said, payload) : [],
  "agent.start": (said, payload) => started(said, stringAt(payload, "prompt")),
  "agent.end": ended,
  "thread.state": stateChanged,
};

function decode({ payload, event, env }: HookInput): HookFact[] {
  const hookName = stringAt(payload, "event") ?? event ?? "";
  if (!Object.hasOwn(EVENTS, hookName)) return [];
  return EVENTS[hookName]!(saidBy(payload, hookName), payload, env);
}

function saidBy(payload: JsonObject, hookName: string): Said {
  const threadID = sessionIDOrNull(own(payload, "session_id"));
  const parentID = sessionIDOrNull(own(payload, "parent_session_id"));
  const turnKey = stringAt(payload, "turn_id") ?? null;
  if (parentID === null || threadID === null) {
    return { fact: "run", sessionID: threadID, turnKey, hookName };
  }
  // The turn is the child's; which one of the parent it serves is the parent's current one.
  return { fact: "run", sessionID: parentID, turnKey: null, hookName, childKey: threadID };
}

function ended(said: Said, payload: JsonObject): HookFact[] {
  const text = messageOf(stringAt(payload, "text"));
  switch (payload.status) {
    case "cancelled":
      return [{ ...said, kind: "idle" }];
    case "error":
      return [{ ...said, kind: "failed", ...text }];
    default:
      return [{ ...said, kind: "succeeded", ...text }];
  }
}

function stateChanged(said: Said, payload: JsonObject): HookFact[] {
  const requestKey = stringAt(payload, "request_id") ?? "approval";
  switch (payload.state) {
    case "awaiting-approval":
      return [{ ...said, kind: "approval-requested", requestKey }];
    case "running":
      return [{ ...said, kind: "running", settles: [requestKey] }];
    default:
      return [];
  }
}

export const amp: ProviderRecord = {
  id: "amp",
  aliases: [],
  displayName: "Amp",
  sources: [
    { what: "Amp manual: Plugins, Plugin API (@ampcode/plugin types)", checked: "2026-11-30" },
    { what: "Public reports on status plugins for Amp", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: { env: [], reply: { "*": "" }, decode },
  install: {
    programs: ["amp"],
    versionArguments: ["--version"],
    targets: [{
      kind: "own-file",
      base: { env: [{ name: "XDG_CONFIG_HOME", under: "amp" }], home: ".config/amp" },
      file: "plugins/mytty.ts",
      text: ampPlugin,
      mode: 0o600,
    }],
    obsolete: [],
    afterInstall: 'Run "plugins: reload" from the command palette of Amp, or restart it',
  },
  capabilities: {
    start: true,
    approvalRequest: true,
    approvalAnswer: true,
    inputRequest: false,
    interrupt: true,
    success: true,
    failure: true,
    sessionEnd: false,
    subAgents: true,
    blindSpots: [
      "Earlier releases do not show the state of a thread: a permission is not seen there",
      "A permission is told without the tool that wants it",
      "The first releases with plugins load none without PLUGINS=all",
      "No event when Amp exits; the process shows it",
    ],
  },
  signature: {
    names: ["amp-local"],
    // Too short a name to count alone.
    weakNames: {
      amp: [
        ".amp/bin/amp",
        ".local/bin/amp",
        "node_modules/.bin/amp",
        "@ampcode/cli/bin/amp",
        "@sourcegraph/amp/bin/amp",
      ],
    },
    scripts: ["@sourcegraph/amp/dist/main.js", "@ampcode/cli/dist/main.js"],
    subcommands: effectsOf({
      auxiliary: "account completions login logout mcp plugins tools update",
    }),
    flags: effectsOf({
      headless: "-x --execute",
      auxiliary: "-h",
    }),
    valueFlags: wordsOf("-m --mode"),
  },
};

export default amp;

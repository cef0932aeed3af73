/**
 * OpenCode: our plugin's payloads, signature, and what they cannot tell.
 *
 * The plugin (plugins/opencode.ts) sends one JSON object per event that means something:
 * `{event, sessionID, childID?, messageID?, ...}`. `sessionID` is the session that the person talks
 * to, `childID` the sub-agent's session that speaks, `messageID` the user message of the turn. The
 * host's own objects are kept inside, texts cut to 2,000 characters:
 * - `plugin.loaded` {instance, directory}; `plugin.disposed` {instance, sessionIDs}: no session yet,
 *   so `instance` stands for one
 * - `session.created` {properties: {info}} (also for a resumed one); `session.deleted`
 * - `chat.message` {output: {message, parts}}: a prompt
 * - `session.status` {properties: {status}}: "retry", and "busy" where no prompt opened the turn
 * - `session.idle` {outcome: "completed"|"rejected"|"stopped"}: once per turn, never after an error
 * - `session.error` {properties: {error: {name, message}}}
 * - `permission.asked`, `permission.replied`, `question.asked`, `question.replied`,
 *   `question.rejected` {properties}
 */

import { type HookFact, type HookInput, toolSummary } from "../hook/hook_fact.ts";
import { messageOf, type Said, sessionEnd, sessionStart, started } from "../hook/hook_shape.ts";
import type { Discovered } from "../install/install_target.ts";
import { arrayAt, isObject, type JsonObject, objectAt, own, stringAt } from "../json.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { opencodeTranscript } from "./readers/opencode.ts";
import { sessionIDOrNull } from "../text.ts";
import { opencodePlugin } from "./plugins/opencode.ts";

type Decoder = (said: Said, payload: JsonObject) => HookFact[];

const EVENTS: Readonly<Record<string, Decoder>> = {
  "plugin.loaded": (said, payload) => sessionStart(instanceOf(said, payload), {}),
  "plugin.disposed": disposed,
  "session.created": (said) => sessionStart(said, {}),
  "session.deleted": (said) => sessionEnd(said, "closed"),
  "chat.message": (said, payload) => started(said, promptText(payload)),
  "session.status": status,
  "session.idle": (said, payload) => [
    { ...said, kind: payload.outcome === "completed" ? "succeeded" : "idle" },
  ],
  "session.error": failed,
  "permission.asked": (said, payload) => asked(said, payload, "approval-requested"),
  "question.asked": (said, payload) => asked(said, payload, "input-requested"),
  "permission.replied": replied,
  "question.replied": replied,
  "question.rejected": replied,
};

function decode({ payload, event }: HookInput): HookFact[] {
  const hookName = stringAt(payload, "event") ?? event ?? "";
  if (!Object.hasOwn(EVENTS, hookName)) return [];
  const child = stringAt(payload, "childID");
  const said: Said = {
    fact: "run",
    sessionID: sessionIDOrNull(own(payload, "sessionID")),
    turnKey: stringAt(payload, "messageID") ?? null,
    hookName,
    ...(child === undefined ? {} : { childKey: child }),
  };
  return EVENTS[hookName]!(said, payload);
}

function instanceOf(said: Said, payload: JsonObject): Said {
  return { ...said, sessionID: sessionIDOrNull(own(payload, "instance")) };
}

/** An interrupted turn has been told by then; one that is still open died with the program. */
function disposed(said: Said, payload: JsonObject): HookFact[] {
  const ids = [own(payload, "instance"), ...(arrayAt(payload, "sessionIDs") ?? [])];
  return ids.flatMap((id) => sessionEnd({ ...said, sessionID: sessionIDOrNull(id) }, "lost"));
}

function promptText(payload: JsonObject): string | undefined {
  const parts = arrayAt(objectAt(payload, "output") ?? {}, "parts") ?? [];
  const texts = parts.flatMap((part) => isObject(part) ? [stringAt(part, "text") ?? ""] : []);
  const text = texts.filter((part) => part !== "").join("\n");
  return text === "" ? undefined : text;
}

function status(said: Said, payload: JsonObject): HookFact[] {
  const state = objectAt(propertiesOf(payload), "status") ?? {};
  if (state.type === "busy") return started(said, undefined);
  if (state.type !== "retry") return [];
  return [{ ...said, kind: "running", settles: "none", ...messageOf(stringAt(state, "message")) }];
}

function failed(said: Said, payload: JsonObject): HookFact[] {
  const error = objectAt(propertiesOf(payload), "error") ?? {};
  const name = stringAt(error, "name");
  if (name === "MessageAbortedError") return [{ ...said, kind: "idle" }];
  return [{ ...said, kind: "failed", ...messageOf(stringAt(error, "message") ?? name) }];
}

function asked(
  said: Said,
  payload: JsonObject,
  kind: "approval-requested" | "input-requested",
): HookFact[] {
  const asks = propertiesOf(payload);
  const tool = objectAt(asks, "tool") ?? objectAt(asks, "source") ?? {};
  const toolUseID = stringAt(tool, "callID");
  const toolName = stringAt(asks, "permission", "action");
  const patterns = { command: own(asks, "patterns") ?? own(asks, "resources") ?? null };
  const text = toolSummary(asks) ?? toolSummary(objectAt(asks, "metadata")) ??
    toolSummary(patterns);
  return [{
    ...said,
    kind,
    requestKey: stringAt(asks, "id") ?? "",
    ...(toolName === undefined ? {} : { toolName }),
    ...(toolUseID === undefined ? {} : { toolUseID }),
    ...messageOf(text),
  }];
}

/** A refusal ends the turn, which the idle event tells. */
function replied(said: Said, payload: JsonObject): HookFact[] {
  const id = stringAt(propertiesOf(payload), "requestID", "permissionID");
  return [{ ...said, kind: "running", settles: id === undefined ? "all" : [id] }];
}

function propertiesOf(payload: JsonObject): JsonObject {
  return objectAt(payload, "properties") ?? {};
}

/** Lines of `opencode debug info`; the list of plugins is the last thing in it. */
function debugInfo(text: string): Discovered | null {
  const version = /^opencode version:\s*(\S+)/m.exec(text)?.[1] ?? null;
  const list = /^plugins:[ \t]*(none)?\s*$/m.exec(text);
  if (list === null) return null;
  const lines = text.slice(list.index + list[0].length).split("\n");
  return { version, plugins: lines.flatMap((line) => /^\s*- (.+?)\s*$/.exec(line)?.[1] ?? []) };
}

export const opencode: ProviderRecord = {
  id: "opencode",
  aliases: [],
  displayName: "OpenCode",
  sources: [
    {
      what: "OpenCode plugin types 1.18.33, SDK 1.19.3, version 2 documentation",
      checked: "2026-08-22",
    },
    { what: "Recorded runs of OpenCode 1.18.33", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: { env: ["OPENCODE_PID"], reply: { "*": "" }, decode, pidVariable: "OPENCODE_PID" },
  install: {
    programs: ["opencode"],
    versionArguments: ["--version"],
    targets: [{
      kind: "own-file",
      base: { env: [{ name: "XDG_CONFIG_HOME", under: "opencode" }], home: ".config/opencode" },
      file: "plugins/mytty.js",
      text: opencodePlugin,
      mode: 0o600,
    }],
    obsolete: [],
    unsupported: [{
      versions: { from: "2" },
      why: "version 2 runs plugins in a service shared by all panes; its state is estimated only",
    }],
    discovery: { arguments: ["debug", "info"], read: debugInfo },
    afterInstall: "Restart OpenCode",
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
    subAgents: true,
    blindSpots: [
      "Nothing is sent on a kill, nor on SIGINT in opencode run",
      "A turn that ends without any answer is taken for an interrupt",
      "OpenCode 2 cannot report: its plugins run in a service shared by all panes; estimated only",
      "A request that a setting answers at once is asked and answered within milliseconds",
      "Without the plugin its database tells turns and questions, but a permission looks like work",
    ],
  },
  signature: {
    names: ["opencode", "opencode2", "open-code"],
    subcommands: effectsOf({
      headless: "acp run",
      shared: "serve service web",
      auxiliary: "agent auth completion db debug export github import mcp models plug plugin " +
        "providers session stats uninstall upgrade",
    }),
    flags: effectsOf({
      auxiliary: "-h -v",
    }),
    valueFlags: wordsOf("--agent --hostname -m --model --port --prompt -s --session"),
  },
  transcript: opencodeTranscript,
};

export default opencode;

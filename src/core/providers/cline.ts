/**
 * Cline CLI: hooks, signature, and what they cannot tell.
 *
 * A hook is an executable file named after its event. The payload names the event in a vocabulary
 * of its own, which is the one used here.
 */

import type { HookFact, HookInput } from "../hook/hook_fact.ts";
import { childEvent, messageOf, type Said, started } from "../hook/hook_shape.ts";
import type { OwnFileTarget } from "../install/install_target.ts";
import { type JsonObject, objectAt, own, stringAt } from "../json.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";
import { sessionIDOrNull } from "../text.ts";

type Decoder = (said: Said, payload: JsonObject) => HookFact[];

const EVENTS: Readonly<Record<string, Decoder>> = {
  agent_start: begin,
  agent_resume: begin,
  agent_end: end,
  agent_error: failed,
  agent_abort: (said) => [{ ...said, kind: "idle" }],
  // ESC sends it and the program lives on; a quit in mid-turn sends the same.
  session_shutdown: (said) => [{ ...said, kind: "idle" }],
};

function decode({ payload, event }: HookInput): HookFact[] {
  const hookName = stringAt(payload, "hookName") ?? event ?? "";
  if (!Object.hasOwn(EVENTS, hookName)) return [];
  const context = objectAt(payload, "sessionContext") ?? {};
  const child = stringAt(payload, "parent_agent_id") === undefined
    ? undefined
    : stringAt(payload, "agent_id");
  const said: Said = {
    fact: "run",
    sessionID: sessionIDOrNull(own(context, "rootSessionId")),
    // New with every prompt; a sub-agent's task is not its parent's.
    turnKey: child === undefined ? stringAt(payload, "taskId") ?? null : null,
    hookName,
    ...(child === undefined ? {} : { childKey: child }),
  };
  return EVENTS[hookName]!(said, payload);
}

function begin(said: Said): HookFact[] {
  return said.childKey === undefined ? started(said, undefined) : childEvent(said, "started");
}

function end(said: Said, payload: JsonObject): HookFact[] {
  const turn = objectAt(payload, "turn") ?? {};
  const status = stringAt(turn, "status") ?? "completed";
  const kind = status === "completed" ? "succeeded" : /error|fail/.test(status) ? "failed" : "idle";
  return [{ ...said, kind, ...messageOf(stringAt(turn, "outputText")) }];
}

function failed(said: Said, payload: JsonObject): HookFact[] {
  const text = stringAt(objectAt(payload, "error") ?? {}, "message");
  return [{ ...said, kind: "failed", ...messageOf(text) }];
}

/** TaskResume and TaskCancel are documented; 3.0.65 was never seen to run them. */
const HOOK_FILES = [
  "TaskStart",
  "TaskResume",
  "TaskComplete",
  "TaskError",
  "TaskCancel",
  "SessionShutdown",
];

function hookFile(event: string): OwnFileTarget {
  return {
    kind: "own-file",
    base: { env: [{ name: "CLINE_DIR" }], home: ".cline" },
    file: `hooks/${event}`,
    text: ({ command }) => `#!/bin/sh\n# Written by mytty install\n${command(event)}\n`,
    mode: 0o700,
  };
}

export const cline: ProviderRecord = {
  id: "cline",
  aliases: [],
  displayName: "Cline",
  sources: [
    { what: "Cline hooks documentation and SDK source 0.0.78", checked: "2026-08-22" },
    { what: "Recorded runs of Cline CLI 3.0.65", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: { env: [], reply: { "*": "" }, decode },
  install: {
    programs: ["cline"],
    versionArguments: ["--version"],
    targets: HOOK_FILES.map(hookFile),
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
    sessionEnd: false,
    subAgents: true,
    blindSpots: [
      "No hook tells that it asks for an approval or an answer: such a run is shown as running",
      "No hook before the first prompt: a fresh pane is known only by its process",
      "Retries after an API error are not told",
      "No hook when it is quit or killed; a quit in mid-turn looks like an interrupt",
    ],
  },
  signature: {
    names: ["cline"],
    scripts: ["@cline/cli/bin/cline"],
    subcommands: effectsOf({
      auxiliary: "auth config connect dashboard doctor h history hook kanban mcp plugin schedule " +
        "skill update version",
      shared: "hub",
    }),
    // The hub outlives the program that started it, without a terminal.
    flags: effectsOf({
      shared: "--cline-hub-daemon",
      headless: "--acp",
      auxiliary: "-h -V --kanban --update",
    }),
    valueFlags: wordsOf(
      "--auto-approve -c --config --cwd --data-dir --hooks-dir --id -k --key -m " +
        "--model -P --provider -s --system -t --timeout",
    ),
  },
};

export default cline;

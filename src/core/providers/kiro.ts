/**
 * Kiro CLI: hooks, signature, and what they cannot tell.
 *
 * The hooks of V3 live in a folder of files, one of them ours. Those of V2 are part of an agent's
 * own definition and are not installed; where a person adds the command there, they are understood.
 */

import type { HookFact } from "../hook/hook_fact.ts";
import {
  decoderOf,
  type EventTable,
  messageOf,
  type Said,
  sessionStart,
  started,
  working,
} from "../hook/hook_shape.ts";
import type { OwnFileTarget } from "../install/install_target.ts";
import { type JsonObject, stringAt } from "../json.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import type { ProviderRecord } from "../provider.ts";

function prompt(said: Said, payload: JsonObject): HookFact[] {
  return started(said, stringAt(payload, "prompt"));
}

/** V3 says nothing about the answer, V2 gives it. */
function stop(said: Said, payload: JsonObject): HookFact[] {
  return [{ ...said, kind: "succeeded", ...messageOf(stringAt(payload, "assistant_response")) }];
}

/** V3 in capitals, V2 without. */
const EVENTS: EventTable = {
  SessionStart: sessionStart,
  UserPromptSubmit: prompt,
  PostToolUse: working,
  Stop: stop,
  agentSpawn: sessionStart,
  userPromptSubmit: prompt,
  postToolUse: working,
  stop,
};

const hooksFile: OwnFileTarget = {
  kind: "own-file",
  base: { env: [{ name: "KIRO_HOME" }], home: ".kiro" },
  file: "hooks/mytty.json",
  text: ({ command }) => {
    // Nothing ever waits here, so a finished tool would tell nothing new.
    const hooks = ["SessionStart", "UserPromptSubmit", "Stop"].map((trigger) => ({
      name: `mytty-${trigger}`,
      trigger,
      action: { type: "command", command: command(trigger) },
      timeout: 5,
    }));
    return `${JSON.stringify({ version: "v1", hooks }, null, 2)}\n`;
  },
  // Earlier ones read no hooks from the home folder.
  versions: { from: "2.13" },
};

export const kiro: ProviderRecord = {
  id: "kiro",
  aliases: [],
  displayName: "Kiro",
  sources: [
    { what: "Kiro documentation: CLI v3 Hooks, CLI Hooks", checked: "2026-11-30" },
    { what: "Public reports on Kiro CLI 2.6.0 to 2.21.3", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: {
    env: [],
    // What a prompt hook prints becomes part of the conversation.
    reply: { "*": "" },
    decode: decoderOf(EVENTS),
  },
  install: {
    programs: ["kiro-cli"],
    versionArguments: ["--version"],
    targets: [hooksFile],
    obsolete: [],
    afterInstall: "Start a new session in V3 mode (kiro-cli --v3); classic mode runs no such hooks",
  },
  capabilities: {
    start: true,
    approvalRequest: false,
    approvalAnswer: false,
    inputRequest: false,
    interrupt: false,
    success: true,
    failure: false,
    sessionEnd: false,
    subAgents: false,
    blindSpots: [
      "No hook for a permission, a question, an error or an interrupt; session.json may show them",
      "A turn that is cancelled looks busy until the next prompt",
      "Classic mode and --no-interactive run no hooks, and some releases none at all",
      "The Kiro editor runs the same hooks, outside any pane",
    ],
  },
  signature: {
    names: ["kiro-cli"],
    subcommands: effectsOf({
      headless: "acp",
      auxiliary: "diagnostic doctor inline integrations issue login logout mcp settings " +
        "theme translate update version whoami",
    }),
    flags: effectsOf({
      headless: "--no-interactive",
      auxiliary: "-h -V --help-all",
    }),
    valueFlags: wordsOf("--agent --model --resume-id"),
  },
};

export default kiro;

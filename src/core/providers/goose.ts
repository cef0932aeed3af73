/**
 * Goose: hooks, signature, and what they cannot tell.
 *
 * The hooks file is a plugin of its own in a folder that is meant to be shared by many agents. The
 * payload of Goose names its event in `event`; whoever names it otherwise is somebody else.
 */

import type { HookFact, HookInput } from "../hook/hook_fact.ts";
import {
  type EventTable,
  messageOf,
  type Said,
  sessionEnd,
  sessionStart,
  started,
} from "../hook/hook_shape.ts";
import type { BaseFolder, OwnFileTarget, VersionRange } from "../install/install_target.ts";
import { own, stringAt } from "../json.ts";
import { nestedEntry } from "../install/nested_hooks.ts";
import { effectsOf, wordsOf } from "../process/argv_effects.ts";
import { hasAnyKey, type ProviderRecord } from "../provider.ts";
import { sessionIDOrNull } from "../text.ts";

const EVENTS: EventTable = {
  SessionStart: sessionStart,
  SessionEnd: (said) => sessionEnd(said, "closed"),
  UserPromptSubmit: (said, payload) => started(said, stringAt(payload, "message")),
  Stop: (said, payload) => [
    { ...said, kind: "succeeded", ...messageOf(stringAt(payload, "last_assistant_message")) },
  ],
};

function decode({ payload, env }: HookInput): HookFact[] {
  const hookName = stringAt(payload, "event") ?? "";
  const isOther = hasAnyKey(payload, ["hook_event_name", "hookEventName"]);
  if (isOther || !Object.hasOwn(EVENTS, hookName)) return [];
  const sessionID = sessionIDOrNull(own(payload, "session_id"));
  const said: Said = { fact: "run", sessionID, turnKey: null, hookName };
  return EVENTS[hookName]!(said, payload, env);
}

const BASE: BaseFolder = { env: [], home: ".agents" };

const VERSIONS: VersionRange = { from: "1.38" };

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const manifest: OwnFileTarget = {
  kind: "own-file",
  base: BASE,
  file: "plugins/mytty/plugin.json",
  text: () =>
    json({ name: "mytty", version: "1.0.0", description: "Reports the state of Goose to mytty" }),
  versions: VERSIONS,
};

const hooksFile: OwnFileTarget = {
  kind: "own-file",
  base: BASE,
  file: "plugins/mytty/hooks/hooks.json",
  text: ({ command }) => {
    // Nothing ever waits here, so a finished tool would tell nothing new. No matcher: "*" is none.
    const entries = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"].map((event) => {
      const subscription = { event, timeout: 5 };
      return [event, [nestedEntry({ command: command(event), subscription })]];
    });
    return json({ hooks: Object.fromEntries(entries) });
  },
  versions: VERSIONS,
};

export const goose: ProviderRecord = {
  id: "goose",
  aliases: [],
  displayName: "Goose",
  sources: [
    { what: "Goose documentation: Hooks", checked: "2026-11-30" },
    { what: "Public reports on Goose 1.41 to 1.48", checked: "2026-11-30" },
  ],
  routing: "surface",
  hook: { env: [], reply: { "*": "" }, decode },
  install: {
    programs: ["goose"],
    versionArguments: ["--version"],
    targets: [manifest, hooksFile],
    obsolete: [],
    afterInstall: "Start a new goose session",
  },
  capabilities: {
    start: true,
    approvalRequest: false,
    approvalAnswer: false,
    inputRequest: false,
    interrupt: false,
    success: true,
    failure: false,
    sessionEnd: true,
    subAgents: false,
    blindSpots: [
      "No hook for a permission or a question; only the screen shows it",
      "No hook for an error or an interrupt: such a turn looks busy until the next prompt",
      "No SessionEnd when the session ends by an error or a kill; the process shows it",
    ],
  },
  signature: {
    names: ["goose"],
    // The last line holds those of a database migration tool of the same name.
    subcommands: effectsOf({
      headless: "acp run",
      auxiliary: "completion configure help info mcp recipe schedule serve update web " +
        "create down mysql postgres redo reset sqlite3 status up",
    }),
    flags: effectsOf({ auxiliary: "-h -V" }),
    valueFlags: wordsOf("-dir -n --name"),
  },
};

export default goose;

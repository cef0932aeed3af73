/**
 * Xal: our plugin's payloads, signature, and what they cannot tell.
 *
 * The plugin (plugins/xal_plugin.ts) sends one JSON object per event of a primary session:
 * `{event, session_id, session_kind: "primary", turn_id, cwd, ...}`, texts cut to 2,000 characters:
 * - `prompt` {text}: a turn begins; `turn_id` is the plugin's own, the same until the next one
 * - `turnEnd` {output}: the turn ended in the ordinary way
 * - `shutdown` {}: Xal exits
 */

import type { HookFact, HookInput } from "../hook/hook_fact.ts";
import { type EventTable, messageOf, type Said, sessionEnd, started } from "../hook/hook_shape.ts";
import type { BaseFolder } from "../install/install_target.ts";
import { own, stringAt } from "../json.ts";
import type { ProviderRecord } from "../provider.ts";
import { sessionIDOrNull } from "../text.ts";
import { xalPlugin } from "./plugins/xal_plugin.ts";

const EVENTS: EventTable = {
  prompt: (said, payload) => started(said, stringAt(payload, "text")),
  turnEnd: (said, payload) => [
    { ...said, kind: "succeeded", ...messageOf(stringAt(payload, "output")) },
  ],
  shutdown: (said) => sessionEnd(said, "closed"),
};

function decode({ payload, event, env }: HookInput): HookFact[] {
  const hookName = stringAt(payload, "event") ?? event ?? "";
  // A sub-agent's session does not say whose it is.
  const isChild = payload.session_kind === "subagent";
  if (isChild || !Object.hasOwn(EVENTS, hookName)) return [];
  const said: Said = {
    fact: "run",
    sessionID: sessionIDOrNull(own(payload, "session_id")),
    turnKey: stringAt(payload, "turn_id") ?? null,
    hookName,
  };
  return EVENTS[hookName]!(said, payload, env);
}

const XAL_HOME: BaseFolder = { env: [{ name: "XAL_HOME" }], home: ".xal" };

/** As the config's list of plugins names ours: relative to the folder of that file. */
const PLUGIN = "./plugins/mytty";

export const xal: ProviderRecord = {
  id: "xal",
  aliases: [],
  displayName: "Xal",
  sources: [{ what: "Xal documentation and source: plugins, configs", checked: "2026-08-22" }],
  routing: "surface",
  hook: { env: [], reply: { "*": "" }, decode },
  install: {
    programs: ["xal"],
    versionArguments: ["--version"],
    // The plugin first: a list that names a missing one would be an error at start.
    targets: [{
      kind: "own-file",
      base: XAL_HOME,
      file: "plugins/mytty/plugin.ts",
      text: xalPlugin,
      mode: 0o600,
    }, {
      kind: "json-hooks",
      base: XAL_HOME,
      file: "config.json",
      dialect: "json",
      subscriptions: [{ event: "plugins" }],
      arrayPath: () => ["plugins"],
      entry: () => PLUGIN,
      commandsOf: () => [],
      fixed: PLUGIN,
    }],
    obsolete: [],
    afterInstall: "Restart Xal",
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
      "A project whose config lists plugins of its own leaves ours out",
    ],
  },
  signature: {
    names: ["xal", "xal-dev"],
    scripts: ["xal/apps/cli/src/index.ts"],
  },
};

export default xal;

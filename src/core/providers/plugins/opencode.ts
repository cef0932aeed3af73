/** The plugin that reports from inside OpenCode, as source text; `../opencode.ts` defines payloads. */

import { deliverySource } from "./delivery.ts";
import { OPENCODE_TRANSLATOR } from "./opencode_translator.ts";

/** Up to here every export is called as a plugin and a default object stops the program. */
const OLD_EXPORTS = /^v?(0|1\.[0-3])\./;

const SERVER = `
const LOOKUP_MS = 1000;
const MAX_LOOKUPS = 3;

function within(ms, promise) {
  return Promise.race([promise, new Promise((resolve) => setTimeout(resolve, ms))]);
}

async function server({ client, directory } = {}) {
  const instance = "starting-" + process.pid + "-" + Date.now();
  const { translate, sessionOf, learn, knows } = makeTranslator({ instance, directory });
  const lookups = new Map();
  let order = Promise.resolve();

  function log(level, message) {
    try {
      client.app.log({ body: { service: "mytty", level, message } }).catch(() => {});
    } catch {}
  }

  /** A resumed session is never announced. One that cannot be found is treated as a sub-agent's. */
  async function meet(id) {
    const tries = lookups.get(id) ?? 0;
    if (knows(id) || tries >= MAX_LOOKUPS) return;
    if (lookups.size > 500) lookups.clear();
    lookups.set(id, tries + 1);
    const answer = await within(LOOKUP_MS, client.session.get({ path: { id } }));
    const info = answer?.data ?? answer;
    if (info?.id === id) forward(translate("session.updated", { info }));
  }

  function forward(payload) {
    if (payload === null || payload === undefined) return;
    if (/^(permission|question)\\.asked$/.test(payload.event)) log("info", "Forwards " + payload.event);
    deliver(payload);
  }

  async function handle(name, data) {
    const id = sessionOf(name, data);
    if (typeof id === "string") await meet(id).catch(() => {});
    forward(translate(name, data));
  }

  function take(name, data) {
    order = order.then(() => handle(name, data)).catch(() => {});
    return order;
  }

  launchFailed = () => log("error", "Cannot launch the hook: " + LAUNCHER);
  log("info", "Started");
  take("plugin.loaded", {});
  return {
    event: async (data) => {
      if (typeof data?.event?.type === "string") take(data.event.type, data);
    },
    "chat.message": async (input, output) => {
      take("chat.message", { input, output });
    },
    dispose: async () => {
      await within(LOOKUP_MS, take("dispose", {}));
      await drained();
    },
  };
}
`;

/**
 * OpenCode 2 runs plugins in a service shared by all panes, whose variables and ancestry prove no
 * pane: there the entry does nothing.
 */
const EXPORTS = `
export default { id: "mytty", server, setup() {} };
`;

export type PluginContext = { readonly launcher: string; readonly version: string | null };

export function opencodePlugin({ launcher, version }: PluginContext): string {
  const isOld = version !== null && OLD_EXPORTS.test(version);
  const exports = isOld ? "\nexport { server as MyttyPlugin };\n" : EXPORTS;
  return `// Reports OpenCode's state to mytty. Never blocks or changes anything.
import { spawn } from "node:child_process";
${OPENCODE_TRANSLATOR}${deliverySource({ launcher, provider: "opencode" })}${SERVER}${exports}`;
}

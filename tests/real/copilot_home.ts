/** A home in which GitHub Copilot CLI talks to the fake model, without an account. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

export const COPILOT: RealAgent = {
  package: findAgent("copilot")!,
  prepare,
  interactive: "copilot --no-auto-update",
  ready: /\/ commands/,
};

function prepare({ home, project, api }: Place): Record<string, string> {
  Deno.mkdirSync(`${home}/.copilot`);
  const config = { trusted_folders: [project], banner: "never" };
  Deno.writeTextFileSync(`${home}/.copilot/config.json`, JSON.stringify(config));
  return {
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_BASE_URL: `${api}/v1`,
    COPILOT_PROVIDER_API_KEY: "dummy-key-for-tests",
    COPILOT_MODEL: "fake-model",
  };
}

/** A home in which `droid exec` talks to the fake model; its terminal interface needs an account. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

export const MODEL = "custom:fake-model";

export const DROID: RealAgent = {
  package: findAgent("droid")!,
  prepare,
  interactive: "droid",
  ready: /never seen here/,
};

function prepare({ home, api }: Place): Record<string, string> {
  Deno.mkdirSync(`${home}/.factory`);
  const settings = {
    customModels: [{
      model: "fake-model",
      displayName: "Fake",
      baseUrl: `${api}/v1`,
      apiKey: "dummy-key-for-tests",
      provider: "generic-chat-completion-api",
      maxOutputTokens: 4096,
    }],
    model: MODEL,
    enableHooks: true,
    cloudSessionSync: false,
  };
  const text = `${JSON.stringify(settings, null, 2)}\n`;
  Deno.writeTextFileSync(`${home}/.factory/settings.json`, text);
  return { FACTORY_API_KEY: "fk-dummy", FACTORY_DROID_AUTO_UPDATE_ENABLED: "false" };
}

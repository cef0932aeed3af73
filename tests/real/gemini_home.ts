/** A home in which Gemini CLI talks to the fake model and trusts its folder. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

export const GEMINI: RealAgent = {
  package: findAgent("gemini")!,
  prepare,
  interactive: "gemini",
  ready: /Type your message/,
};

function prepare({ home, api }: Place): Record<string, string> {
  Deno.mkdirSync(`${home}/.gemini`);
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    // Another one is first asked which model is to answer.
    model: { name: "gemini-2.5-flash" },
    ide: { hasSeenNudge: true },
    ui: { hideTips: true },
  };
  const text = `${JSON.stringify(settings, null, 2)}\n`;
  Deno.writeTextFileSync(`${home}/.gemini/settings.json`, text);
  return {
    GEMINI_API_KEY: "dummy-key-for-tests",
    GOOGLE_GEMINI_BASE_URL: api,
    GEMINI_SANDBOX: "false",
    NO_BROWSER: "1",
  };
}

/** A home in which Qwen Code talks to the fake model and asks before it runs a command. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

const KEY = "dummy-key-for-tests";

export const QWEN: RealAgent = {
  package: findAgent("qwen")!,
  prepare,
  interactive: "qwen",
  ready: /\? for shortcuts|shift \+ tab/,
};

function prepare({ home, api }: Place): Record<string, string> {
  Deno.mkdirSync(`${home}/.qwen`);
  const settings = {
    security: {
      auth: { selectedType: "openai", apiKey: KEY, baseUrl: `${api}/v1` },
      folderTrust: { enabled: false },
    },
    general: { enableAutoUpdate: false, checkpointing: { enabled: false } },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    model: { name: "fake-model" },
    ide: { hasSeenNudge: true },
    // Its own default lets the model decide instead of the person.
    tools: { approvalMode: "default" },
  };
  const text = `${JSON.stringify(settings, null, 2)}\n`;
  Deno.writeTextFileSync(`${home}/.qwen/settings.json`, text);
  return {
    OPENAI_API_KEY: KEY,
    OPENAI_BASE_URL: `${api}/v1`,
    OPENAI_MODEL: "fake-model",
    QWEN_TELEMETRY_ENABLED: "false",
  };
}

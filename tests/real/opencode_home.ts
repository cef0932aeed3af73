/** A home in which OpenCode talks to the fake model and asks before it runs a command. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

export const OPENCODE: RealAgent = {
  package: findAgent("opencode")!,
  prepare,
  interactive: "opencode",
  ready: /Ask anything/,
};

function prepare({ home, api }: Place): Record<string, string> {
  const folder = `${home}/.config/opencode`;
  Deno.mkdirSync(folder, { recursive: true });
  const model = { name: "Fake", tool_call: true, limit: { context: 128_000, output: 4_096 } };
  const config = {
    // Written in by the program itself where it is missing.
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    model: "fake/fake-model",
    small_model: "fake/fake-model",
    permission: { bash: "ask", edit: "ask" },
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        name: "Fake",
        options: { baseURL: `${api}/v1`, apiKey: "dummy-key-for-tests" },
        models: { "fake-model": model },
      },
    },
  };
  Deno.writeTextFileSync(`${folder}/opencode.json`, JSON.stringify(config));
  // It installs a package at every start, and loads plugins only after that try.
  Deno.writeTextFileSync(`${home}/.npmrc`, "offline=true\nfetch-retries=0\n");
  return {
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
}

/** A home in which Kimi Code talks to the fake model and asks before it runs a command. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

export const KIMI: RealAgent = {
  package: findAgent("kimi")!,
  prepare,
  interactive: "kimi",
  ready: /context: 0%/,
  dialogs: [[/Trust this folder\?/, ["Enter"]]],
};

function prepare({ home, api }: Place): Record<string, string> {
  const folder = `${home}/.kimi-code`;
  Deno.mkdirSync(folder);
  Deno.writeTextFileSync(
    `${folder}/config.toml`,
    `default_model = "fake"
default_permission_mode = "manual"
telemetry = false

[providers.fake]
type = "openai"
base_url = "${api}/v1"
api_key = "dummy-key-for-tests"

[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 128000
capabilities = ["tool_use"]
`,
  );
  Deno.writeTextFileSync(`${folder}/tui.toml`, "[upgrade]\nauto_install = false\n");
  return { KIMI_DISABLE_TELEMETRY: "1", KIMI_CODE_NO_AUTO_UPDATE: "1" };
}

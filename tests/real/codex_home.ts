/** A home in which Codex talks to the fake model and asks before it leaves its sandbox. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

export const CODEX: RealAgent = {
  package: findAgent("codex")!,
  prepare,
  // The daemon is a copy of the whole package in each home; few tests are about it.
  interactive: "codex --no-daemon",
  // The footer names the model only once a session is open; the input box is there before.
  ready: /fake-model default/,
  dialogs: [
    // The review is the person's, who is played here.
    [/› 1\. Review hooks/, ["Down"]],
    [/› 2\. Trust all and continue/, ["Enter"]],
  ],
};

function prepare({ home, api }: Place): Record<string, string> {
  const folder = `${home}/.codex`;
  Deno.mkdirSync(folder);
  Deno.writeTextFileSync(
    `${folder}/config.toml`,
    `model = "fake-model"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "${api}/v1"
wire_api = "responses"
env_key = "FAKE_API_PASS"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[features]
enable_request_compression = false
`,
  );
  // Not called a key: such variables are kept from the commands that it runs.
  return { CODEX_HOME: folder, FAKE_API_PASS: "dummy-key-for-tests" };
}

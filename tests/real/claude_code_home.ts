/** A home in which Claude Code has been through its first-start dialogs. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

/** Its dialog remembers a key by its last twenty characters. */
const KEY = "dummy-key-for-tests";

export const CLAUDE: RealAgent = {
  package: findAgent("claude-code")!,
  prepare,
  // Its own default lets a classifier decide instead of the person.
  interactive: "claude --permission-mode default",
  ready: /manual mode|\? for shortcuts/,
};

function prepare({ home, project, api }: Place): Record<string, string> {
  const folder = `${home}/.claude`;
  Deno.mkdirSync(folder);
  const seen = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: "9.9.9",
    theme: "dark",
    customApiKeyResponses: { approved: [KEY], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, allowedTools: [] } },
  };
  Deno.writeTextFileSync(`${folder}/.claude.json`, JSON.stringify(seen));
  return {
    ANTHROPIC_BASE_URL: api,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CONFIG_DIR: folder,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    IS_SANDBOX: "1",
  };
}

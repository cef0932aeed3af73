/** A home in which Cline talks to the fake model; who it talks to is told by its own command. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

export const CLINE: RealAgent = {
  package: findAgent("cline")!,
  prepare,
  interactive: "cline -i --auto-approve false",
  // An advertisement covers the first start in each home, a moment after the prompt is there.
  ready: /any other key to close/,
};

/** To be run once in each home. */
export function signIn({ api }: Place): string[] {
  const about = ["-p", "openai-compatible", "-k", "dummy-key-for-tests", "-m", "fake-model"];
  return ["auth", ...about, "-b", `${api}/v1`];
}

function prepare(): Record<string, string> {
  return { CLINE_NO_AUTO_UPDATE: "1", CLINE_TELEMETRY_DISABLED: "1" };
}

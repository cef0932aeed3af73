/** A home in which Pi talks to the fake model, with an extension that asks before a command runs. */

import { findAgent } from "./agents.ts";
import type { Place, RealAgent } from "./harness.ts";

export const PI: RealAgent = {
  package: findAgent("pi")!,
  prepare,
  interactive: "pi",
  ready: /fake-model/,
};

/** Pi itself asks for no permission. */
const GATE = `export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash" || !ctx.hasUI) return;
    const answer = await ctx.ui.select("Allow this command?", ["Yes", "No"]);
    if (answer !== "Yes") return { block: true, reason: "Refused by the person" };
  });
}
`;

function prepare({ home, api }: Place): Record<string, string> {
  const folder = `${home}/.pi/agent`;
  Deno.mkdirSync(`${folder}/extensions`, { recursive: true });
  const write = (name: string, value: object) =>
    Deno.writeTextFileSync(`${folder}/${name}`, JSON.stringify(value));
  write("models.json", {
    providers: {
      fake: {
        baseUrl: `${api}/v1`,
        api: "openai-completions",
        apiKey: "dummy-key-for-tests",
        models: [{ id: "fake-model" }],
      },
    },
  });
  write("settings.json", { defaultProvider: "fake", defaultModel: "fake-model" });
  Deno.writeTextFileSync(`${folder}/extensions/gate.ts`, GATE);
  return { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" };
}

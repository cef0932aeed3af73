/** The plugin that reports from inside Xal, as source text; `../xal.ts` defines its payloads. */

import { BOUNDED, deliverySource } from "./delivery.ts";

/** Xal awaits its hooks and ends the turn with an error when one throws or answers anything. */
export function xalPlugin({ launcher }: { readonly launcher: string }): string {
  return `// Reports Xal's state to mytty. Never blocks or changes anything.
// @ts-nocheck
import { spawn } from "node:child_process";
${BOUNDED}${deliverySource({ launcher, provider: "xal" })}
const begun = Date.now().toString(36);
let count = 0;
/** By id: the session, and the turn whose end is yet to be told. */
const known = new Map();

function report(event, session, facts) {
  if (session.kind !== "primary" || typeof session.id !== "string") return;
  if (event === "prompt") known.set(session.id, { session, turn: begun + "-" + ++count });
  deliver(bounded({
    event,
    session_id: session.id,
    session_kind: session.kind,
    turn_id: known.get(session.id)?.turn,
    cwd: session.cwd,
    ...facts,
  }));
}

export default {
  name: "mytty",
  register(ctx) {
    try {
      ctx.registerHook({
        name: "state",
        prompt(input, scope) {
          try {
            report("prompt", scope.session, { text: input.text });
          } catch {}
        },
        turnEnd(input, scope) {
          try {
            report("turnEnd", scope.session, { output: input.output });
          } catch {}
        },
      });
    } catch {}
  },
  async shutdown() {
    try {
      for (const { session } of known.values()) report("shutdown", session, {});
      await drained();
    } catch {}
  },
};
`;
}

/** What OpenCode's plugin makes of turns that no recording has; events as seen in 1.18.33. */

import assert from "node:assert/strict";
import { OPENCODE_TRANSLATOR } from "../../src/core/providers/plugins/opencode_translator.ts";

const sessionID = "ses_1";

type Payload = { readonly event: string; readonly outcome?: string };

function outcomeOf(...steps: readonly (readonly [string, unknown])[]): string | undefined {
  const source = `${OPENCODE_TRANSLATOR}\nreturn makeTranslator({ instance: "starting-1-2" });`;
  const { translate } = new Function(source)();
  const tell = (type: string, properties: unknown): Payload | null =>
    translate(type, { event: { type, properties } });
  tell("session.created", { sessionID, info: { id: sessionID } });
  translate("chat.message", {
    input: { sessionID },
    output: { message: { id: "msg_1", role: "user" }, parts: [] },
  });
  const payloads = steps.map(([type, properties]) => tell(type, properties));
  return payloads.at(-1)?.outcome;
}

function answer(info: object): readonly [string, unknown] {
  return ["message.updated", { sessionID, info: { id: "msg_2", role: "assistant", ...info } }];
}

const IDLE = ["session.status", { sessionID, status: { type: "idle" } }] as const;
const RETRY = ["session.status", { sessionID, status: { type: "retry", attempt: 1 } }] as const;

Deno.test("OpenCode: an answer completes the turn", () => {
  const finished = { time: { created: 1, completed: 2 }, finish: "stop" };
  assert.equal(outcomeOf(answer({ time: { created: 1 } }), answer(finished), IDLE), "completed");
});

Deno.test("OpenCode: stopped between two tries, the turn has no answer", () => {
  const empty = answer({ time: { created: 1, completed: 9 } });
  assert.equal(outcomeOf(answer({ time: { created: 1 } }), RETRY, empty, IDLE), "stopped");
  const step = answer({ time: { created: 1, completed: 2 }, finish: "tool-calls" });
  assert.equal(outcomeOf(step, RETRY, empty, IDLE), "stopped");
});

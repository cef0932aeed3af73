/** The fake model's own rules: real agents are judged by them, so they are tested without one. */

import assert from "node:assert/strict";
import { ANTHROPIC } from "./anthropic.ts";
import { RESPONSES } from "./responses.ts";
import { nextStep, type Step, stepsOf } from "./script.ts";
import { startFakeApi } from "./server.ts";

const TOOLS = ["Bash"];

Deno.test("a prompt's markers are its steps, nested ones are text", () => {
  assert.deepEqual(
    stepsOf("go [[tool claude -p 'hi [[slow 5 Nested]]']] and [[question Which?|red| blue ]]"),
    [
      { kind: "tool", command: "claude -p 'hi [[slow 5 Nested]]'" },
      { kind: "question", question: "Which?", options: ["red", "blue"] },
    ],
  );
  const rest: Step[] = [
    { kind: "text", text: "Hi there" },
    { kind: "error", status: 429 },
    { kind: "cut" },
    { kind: "slow", seconds: 3, text: "Word by word" },
    { kind: "slow", seconds: 2.5, text: "" },
  ];
  assert.deepEqual(
    stepsOf("[[text Hi there]] [[error 429]] [[cut]] [[slow 3 Word by word]] [[silent 2.5]]"),
    rest,
  );
  assert.deepEqual(stepsOf("no marker, [[unknown one]], [[text not closed"), []);
});

Deno.test("each tool result is one step done; then the script has ended", () => {
  const user = "[[tool a]] [[tool b]] [[text End]]";
  const kinds = [0, 1, 2, 3].map((toolResults) => nextStep({ user, toolResults, tools: TOOLS }));
  assert.deepEqual(kinds.map(({ kind }) => kind), ["tool", "tool", "text", "text"]);
  const plain = nextStep({ user: "hello", toolResults: 0, tools: TOOLS });
  assert.equal(plain.kind, "text");
  // Without tools it is the agent's own request: the person's script is not played for it.
  assert.match(JSON.stringify(nextStep({ user, toolResults: 0, tools: [] })), /title/);
});

Deno.test("Messages: the last prompt counts, not what was refused or reminded of beside it", () => {
  const tools = [{ name: "Bash" }];
  const text = (text: string) => ({ type: "text", text });
  const result = { type: "tool_result", tool_use_id: "1", content: "ok" };
  const messages = [
    {
      role: "user",
      content: [text("<system-reminder>x [[cut]]</system-reminder>"), text("first")],
    },
    { role: "assistant", content: [] },
    { role: "user", content: [result, text("<system-reminder>y</system-reminder>")] },
  ];
  assert.deepEqual(ANTHROPIC.conversation({ messages, tools }), {
    user: "first",
    toolResults: 1,
    tools: TOOLS,
  });
  const refused = {
    role: "user",
    content: [result, text("[Request interrupted]"), text("second")],
  };
  assert.deepEqual(ANTHROPIC.conversation({ messages: [...messages, refused], tools }), {
    user: "second",
    toolResults: 0,
    tools: TOOLS,
  });
});

Deno.test("Responses: results are counted after the last prompt", () => {
  const said = (text: string) => ({ role: "user", content: [{ type: "input_text", text }] });
  const input = [
    said("<environment_context>\n<cwd>/p</cwd>\n</environment_context>"),
    said("first"),
    { type: "function_call_output" },
    said("second"),
    { type: "function_call" },
    { type: "function_call_output" },
  ];
  const tools = [{ type: "function", name: "exec_command" }, { type: "web_search" }];
  assert.deepEqual(RESPONSES.conversation({ input, tools }), {
    user: "second",
    toolResults: 1,
    tools: ["exec_command", "web_search"],
  });
});

Deno.test("the server plays a script, breaks a stream on demand, and says what it was asked", async () => {
  const api = await startFakeApi();
  const ask = (content: string) =>
    fetch(`${api.url}/v1/messages`, {
      method: "POST",
      body: JSON.stringify({
        stream: true,
        tools: [{ name: "Bash" }],
        messages: [{ role: "user", content }],
      }),
    });
  try {
    assert.match(await (await ask("[[slow 0.01 Hi there]]")).text(), /"Hi"[\s\S]*message_stop/);
    const failed = await ask("[[error 429]]");
    assert.equal(failed.status, 429);
    await failed.body?.cancel();
    await assert.rejects((await ask("[[cut]]")).text());
    const steps = api.requests.map(({ step }) => step?.kind);
    assert.deepEqual(steps, ["slow", "error", "cut"]);
  } finally {
    await api.close();
  }
});

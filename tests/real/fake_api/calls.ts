/** The agents' own tools: how each wants a command to run, or a question to be asked. */

import type { Step } from "./script.ts";

export type Call = { readonly name: string; readonly input: Record<string, unknown> };

type Shell = (command: string, isEscalated: boolean) => Record<string, unknown>;
type Question = (
  question: string,
  options: readonly string[],
  tools: readonly string[],
) => Record<string, unknown>;

/** By the tool's name; the first that the agent offers is taken. */
const SHELLS: Readonly<Record<string, Shell>> = {
  Bash: described,
  exec_command: (cmd, isEscalated) => ({
    cmd,
    ...(isEscalated
      ? { sandbox_permissions: "require_escalated", justification: "The script wants it" }
      : {}),
  }),
  bash: described,
  run_shell_command: (command) => ({ ...described(command), is_background: false }),
  run_commands: (command) => ({ commands: [command] }),
  Execute: (command) => ({
    command,
    summary: "Run a scripted command",
    riskLevel: "medium",
    riskLevelReason: "The script wants it",
  }),
};

function described(command: string): Record<string, unknown> {
  return { command, description: "Run a scripted command" };
}

const QUESTIONS: Readonly<Record<string, Question>> = {
  AskUserQuestion: (question, options, tools) => ({
    questions: [{
      question,
      header: "Choice",
      // Kimi's tool of this name takes nothing that it does not know.
      ...(tools.includes("AgentSwarm") ? {} : { multiSelect: false }),
      options: options.map((label) => ({ label, description: `It is ${label}` })),
    }],
  }),
  request_user_input: (question, options) => ({
    questions: [{
      id: "choice",
      header: "Choice",
      question,
      options: options.map((label) => ({ label, description: `It is ${label}` })),
    }],
  }),
  question: choice,
  ask_user_question: choice,
  ask_question: (question, options) => ({ question, options }),
  // Two agents name their tool so; each takes its own part.
  ask_user: (question, options) => ({
    ...choice(question, options),
    message: question,
    requestedSchema: {
      properties: { choice: { type: "string", title: "Choice", enum: options } },
      required: ["choice"],
    },
  }),
};

function choice(question: string, options: readonly string[]): Record<string, unknown> {
  return {
    questions: [{
      question,
      header: "Choice",
      type: "choice",
      multiple: false,
      multiSelect: false,
      options: options.map((label) => ({ label, description: `It is ${label}` })),
    }],
  };
}

/** The call that makes the agent do this step; undefined for a step that is no call. */
export function callOf(step: Step, tools: readonly string[]): Call | undefined {
  if (step.kind === "tool") {
    const name = known(SHELLS, tools);
    const command = step.command.replace(/^!\s*/, "");
    return { name, input: SHELLS[name]!(command, command !== step.command) };
  }
  if (step.kind === "question") {
    const name = known(QUESTIONS, tools);
    return { name, input: QUESTIONS[name]!(step.question, step.options, tools) };
  }
  return undefined;
}

function known(table: Readonly<Record<string, unknown>>, tools: readonly string[]): string {
  const name = Object.keys(table).find((name) => tools.includes(name));
  if (name === undefined) throw new Error(`No tool for this step among: ${tools.join(", ")}`);
  return name;
}

/**
 * What the fake model does next: pure. A prompt carries its own script, one marker per step:
 *
 *   [[text Hi there]]               answers so, and that is the end of the turn
 *   [[tool touch made]]             runs a command in the agent's shell tool, then goes on
 *   [[tool !touch made]]            the same, outside the agent's sandbox where it has one
 *   [[question Which?|red|blue]]    asks the person by the agent's own tool, then goes on
 *   [[error 429]]                   answers with this HTTP status
 *   [[cut]]                         the stream breaks in the middle
 *   [[slow 3 Some words]]           answers so, spread over three seconds
 *   [[silent 3]]                    begins an answer, and says nothing for three seconds
 *
 * Markers may be nested (`[[tool agent -p 'hi [[text Hi]]']]`): the outer one keeps the inner ones
 * as text. Each tool result after the prompt is one step done.
 */

export type Step =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool"; readonly command: string }
  | { readonly kind: "question"; readonly question: string; readonly options: readonly string[] }
  | { readonly kind: "error"; readonly status: number }
  | { readonly kind: "cut" }
  | { readonly kind: "slow"; readonly seconds: number; readonly text: string };

/** What an adapter reads out of one request. */
export type Conversation = {
  /** The text of the person's last message, without what the agent wraps around it. */
  readonly user: string;
  /** Tool results after that message. */
  readonly toolResults: number;
  /** Names of the tools that the agent offers; none: a request of its own, such as a title. */
  readonly tools: readonly string[];
};

/** Agents' own requests often want a title as JSON; as plain text it does no harm either. */
const SIDE_ANSWER: Step = { kind: "text", text: '{"title":"A title"}' };
const PLAIN_ANSWER: Step = { kind: "text", text: "Hello from the fake model." };
const LAST_ANSWER: Step = { kind: "text", text: "Done: the script has ended." };

export function nextStep({ user, toolResults, tools }: Conversation): Step {
  if (tools.length === 0) return SIDE_ANSWER;
  const steps = stepsOf(user);
  if (steps.length === 0) return toolResults === 0 ? PLAIN_ANSWER : LAST_ANSWER;
  return steps[toolResults] ?? LAST_ANSWER;
}

export function stepsOf(text: string): Step[] {
  return markersOf(text).flatMap((marker) => stepOf(marker) ?? []);
}

/** The insides of the outermost `[[…]]`. */
function markersOf(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    if (pair === "[[") {
      if (depth++ === 0) start = at + 2;
      at++;
    } else if (pair === "]]" && depth > 0) {
      if (--depth === 0) found.push(text.slice(start, at));
      at++;
    }
  }
  return found;
}

function stepOf(marker: string): Step | undefined {
  const [, word, rest = ""] = /^(\w+)(?:\s+([\s\S]*))?$/.exec(marker.trim()) ?? [];
  switch (word) {
    case "text":
      return { kind: "text", text: rest };
    case "tool":
      return { kind: "tool", command: rest };
    case "question": {
      const [question = "", ...options] = rest.split("|").map((part) => part.trim());
      return { kind: "question", question, options };
    }
    case "error":
      return { kind: "error", status: Number(rest) };
    case "cut":
      return { kind: "cut" };
    case "slow": {
      const [, seconds, text] = /^([\d.]+)\s*([\s\S]*)$/.exec(rest) ?? [];
      return { kind: "slow", seconds: Number(seconds), text: text || "Slowly, word by word." };
    }
    case "silent":
      return { kind: "slow", seconds: Number(rest), text: "" };
    default:
      return undefined;
  }
}

/** The extension that reports from inside Pi, as source text; `../pi.ts` defines its payloads. */

import { BOUNDED, deliverySource } from "./delivery.ts";

/**
 * `makeTranslator()` gives `translate(event, context)`: the payload to deliver, or null.
 *
 * Pi's events say little each: a retry looks like a start, the end does not say how it went, and a
 * dialog names no tool. What is needed to tell is remembered here.
 */
export const PI_TRANSLATOR = `${BOUNDED}
/** Tools that ask nothing themselves: a dialog during them is a gate, not a question. */
const BUILT_IN = new Set(["bash", "powershell", "edit", "write", "read", "grep", "find", "ls"]);

function makeTranslator() {
  let hasBegun = false;
  let isOpen = false;
  let prompt = null;
  let last = {};
  let dialogs = 0;
  let dialog = null;
  const tools = new Map();

  function endOf(message) {
    const parts = Array.isArray(message.content) ? message.content : [];
    return {
      stop_reason: message.stopReason,
      error_message: message.errorMessage,
      text: parts.filter((part) => part?.type === "text").map((part) => part.text).join("\\n"),
    };
  }

  function begin(event, { idle }) {
    hasBegun = true;
    tools.clear();
    dialog = null;
    // A reloaded extension is a new one in the middle of whatever goes on.
    isOpen = event.reason === "reload" && idle === false;
    return { reason: event.reason };
  }

  function ask(event) {
    if (!isOpen) return null;
    dialog = "dialog-" + ++dialogs;
    const pending = [...tools.values()];
    const gates = pending.length > 0 && event.kind !== "input" && event.kind !== "editor" &&
      (event.kind === "confirm" || pending.some((name) => BUILT_IN.has(name)));
    return {
      prompt_id: dialog,
      kind: event.kind,
      title: event.title,
      asks: gates ? "approval" : "answer",
      tool_name: pending.at(-1),
    };
  }

  const handlers = {
    session_start: begin,
    session_shutdown: (event) => event.reason === "quit" ? { reason: event.reason } : null,
    before_agent_start(event) {
      prompt = event.prompt;
      return null;
    },
    agent_start() {
      if (isOpen) return null;
      isOpen = true;
      last = {};
      tools.clear();
      return { prompt };
    },
    turn_end(event) {
      if (event.message) last = endOf(event.message);
      return null;
    },
    agent_settled(event) {
      if (!isOpen) return null;
      isOpen = false;
      dialog = null;
      return { aborted: event.aborted, ...last };
    },
    ui_prompt_start: ask,
    ui_prompt_end() {
      const answered = dialog;
      dialog = null;
      return answered === null ? null : { prompt_id: answered };
    },
    tool_execution_start(event) {
      tools.set(event.toolCallId, event.toolName);
      return null;
    },
    tool_execution_end(event) {
      tools.delete(event.toolCallId);
      return null;
    },
  };

  function translate(event, context) {
    const handler = Object.hasOwn(handlers, event.type) ? handlers[event.type] : undefined;
    // Sessions made by other extensions never begin here, and are no business of the pane.
    if (handler === undefined || (!hasBegun && event.type !== "session_start")) return null;
    const facts = handler(event, context);
    if (facts === null) return null;
    return bounded({
      event: event.type,
      session_id: context.sessionId,
      session_file: context.sessionFile,
      mode: context.mode,
      cwd: context.cwd,
      ...facts,
    });
  }

  return { translate, events: Object.keys(handlers) };
}
`;

export function piPlugin({ launcher }: { readonly launcher: string }): string {
  return `// Reports Pi's state to mytty. Never blocks or changes anything.
import { spawn } from "node:child_process";
${PI_TRANSLATOR}${deliverySource({ launcher, provider: "pi" })}
function contextOf(ctx) {
  return {
    sessionId: ctx.sessionManager?.getSessionId?.(),
    sessionFile: ctx.sessionManager?.getSessionFile?.(),
    mode: ctx.mode,
    cwd: ctx.cwd,
    idle: ctx.isIdle?.(),
  };
}

export default function mytty(pi) {
  try {
    const { translate, events } = makeTranslator();
    for (const name of events) {
      pi.on(name, (event, ctx) => {
        try {
          const payload = translate({ ...event, type: name }, contextOf(ctx));
          if (payload !== null) deliver(payload);
          // It waits for its handlers, but not for a child, when a person quits.
          if (name === "session_shutdown") return drained();
        } catch {}
      });
    }
  } catch {}
}
`;
}

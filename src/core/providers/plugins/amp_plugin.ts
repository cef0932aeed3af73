/** The plugin that reports from inside Amp, as source text; `../amp.ts` defines its payloads. */

import { BOUNDED, deliverySource } from "./delivery.ts";

/** Handlers answer nothing: an answer to `agent.end`, for one, would begin another turn. */
export function ampPlugin({ launcher }: { readonly launcher: string }): string {
  return `// @i-know-the-amp-plugin-api-is-wip-and-very-experimental-right-now
// Reports Amp's state to mytty. Never blocks or changes anything.
// @ts-nocheck
import { spawn } from "node:child_process";
${BOUNDED}${deliverySource({ launcher, provider: "amp" })}
const MAX_THREADS = 200;
const threads = new Map();
let asked = 0;
let order = Promise.resolve();

/** What is remembered of a thread; its parent, asked for once, within half a second. */
function entryOf(id, thread) {
  const known = threads.get(id);
  if (known !== undefined) return known;
  const entry = { turn: undefined, request: undefined, parent: parentOf(thread) };
  threads.set(id, entry);
  if (threads.size > MAX_THREADS) threads.delete(threads.keys().next().value);
  try {
    thread?.state?.subscribe?.((state) => stateChanged(id, thread, state));
  } catch {}
  return entry;
}

async function parentOf(thread) {
  try {
    if (typeof thread?.parentThreadID !== "function") return undefined;
    const late = new Promise((resolve) => setTimeout(resolve, 500));
    return await Promise.race([thread.parentThreadID(), late]);
  } catch {
    return undefined;
  }
}

function stateChanged(id, thread, state) {
  const entry = threads.get(id);
  if (entry === undefined) return;
  const isAsking = state === "awaiting-approval";
  // Any other end of the waiting is told by agent.end.
  if (isAsking === (entry.request !== undefined) || (!isAsking && state !== "running")) return;
  if (isAsking) entry.request = "approval-" + ++asked;
  report("thread.state", id, thread, { state, request_id: entry.request });
  if (!isAsking) entry.request = undefined;
}

function report(event, id, thread, facts) {
  const entry = entryOf(id, thread);
  const text = bounded({ event, session_id: id, turn_id: entry.turn, ...facts });
  order = order.then(async () => {
    const parent = await entry.parent;
    deliver(typeof parent === "string" ? { ...text, parent_session_id: parent } : text);
  }).catch(() => {});
}

function lastText(messages) {
  const last = messages?.findLast?.((message) => message.role === "assistant");
  return last?.content?.filter((part) => part.type === "text").map((part) => part.text).join("\\n");
}

const HANDLERS = {
  "session.start": () => ({}),
  "agent.start": (event) => ({ prompt: event.message }),
  "agent.end": (event) => ({ status: event.status, text: lastText(event.messages) }),
};

export default function mytty(amp) {
  for (const [name, factsOf] of Object.entries(HANDLERS)) {
    try {
      amp.on(name, (event, ctx) => {
        try {
          const id = event?.thread?.id ?? ctx?.thread?.id;
          if (typeof id !== "string") return;
          const entry = entryOf(id, ctx?.thread);
          if (name !== "session.start") {
            entry.turn = event.id === undefined ? undefined : String(event.id);
            entry.request = undefined;
          }
          report(name, id, ctx?.thread, factsOf(event));
        } catch {}
      });
    } catch {}
  }
}
`;
}

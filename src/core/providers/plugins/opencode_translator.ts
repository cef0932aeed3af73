/** What the OpenCode plugin makes of the host's events, as source text; see `opencode.ts`. */

import { BOUNDED } from "./delivery.ts";

/**
 * `makeTranslator({instance, directory})` gives `translate(name, data)`: the payload or null.
 *
 * The host tells an end by one event, whatever the reason: what came before it decides, so each
 * session's turn is remembered. Sub-agents are sessions with a parent.
 */
export const OPENCODE_TRANSLATOR = `${BOUNDED}
const MAX_SESSIONS = 500;

function makeTranslator({ instance, directory }) {
  const sessions = new Map();

  function learn(info) {
    if (typeof info?.id !== "string" || sessions.has(info.id)) return false;
    if (sessions.size >= MAX_SESSIONS) sessions.delete(sessions.keys().next().value);
    const parent = typeof info.parentID === "string" ? info.parentID : null;
    sessions.set(info.id, { parent, messageID: null, isOpen: false, outcome: null, answered: false });
    return true;
  }

  /** The session that a person talks to, or null where the line of parents is not known. */
  function rootOf(id) {
    for (let depth = 0; depth < 8; depth++) {
      const session = sessions.get(id);
      if (session === undefined) return null;
      if (session.parent === null) return id;
      id = session.parent;
    }
    return null;
  }

  function about(id, event, rest) {
    const root = rootOf(id);
    if (root === null) return null;
    const messageID = sessions.get(root).messageID;
    return {
      event,
      sessionID: root,
      ...(root === id ? {} : { childID: id }),
      ...(messageID === null ? {} : { messageID }),
      ...bounded(rest),
    };
  }

  function open(session) {
    session.isOpen = true;
    session.outcome = null;
    session.answered = false;
  }

  function prompted(id, { output }) {
    const session = sessions.get(id);
    open(session);
    session.messageID = output.message?.id ?? null;
    const { id: messageID, role, agent } = output.message ?? {};
    const parts = (output.parts ?? []).filter((part) => part?.type === "text" && !part.synthetic)
      .map(({ type, text }) => ({ type, text }));
    return about(id, "chat.message", { output: { message: { id: messageID, role, agent }, parts } });
  }

  function status(id, properties) {
    const session = sessions.get(id);
    const type = properties.status?.type ?? properties.status;
    if (type === "idle") return idle(id);
    // Repeated before every step; one after a refusal says that the turn goes on.
    if (type === "busy" && session.outcome === "rejected") session.outcome = null;
    if (type === "busy" && session.isOpen) return null;
    if (type !== "busy" && type !== "retry") return null;
    if (!session.isOpen) open(session);
    return about(id, "session.status", { properties });
  }

  /** Told twice or more; only the first ends the turn. Without an answer it was cut off. */
  function idle(id) {
    const session = sessions.get(id);
    if (!session.isOpen) return null;
    session.isOpen = false;
    const outcome = session.outcome ?? (session.answered ? "completed" : "stopped");
    return about(id, "session.idle", { outcome });
  }

  function failed(id, properties) {
    sessions.get(id).isOpen = false;
    const { name, data } = properties.error ?? {};
    return about(id, "session.error", { properties: { error: { name, message: data?.message } } });
  }

  function asked(id, properties, event) {
    sessions.get(id).isOpen = true;
    return about(id, event, { properties });
  }

  function replied(id, properties, event) {
    const reply = properties.reply ?? properties.response;
    if (reply === "reject" || event === "question.rejected") sessions.get(id).outcome = "rejected";
    return about(id, event, { properties });
  }

  function message(id, { info }) {
    const session = sessions.get(id);
    if (info?.role !== "assistant") return null;
    if (info.finish) session.answered = true;
    // Stopped before the model had said anything: between two tries, say.
    else if (info.time?.completed) session.answered = false;
    return null;
  }

  function deleted(id) {
    const payload = rootOf(id) === id ? about(id, "session.deleted", {}) : null;
    sessions.delete(id);
    return payload;
  }

  function disposed() {
    const roots = [...sessions.keys()].filter((id) => rootOf(id) === id).slice(-50);
    return { event: "plugin.disposed", instance, sessionIDs: roots };
  }

  const handlers = {
    "chat.message": prompted,
    "session.status": status,
    "session.idle": idle,
    "session.error": failed,
    "session.deleted": deleted,
    "message.updated": message,
  };
  for (const kind of ["permission", "permission.v2", "question", "question.v2"]) {
    const name = kind.replace(".v2", "");
    for (const verb of ["asked", "replied", "rejected"]) {
      const handle = verb === "asked" ? asked : replied;
      handlers[kind + "." + verb] = (id, data) => handle(id, data, name + "." + verb);
    }
  }

  function translate(name, data) {
    if (name === "plugin.loaded") return { event: name, instance, directory };
    if (name === "dispose") return disposed();
    const properties = data.event?.properties ?? data;
    if (name === "session.created" || name === "session.updated") {
      const { id, directory, title, version } = properties.info ?? {};
      if (!learn(properties.info) || rootOf(id) !== id) return null;
      return about(id, "session.created", { properties: { info: { id, directory, title, version } } });
    }
    const id = sessionOf(name, data);
    const isKnown = Object.hasOwn(handlers, name) && sessions.has(id);
    return isKnown ? handlers[name](id, properties) : null;
  }

  /** The session that \`translate\` must know before it can use this event; null: none. */
  function sessionOf(name, data) {
    if (!Object.hasOwn(handlers, name)) return null;
    const properties = data.event?.properties ?? data;
    return properties.sessionID ?? properties.info?.sessionID ?? properties.info?.id ??
      properties.input?.sessionID ?? properties.output?.message?.sessionID ?? null;
  }

  return { translate, sessionOf, learn, knows: (id) => sessions.has(id) };
}
`;

/**
 * Building blocks for hooks of the shape that Claude Code introduced and others follow: one JSON
 * object with `hook_event_name`, `session_id`, and `tool_name`/`tool_input` on tool events.
 *
 * What differs between providers (names, keys, meaning of an end) stays in their records.
 */

import {
  type HookFact,
  type HookInput,
  requestKeyOf,
  type RunFact,
  type SessionEndFact,
  toolSummary,
} from "./hook_fact.ts";
import { type JsonObject, objectAt, own, stringAt } from "../json.ts";
import { sessionIDOrNull } from "../text.ts";

/** Who speaks, about which turn. */
export type Said = Pick<RunFact, "fact" | "sessionID" | "turnKey" | "hookName"> & {
  readonly childKey?: string;
};

export type EventDecoder = (
  said: Said,
  payload: JsonObject,
  env: Readonly<Record<string, string>>,
) => HookFact[];

export type EventTable = Readonly<Record<string, EventDecoder>>;

/** A decoder from a table of event names; an unknown event is no fact. */
export function decoderOf(
  events: EventTable,
  { turnKey }: { turnKey?: string } = {},
): (input: HookInput) => HookFact[] {
  return ({ payload, event, env }) => {
    const hookName = stringAt(payload, "hook_event_name") ?? event ?? "";
    if (!Object.hasOwn(events, hookName)) return [];
    const childKey = stringAt(payload, "agent_id");
    const said: Said = {
      fact: "run",
      sessionID: sessionIDOrNull(own(payload, "session_id")),
      turnKey: turnKey === undefined ? null : stringAt(payload, turnKey) ?? null,
      hookName,
      ...(childKey === undefined ? {} : { childKey }),
    };
    return events[hookName]!(said, payload, env);
  };
}

export function sessionStart(said: Said, payload: JsonObject): HookFact[] {
  // Compaction happens inside a turn and changes neither the session nor its state.
  if (said.sessionID === null || payload.source === "compact") return [];
  const transcript = stringAt(payload, "transcript_path");
  return [{
    fact: "session-started",
    sessionID: said.sessionID,
    hookName: said.hookName,
    ...(transcript === undefined ? {} : { transcript }),
  }];
}

export function sessionEnd(said: Said, reason: SessionEndFact["reason"]): HookFact[] {
  if (said.sessionID === null) return [];
  return [{ fact: "session-ended", sessionID: said.sessionID, hookName: said.hookName, reason }];
}

/** "other" is what a hang-up, SIGTERM or a print run's end sends; the rest is the person's wish. */
export function sessionEndByReason(said: Said, payload: JsonObject): HookFact[] {
  const reason = stringAt(payload, "reason") ?? "other";
  return sessionEnd(said, reason === "other" ? "lost" : "closed");
}

export function started(said: Said, text: string | undefined): HookFact[] {
  return [{ ...said, kind: "started", ...messageOf(text) }];
}

export function request(
  said: Said,
  payload: JsonObject,
  { kind, key }: { kind: "input-requested" | "approval-requested"; key: string },
): HookFact[] {
  const summary = toolSummary(objectAt(payload, "tool_input"));
  return [{ ...said, kind, ...toolFields(payload), ...messageOf(summary), requestKey: key }];
}

/** A finished tool settles its own request, under whichever of its two names it was asked. */
export function toolFinished(said: Said, payload: JsonObject, key: string): HookFact[] {
  const id = stringAt(payload, "tool_use_id");
  const settles = id === undefined ? [key] : [key, id];
  return [{ ...said, kind: "running", settles, ...toolFields(payload) }];
}

/** A sign of work that answers no request. */
export function working(said: Said, payload: JsonObject): HookFact[] {
  return [{ ...said, kind: "running", settles: "none", ...toolFields(payload) }];
}

/** Only events that name their agent are a sub-agent's: a main session may send them by mistake. */
export function childEvent(
  said: Said,
  kind: "started" | "succeeded" | "failed",
  text?: string,
): HookFact[] {
  return said.childKey === undefined ? [] : [{ ...said, kind, ...messageOf(text) }];
}

/** A compaction asked for by the person is work of its own; an automatic one belongs to its turn. */
export function compaction(said: Said, payload: JsonObject): HookFact[] {
  const begins = said.hookName === "PreCompact";
  if (payload.trigger === "auto") {
    return begins ? [{ ...said, kind: "running", settles: "none" }] : [];
  }
  const own = { ...said, turnKey: "compact" };
  return [
    begins ? { ...own, kind: "started", message: "Compacting" } : { ...own, kind: "succeeded" },
  ];
}

/**
 * Identity of a request where the question and the finished tool share nothing but the command
 * line: a dialog may wrap or cut it, so only its beginning counts.
 */
export function commandKey(command: string): string {
  return requestKeyOf("command", command.replace(/\s+/g, " ").trim().slice(0, 120));
}

export function toolFields(payload: JsonObject): { toolName?: string; toolUseID?: string } {
  const toolName = stringAt(payload, "tool_name");
  const toolUseID = stringAt(payload, "tool_use_id");
  return {
    ...(toolName === undefined ? {} : { toolName }),
    ...(toolUseID === undefined ? {} : { toolUseID }),
  };
}

export function messageOf(text: string | undefined): { message?: string } {
  return text === undefined ? {} : { message: text };
}

/**
 * What a provider's decoder makes of one hook payload: facts in our words, still without ids, time
 * or place. Decoders are total: any JSON object gives facts or none, and never an exception.
 */

import { derivedID } from "../ids.ts";
import { canonicalJson, type JsonObject } from "../json.ts";
import type { EventKind, Settles } from "../log/event.ts";

export type HookInput = {
  readonly payload: JsonObject;
  /** The event name given outside the payload, where the provider names it only in arguments. */
  readonly event: string | null;
  /** The variables that the provider's record asked for. */
  readonly env: Readonly<Record<string, string>>;
};

export type RunFact = {
  readonly fact: "run";
  readonly kind: EventKind;
  readonly sessionID: string | null;
  /** The provider's own id of the prompt; null = the session's current run (a start: a new one). */
  readonly turnKey: string | null;
  /** Set when a sub-agent speaks: its id within the session. */
  readonly childKey?: string;
  readonly hookName: string;
  readonly message?: string;
  readonly toolUseID?: string;
  readonly toolName?: string;
  readonly requestKey?: string;
  readonly settles?: Settles;
  readonly weak?: true;
  readonly continuation?: true;
  readonly background?: true;
};

export type SessionStartFact = {
  readonly fact: "session-started";
  readonly sessionID: string;
  readonly hookName: string;
  readonly transcript?: string;
};

export type SessionEndFact = {
  readonly fact: "session-ended";
  readonly sessionID: string;
  readonly hookName: string;
  readonly reason: "closed" | "lost";
};

export type HookFact = RunFact | SessionStartFact | SessionEndFact;

/** Identity of a request where the provider gives none: the tool and what it was asked to do. */
export function requestKeyOf(toolName: string, toolInput: unknown): string {
  return derivedID("request", toolName, canonicalJson(toolInput ?? null));
}

const TELLING_KEYS = ["command", "file_path", "path", "url", "query", "pattern", "description"];

/** One line that says what a tool call is about; undefined when its input tells nothing. */
export function toolSummary(input: JsonObject | undefined): string | undefined {
  if (input === undefined) return undefined;
  const question = firstQuestion(input);
  if (question !== undefined) return question;
  for (const key of TELLING_KEYS) {
    const value = input[key];
    if (typeof value === "string" && value.trim() !== "") return value;
    if (Array.isArray(value) && value.every((part) => typeof part === "string")) {
      return value.join(" ");
    }
  }
  return undefined;
}

function firstQuestion(input: JsonObject): string | undefined {
  const { questions } = input;
  if (!Array.isArray(questions)) return undefined;
  for (const entry of questions) {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) continue;
    const text = entry.question ?? entry.header;
    if (typeof text === "string" && text !== "") return text;
  }
  return undefined;
}

/** What one control sequence says; its text is bounded and free of control characters. */

import { boundedText, stripControl } from "../text.ts";

export type TerminalSignal =
  | { readonly signal: "prompt" }
  | { readonly signal: "command-started" }
  | { readonly signal: "command-ended"; readonly exitCode: number | null }
  | { readonly signal: "notice"; readonly title: string | null; readonly body: string }
  | { readonly signal: "folder"; readonly host: string | null; readonly path: string }
  | {
    readonly signal: "progress";
    readonly state: "none" | "running" | "failed" | "unknown" | "paused";
    readonly percent: number | null;
  }
  | { readonly signal: "status"; readonly state: string; readonly message: string | null };

type NoticeParts = Map<string, { title: string; body: string }>;

const MAX_TEXT = 2_000;
const MAX_PARTS = 64;

/** Null for every sequence that is none of ours, and for malformed ones. */
export function signalOf(text: string, parts: NoticeParts): TerminalSignal | null {
  const [code, rest] = split(text);
  switch (code) {
    case "133":
      return commandMark(rest);
    case "9":
      return /^4(;|$)/.test(rest) ? progress(rest) : plainNotice(rest);
    case "99":
      return kittyNotice(rest, parts);
    case "777":
      return urxvtNotice(rest);
    case "7":
      return folder(rest);
    case "7501":
      return programStatus(rest);
    default:
      return null;
  }
}

function split(text: string, mark = ";"): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function clean(text: string): string {
  return boundedText(stripControl(text), MAX_TEXT).trim();
}

function commandMark(rest: string): TerminalSignal | null {
  const [mark, parameters] = split(rest);
  if (mark === "A") return { signal: "prompt" };
  if (mark === "C") return { signal: "command-started" };
  if (mark !== "D") return null;
  const status = /^(\d{1,9})(;|$)/.exec(parameters)?.[1];
  return { signal: "command-ended", exitCode: status === undefined ? null : Number(status) };
}

/** ConEmu's numbered requests share the number with iTerm's notices. */
function plainNotice(rest: string): TerminalSignal | null {
  if (/^\d{1,2}(;|$)/.test(rest)) return null;
  const body = clean(rest);
  return body === "" ? null : { signal: "notice", title: null, body };
}

const PROGRESS_STATES = ["none", "running", "failed", "unknown", "paused"] as const;

function progress(rest: string): TerminalSignal | null {
  const [, state = "", value = ""] = rest.split(";");
  const known = /^[0-4]$/.test(state) ? PROGRESS_STATES[Number(state)] : undefined;
  if (known === undefined) return null;
  const percent = /^\d{1,3}$/.test(value) ? Math.min(100, Number(value)) : null;
  return { signal: "progress", state: known, percent };
}

function urxvtNotice(rest: string): TerminalSignal | null {
  const [verb, text] = split(rest);
  if (verb !== "notify") return null;
  const [title, body] = split(text).map(clean) as [string, string];
  return title === "" && body === ""
    ? null
    : { signal: "notice", title: title || null, body: body || title };
}

function kittyNotice(rest: string, parts: NoticeParts): TerminalSignal | null {
  const [metadata, payload] = split(rest);
  const keys = new Map(metadata.split(":").map((pair) => split(pair, "=")));
  const part = keys.get("p") ?? "title";
  // Queries, closings and icons are no notices.
  if (part !== "title" && part !== "body") return null;
  const text = keys.get("e") === "1" ? fromBase64(payload) : payload;
  if (text === null) return null;
  const id = keys.get("i") ?? "";
  const known = parts.get(id) ?? { title: "", body: "" };
  const next = { ...known, [part]: boundedText(known[part] + text, MAX_TEXT) };
  if (keys.get("d") === "0") {
    if (parts.size < MAX_PARTS || parts.has(id)) parts.set(id, next);
    return null;
  }
  parts.delete(id);
  const [title, body] = [clean(next.title), clean(next.body)];
  if (title === "" && body === "") return null;
  return { signal: "notice", title: body === "" ? null : title || null, body: body || title };
}

function folder(rest: string): TerminalSignal | null {
  const match = /^file:\/\/([^/]*)(\/.*)$/.exec(rest);
  if (match === null) return null;
  const path = decoded(match[2]!);
  return path === null ? null : {
    signal: "folder",
    host: clean(match[1]!) || null,
    path: clean(path),
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const STATUSES = new Set(["working", "blocked", "done", "error", "idle"]);

/** Published by a third party: the state is looked for by name, bare or as a `state=` pair. */
function programStatus(rest: string): TerminalSignal | null {
  const fields = rest.split(";");
  const at = fields.findIndex((field) => STATUSES.has(field.replace(/^(state|status|s)=/, "")));
  if (at === -1) return null;
  const state = fields[at]!.replace(/^\w+=/, "");
  const told = fields.slice(at + 1).map((field) => field.replace(/^(message|msg|m)=/, ""));
  return { signal: "status", state, message: clean(told.join(";")) || null };
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 of UTF-8 to text; null for anything else. */
function fromBase64(text: string): string | null {
  const digits = text.replace(/=+$/, "");
  if (!/^[A-Za-z0-9+/]*$/.test(digits)) return null;
  let [bits, count, escaped] = [0, 0, ""];
  for (const digit of digits) {
    bits = ((bits << 6) | ALPHABET.indexOf(digit)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    escaped += `%${((bits >> count) & 0xff).toString(16).padStart(2, "0")}`;
  }
  return decoded(escaped);
}

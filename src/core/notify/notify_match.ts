/**
 * Whether an agent's hook and a terminal notice tell the same thing (design section 10). The hook's
 * text is the richer one, so it is the terminal's notice that gives way.
 */

import type { Notice } from "./notice.ts";

/** A hook and a terminal notice this far apart, at most, may be one event. */
export const COALESCE_MS = 2_000;

/** Titles that programs give to "something has ended", whatever it was. */
const COMPLETION_TITLES = new Set(["task completed!", "command executed!"]);

/** A notice that was announced, and when; kept for the window. */
export type Announced = { readonly notice: Notice; readonly at: number; consumed: boolean };

export function isTerminalSide({ origin }: Notice): boolean {
  return origin === "terminal";
}

/**
 * The one hook notice that says what `terminal` says; null when there is none, or when it cannot
 * be told which of several it is: then all are delivered.
 */
export function sameNotice(
  terminal: Announced,
  announced: readonly Announced[],
): Announced | null {
  const matches = announced.filter((other) =>
    !other.consumed && !isTerminalSide(other.notice) && other.notice.origin !== "test" &&
    Math.abs(other.at - terminal.at) <= COALESCE_MS &&
    isSameContent(other.notice, terminal.notice)
  );
  return matches.length === 1 ? matches[0]! : null;
}

function isSameContent(hook: Notice, terminal: Notice): boolean {
  const { surfaceID } = hook.place;
  if (surfaceID === null || surfaceID !== terminal.place.surfaceID) return false;
  if (hook.subject !== "" && same(hook.subject, terminal.subject)) return true;
  if (same(hook.title, terminal.subject)) return true;
  if (isCompletion(hook) && COMPLETION_TITLES.has(terminal.subject.toLowerCase())) return true;
  // OSC 9 has a body only.
  return terminal.subject === "" && terminal.body !== "" && same(hook.body, terminal.body);
}

function isCompletion({ kind, title }: Notice): boolean {
  return kind === "completion" || COMPLETION_TITLES.has(title.toLowerCase());
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

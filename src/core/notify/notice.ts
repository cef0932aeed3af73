/**
 * A notice: something that may be announced to a person, in words fit for any channel. Made from an
 * attention item, from what a terminal program announced itself, or from a Muxy event.
 */

import { isOpenItem } from "../log/attention.ts";
import { displayName } from "../registry.ts";
import { type AttentionItem, ITEM_KINDS, type ItemKind, type State } from "../log/state.ts";
import { boundedText, terminalLine } from "../text.ts";

/** `message`: no attention item, only words (a terminal's own notice, a Muxy notification). */
export const NOTICE_KINDS = [...ITEM_KINDS, "message"] as const;

export type NoticeKind = typeof NOTICE_KINDS[number];

export const CHANNEL_NAMES = [
  "desktop",
  "terminal",
  "tmux",
  "command",
  "webhook",
  "ntfy",
] as const;

export type ChannelName = typeof CHANNEL_NAMES[number];

/** `agent`: an attention item; `terminal`: OSC 9, 99 or 777 of a program; `muxy`: protocol v3. */
export type NoticeOrigin = "agent" | "terminal" | "muxy" | "test";

/** The pane a notice is about, as channels need it. */
export type NoticePlace = {
  readonly surfaceID: string | null;
  /** What a person calls it: its label, else the folder, else the terminal. */
  readonly name: string;
  readonly cwd: string | null;
  readonly tty: string | null;
  readonly multiplexer: string | null;
};

export type Notice = {
  readonly id: string;
  readonly origin: NoticeOrigin;
  readonly kind: NoticeKind;
  readonly provider: string | null;
  readonly runID: string | null;
  readonly sessionID: string | null;
  readonly toolName: string | null;
  readonly title: string;
  readonly body: string;
  /** The title as its sender said it: what two notices of one thing have in common. */
  readonly subject: string;
  readonly place: NoticePlace;
  readonly child: boolean;
  /** Happened while no server looked, or was told only afterwards. */
  readonly late: boolean;
};

const TITLE_LENGTH = 120;
const BODY_LENGTH = 400;

const VERB: Readonly<Record<ItemKind, string>> = {
  "approval-request": "needs approval",
  "input-request": "needs an answer",
  failure: "failed",
  disconnect: "died",
  completion: "is done",
};

export function itemNotice(state: State, item: AttentionItem, late: boolean): Notice {
  const place = placeOf(state, item);
  const agent = displayName(item.provider);
  return {
    id: item.id,
    origin: "agent",
    kind: item.kind,
    provider: item.provider,
    runID: item.runID,
    sessionID: item.sessionID,
    toolName: item.toolName,
    title: harmlessTitle(
      `${agent} ${VERB[item.kind]}${place.name === "" ? "" : ` · ${place.name}`}`,
    ),
    body: harmlessBody([item.toolName, item.message].filter((part) => part !== null).join(": ")),
    subject: agent,
    place,
    child: item.child,
    late,
  };
}

/** Words that come from elsewhere than an attention item. */
export type OutsideNotice = {
  readonly id: string;
  readonly origin: Exclude<NoticeOrigin, "agent">;
  readonly kind: NoticeKind;
  readonly provider: string | null;
  readonly surfaceID: string | null;
  readonly title: string;
  readonly body: string;
};

export function outsideNotice(state: State, words: OutsideNotice): Notice {
  const { title, body, provider, surfaceID } = words;
  const place = placeOf(state, { surfaceID, provider, sessionID: null });
  const shown = title.trim() === "" ? place.name || "Terminal" : title;
  return {
    ...words,
    runID: null,
    sessionID: null,
    toolName: null,
    title: harmlessTitle(shown),
    body: harmlessBody(body),
    subject: harmlessTitle(title),
    place,
    child: false,
    late: false,
  };
}

function placeOf(
  state: State,
  at: { surfaceID: string | null; provider: string | null; sessionID: string | null },
): NoticePlace {
  const surface = at.surfaceID === null ? undefined : state.surfaces.get(at.surfaceID);
  const session = at.sessionID === null
    ? undefined
    : state.sessions.get(`${at.provider ?? ""} ${at.sessionID}`);
  const cwd = session?.cwd ?? surface?.cwd ?? null;
  const tty = surface?.tty ?? null;
  const folder = cwd?.split("/").filter((part) => part !== "").at(-1);
  return {
    surfaceID: at.surfaceID,
    name: harmless(surface?.label ?? folder ?? tty?.replace("/dev/", "") ?? "", 60),
    cwd,
    tty,
    multiplexer: surface?.multiplexer ?? null,
  };
}

/** The most urgent kind of open item of the given panes, for a mark; null when nothing is open. */
export function urgentKind(state: State, surfaceIDs: ReadonlySet<string>): ItemKind | null {
  let best: ItemKind | null = null;
  for (const item of state.items.values()) {
    if (item.surfaceID === null || !surfaceIDs.has(item.surfaceID) || !isOpenItem(item)) continue;
    if (best === null || ITEM_KINDS.indexOf(item.kind) < ITEM_KINDS.indexOf(best)) best = item.kind;
  }
  return best;
}

function harmlessTitle(text: string): string {
  return harmless(text, TITLE_LENGTH);
}

function harmlessBody(text: string): string {
  return harmless(text, BODY_LENGTH);
}

/** One line without anything that a terminal or a notification service could take as a command. */
function harmless(text: string, length: number): string {
  const line = terminalLine(text);
  return line.length <= length ? line : `${boundedText(line, length - 1)}…`;
}
